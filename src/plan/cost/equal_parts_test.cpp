#include "cost/equal_parts.hpp"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace espalier::cost
