#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"

namespace espalier::topology {
namespace {

Machine grid() {
  return *parse_synthetic("site:2(10ms,100Mbit/s) node:2(1ms,1Gbit/s) proc:2(1us)");
}

TEST(ScaleLevel, ChangesOneLevelOnly) {
  const Machine far = scale_level(grid(), {0, 4000, 100});
  EXPECT_EQ(far.path(0, 7).latency, milliseconds(40));
  EXPECT_EQ(far.path(0, 7).bandwidth, bits_per_second(10'000'000));
  EXPECT_EQ(far.path(0, 2), grid().path(0, 2));
  EXPECT_EQ(far.path(0, 1), grid().path(0, 1));
  const Machine near = scale_level(grid(), {1, 500, 2000});
  EXPECT_EQ(near.path(0, 2).latency, microseconds(500));
  EXPECT_EQ(near.path(0, 2).bandwidth, bits_per_second(2'000'000'000));
  EXPECT_EQ(near.path(0, 7), grid().path(0, 7));
}

TEST(ScaleLevel, LeavesUnlimitedUnlimitedAndAThousandthsAlone) {
  const Machine machine = *parse_synthetic("site:2(10ms) proc:2(1us)");
  EXPECT_TRUE(scale_level(machine, {0, 1000, 100}).path(0, 2).bandwidth.unlimited());
  EXPECT_EQ(scale_level(machine, {0}).path(0, 2), machine.path(0, 2));
}

TEST(ScaleLevel, MultipliesEveryPathOfItsLevel) {
  for_all_seeds(100, [](Random& random) {
    const Machine machine = random_machine(random.next());
    const auto level = static_cast<std::uint32_t>(random.below(machine.levels().size()));
    const Machine scaled = scale_level(machine, {level, 3000, 1000});
    for (Rank a = 0; a < std::min<Rank>(machine.size(), 12); ++a) {
      for (Rank b = 0; b < std::min<Rank>(machine.size(), 12); ++b) {
        if (a == b) continue;
        const Path before = machine.path(a, b), after = scaled.path(a, b);
        EXPECT_EQ(after.level, before.level);
        EXPECT_EQ(after.bandwidth, before.bandwidth);
        if (before.level == level) {
          EXPECT_LE(after.latency.picoseconds, 3 * before.latency.picoseconds);
          EXPECT_GE(after.latency, before.latency);
        } else {
          EXPECT_EQ(after.latency, before.latency);
        }
      }
    }
  });
}

}  // namespace
}  // namespace espalier::topology
