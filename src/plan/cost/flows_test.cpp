#include "cost/flows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"

namespace espalier::cost {
namespace {

TEST(ShareEqually, FlowsThatStartTogetherEndByTheirSizes) {
  Sharer two[] = {{0, 100, 0}, {0, 300, 0}};
  share_equally(two, 1);
  EXPECT_DOUBLE_EQ(two[0].end, 200);  // half the speed while both flow
  EXPECT_DOUBLE_EQ(two[1].end, 400);
}

TEST(ShareEqually, AResourceIsNeverIdleWhileThereIsWork) {
  for_all_seeds(200, [](Random& rng) {
    std::vector<Sharer> flows;
    for (std::uint64_t i = 0, n = 1 + rng.below(8); i < n; ++i) {
      flows.push_back({double(rng.below(1000)), double(1 + rng.below(500)), 0});
    }
    share_equally(flows, 2);
    // The last end is that of serving them one after the other.
    std::vector<Sharer> sorted = flows;
    std::sort(sorted.begin(), sorted.end(),
              [](const Sharer& a, const Sharer& b) { return a.start < b.start; });
    double clock = 0, last = 0;
    for (const Sharer& flow : sorted) {
      clock = std::max(clock, flow.start) + 2 * flow.bytes;
      last = std::max(last, flow.end);
      EXPECT_GE(flow.end, flow.start + 2 * flow.bytes - 1e-6);
    }
    EXPECT_NEAR(last, clock, 1e-6 * clock);
  });
}

}  // namespace
}  // namespace espalier::cost
