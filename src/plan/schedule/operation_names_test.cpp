#include "schedule/operation_names.hpp"

#include <gtest/gtest.h>

namespace espalier::schedule {
namespace {

TEST(OperationNames, AreThoseOfMpiToo) {
  for (const char* name : {"broadcast", "Broadcast", "bcast", "MPI_Bcast", "mpi_bcast"}) {
    EXPECT_EQ(operation_called(name), Operation::Broadcast) << name;
  }
  EXPECT_EQ(operation_called("MPI_Reduce_scatter_block"), Operation::ReduceScatter);
  EXPECT_EQ(operation_called("reduce_scatter"), Operation::ReduceScatter);
  EXPECT_EQ(operation_called("MPI_Allreduce"), Operation::Allreduce);
  EXPECT_EQ(operation_called("all-to-all"), Operation::Alltoall);
  EXPECT_EQ(usual_name("MPI_Scatterv"), "scatterv");
}

TEST(OperationNames, AreNotGuessed) {
  for (const char* name : {"", "mpi_", "bcas", "MPI_Scatterv", "unknown", "MPI_Send"}) {
    EXPECT_EQ(operation_called(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace espalier::schedule
