#include "cost/equal_parts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "topology/readers.hpp"

namespace espalier::cost {
namespace {

std::set<std::uint32_t> classes(const char* machine) {
  const auto all = classes_of_clusters(*topology::parse_synthetic(machine));
  return {all.begin(), all.end()};
}

TEST(EqualParts, AreOneClassOnEachLevel) {
  EXPECT_EQ(classes("site:4(1ms,1Gbit/s) node:8(20us,1Gbit/s) proc:16(1us,send=1us)").size(), 3U);
}

TEST(EqualParts, DifferInTheNumberOfTheirMembers) {
  EXPECT_EQ(classes("site:2(1ms,1Gbit/s) node:3|4(20us,1Gbit/s) proc:2(1us)").size(), 4U);
}

TEST(EqualParts, AreProcessesWithTheSameFigures) {
  const auto machine =
      *topology::parse_synthetic("node:2(20us,1Gbit/s) proc:2(1us,send=1us|3us|1us|3us)");
  const std::vector<std::uint32_t> all = classes_of_processes(machine);
  ASSERT_EQ(all.size(), 4U);
  for (Rank a = 0; a < 4; ++a) {
    for (Rank b = 0; b < 4; ++b) {
      EXPECT_EQ(all[a] == all[b], machine.costs(a) == machine.costs(b)) << a << " " << b;
    }
  }
  EXPECT_EQ(std::set<std::uint32_t>(all.begin(), all.end()).size(), 2U);
}

}  // namespace
}  // namespace espalier::cost
