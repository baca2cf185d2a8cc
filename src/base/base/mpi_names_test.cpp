#include "base/mpi_names.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(MpiNames, KnowsWhatPeopleCallAnMpi) {
  for (const char* name : {"ompi", "OMPI", "OpenMPI", "open-mpi", "Open MPI", "open_mpi5"}) {
    EXPECT_EQ(mpi_meant(name), "did you mean \"openmpi\"? ") << name;
  }
  for (const char* name : {"MPICH", "mpich4", "Mpich"}) {
    EXPECT_EQ(mpi_meant(name), "did you mean \"mpich\"? ") << name;
  }
}

TEST(MpiNames, SaysNothingOfOthersAndOfTheNamesThemselves) {
  for (const char* name : {"", "smpi", "mpi", "lam", "mvapich", "impi", "openmpi", "mpich"}) {
    EXPECT_EQ(mpi_meant(name), "") << name;
  }
}

}  // namespace
}  // namespace espalier
