#include "runtime/told_to_mpi.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace espalier::runtime {
namespace {

TEST(ToldToMpi, HoldsLinksAndCollectivesOfAllLibrariesInOneOrder) {
  EXPECT_EQ(told_to_mpi({"UCX_TLS=tcp", "HOME=/root", "OMPI_MCA_coll_hcoll_enable=1",
                         "FI_PROVIDER=tcp", "MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial"}),
            "FI_PROVIDER=tcp\nMPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"
            "OMPI_MCA_coll_hcoll_enable=1\nUCX_TLS=tcp\n");
}

TEST(ToldToMpi, LeavesOutWhatALauncherTellsEachRun) {
  EXPECT_EQ(told_to_mpi({"OMPI_MCA_orte_hnp_uri=1195442176.0;tcp://192.0.2.2:37299",
                         "OMPI_MCA_orte_precondition_transports=2127a167bed5f254-be744ba05adcfbd1",
                         "OMPI_MCA_ess_base_jobid=1195442177", "OMPI_MCA_initial_wdir=/tmp",
                         "PMIX_NAMESPACE=1195442177", "PMI_FD=6", "I_MPI_HYDRA_UUID=1",
                         "FI_OPX_UUID=3bb9f0a0", "UCX_LOG_FILE=/tmp/17.log"}),
            "");
}

TEST(ToldToMpi, ReadsTheEnvironmentOfTheProcess) {
  const std::string before = told_to_mpi();
  ::setenv("UCX_ESPALIER_TEST", "1", 1);
  EXPECT_NE(told_to_mpi(), before);
  ::unsetenv("UCX_ESPALIER_TEST");
  EXPECT_EQ(told_to_mpi(), before);
}

}  // namespace
}  // namespace espalier::runtime
