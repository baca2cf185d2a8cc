#include "verify/interval_map.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "support/for_all_seeds.hpp"

namespace espalier::verify {
namespace {

TEST(IntervalMap, JoinsNeighboursWithEqualValues) {
  IntervalMap<int> map;
  map.assign(10, 20, 1);
  map.assign(30, 40, 1);
  EXPECT_EQ(map.stretches(), 2U);
  map.assign(20, 30, 1);
  EXPECT_EQ(map.stretches(), 1U);
  map.assign(15, 16, 2);
  EXPECT_EQ(map.stretches(), 3U);
}

TEST(IntervalMap, ShowsGapsAsNothing) {
  IntervalMap<int> map;
  map.assign(2, 4, 7);
  std::vector<std::pair<std::uint64_t, bool>> seen;
  map.for_each(0, 6, [&](std::uint64_t begin, std::uint64_t, const int* value) {
    seen.emplace_back(begin, value != nullptr);
  });
  EXPECT_EQ(seen, (std::vector<std::pair<std::uint64_t, bool>>{{0, false}, {2, true}, {4, false}}));
}

constexpr std::uint64_t kUnits = 30;

TEST(IntervalMapProperty, HoldsWhatAPlainArrayHolds) {
  for_all_seeds(1000, [](Random& rng) {
    IntervalMap<int> map;
    std::vector<std::optional<int>> plain(kUnits);
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t begin = rng.below(kUnits);
      const std::uint64_t end = begin + rng.below(kUnits - begin + 1);
      if (rng.chance(60)) {
        const int value = static_cast<int>(rng.below(3));
        map.assign(begin, end, value);
        for (std::uint64_t u = begin; u < end; ++u) plain[u] = value;
      } else {
        map.update(begin, end, [](std::uint64_t, std::uint64_t, int& value) { value += 3; });
        for (std::uint64_t u = begin; u < end; ++u) plain[u] = plain[u].value_or(0) + 3;
      }
      const std::uint64_t from = rng.below(kUnits);
      std::uint64_t at = from;
      map.for_each(from, kUnits, [&](std::uint64_t b, std::uint64_t e, const int* value) {
        ASSERT_EQ(b, at);
        ASSERT_LT(b, e);
        for (; at < e; ++at) {
          ASSERT_EQ(plain[at].has_value(), value != nullptr) << at;
          ASSERT_TRUE(value == nullptr || *plain[at] == *value) << at;
        }
      });
      ASSERT_EQ(at, kUnits);
    }
  });
}

}  // namespace
}  // namespace espalier::verify
