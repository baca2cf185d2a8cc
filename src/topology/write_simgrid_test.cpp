#include "topology/write_simgrid.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/for_all_seeds.hpp"
#include "support/random_spec.hpp"
#include "topology/read_simgrid.hpp"

namespace espalier::topology {
namespace {

TEST(WriteSimgridProperty, IsReadBackWithTheSamePathsAndCosts) {
  for_all_seeds(1500, [](Random& rng) {
    const auto machine = build_machine(RandomSpec(rng).make());
    ASSERT_TRUE(machine) << machine.error();
    const std::string text = write_simgrid(*machine);
    const auto back = read_simgrid(text, "written.xml");
    ASSERT_TRUE(back) << back.error() << text;
    ASSERT_EQ(back->machine.size(), machine->size());
    for (Rank from = 0; from < machine->size(); ++from) {
      ASSERT_EQ(back->machine.costs(from), machine->costs(from)) << from << text;
      for (Rank to = 0; to < machine->size(); ++to) {
        const Path ours = machine->path(from, to);
        const Path theirs = back->machine.path(from, to);
        ASSERT_EQ(theirs.latency, ours.latency) << from << " to " << to << text;
        ASSERT_EQ(theirs.bandwidth, ours.bandwidth) << from << " to " << to << text;
        ASSERT_EQ(theirs.level, ours.level) << from << " to " << to << text;
      }
    }
  });
}

}  // namespace
}  // namespace espalier::topology
