#include "model/combine_costs.hpp"

#include <gtest/gtest.h>

#include "topology/machine_spec.hpp"

namespace espalier::model {
namespace {

TEST(CombineCosts, FollowEachRanksReductionSpeed) {
  topology::MachineSpec spec;
  spec.whole.members.resize(2);
  spec.whole.members[0].costs.reduce = bytes_per_second(1'000'000'000);
  const topology::Machine machine = *topology::build_machine(spec);
  EXPECT_EQ(combine_costs(machine, Bytes{500}), (std::vector<Time>{nanoseconds(500), Time{0}}));
}

}  // namespace
}  // namespace espalier::model
