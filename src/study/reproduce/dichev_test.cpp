#include <gtest/gtest.h>

#include <algorithm>

#include "reproduce/dichev_runs.hpp"

namespace espalier::reproduce {
namespace {

/// The greatest gain of minimum-first and of Traeff's tree on the first WAN, without our own
/// search.
std::pair<double, double> most_on_first_wan(const std::string& placement) {
  double minimum_first = 0;
  double traeff = 0;
  std::vector<DichevCase> cases = dichev_grid(1);
  const std::string wan = cases.front().network;
  for (const DichevCase& one : cases) {
    if (one.network != wan || one.placement != placement || one.mean > Bytes{10'000}) continue;
    const DichevRow row = dichev_row(one, 0);
    minimum_first = std::max(minimum_first, row.minimum_first_gain());
    traeff = std::max(traeff, row.traeff_gain());
    // What is chosen is no slower than any tree of the paper, but for the 1 % of select/irregular.
    const Time least = *std::min_element(row.tree.begin(), row.tree.end());
    EXPECT_LE(row.ours.picoseconds, least.picoseconds + least.picoseconds / 100);
  }
  return {minimum_first, traeff};
}

TEST(Dichev, MinimumFirstGainsWhereRanksLieAnyhowOnlyAndTraeffsTreeEverywhere) {
  // Seen: 65 and 49, 73 and 68, 1 and 68 %.
  const auto random = most_on_first_wan("random");
  EXPECT_GT(random.first, 60);
  EXPECT_GT(random.second, 45);
  const auto cyclic = most_on_first_wan("cyclic");
  EXPECT_GT(cyclic.first, 70);
  EXPECT_GT(cyclic.second, 60);
  const auto block = most_on_first_wan("block");
  EXPECT_LT(block.first, 5);
  EXPECT_GT(block.second, 60);  // it goes by lengths, not by ranks
}

TEST(Dichev, HasThePapersNodes) {
  EXPECT_EQ(dichev_switch(1).front().machine.size(), 14U);
  EXPECT_EQ(dichev_grid(1).front().machine.size(), 39U);
}

}  // namespace
}  // namespace espalier::reproduce
