#include <gtest/gtest.h>

#include "discover/rates.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::discover {
namespace {

constexpr Bytes kEach{10'000};

/// Messages of kEach at so many microseconds apart, in bursts of `burst` with a pause behind each.
std::vector<Time> in_bursts(std::size_t count, std::int64_t apart_us, std::size_t burst,
                            std::int64_t pause_us) {
  std::vector<Time> result;
  Time now;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(now);
    now += microseconds(apart_us + (i % burst == burst - 1 ? pause_us : 0));
  }
  return result;
}

TEST(Arrivals, BurstsHaveThePaceOfTheLink) {
  // 800 us for 10,000 bytes: 100 Mbit/s; with the pauses it is a third of that.
  const std::vector<Time> seen = in_bursts(64, 800, 16, 25'600);
  EXPECT_EQ(burst_pace(seen, kEach), bits_per_second(100'000'000));
  EXPECT_LT(fastest(seen, 32, kEach).bits_per_second, 60'000'000);
  EXPECT_EQ(fastest(seen, 12, kEach), bits_per_second(100'000'000));
}

TEST(Arrivals, FewMessagesThatWereReadAtOnceDoNotCount) {
  std::vector<Time> seen = in_bursts(64, 800, 64, 0);
  for (std::size_t i = 20; i < 23; ++i) seen[i] = seen[23];  // the receiver slept for a moment
  EXPECT_EQ(burst_pace(seen, kEach), bits_per_second(100'000'000));
}

TEST(Arrivals, FlowsMeetOnOneClock) {
  const std::vector<std::vector<Time>> flows{{milliseconds(5), milliseconds(9)},
                                             {milliseconds(7), milliseconds(8)}};
  const std::vector<Time> all{milliseconds(5), milliseconds(7), milliseconds(8), milliseconds(9)};
  EXPECT_EQ(merged(flows, milliseconds(1)), all);
}

TEST(Arrivals, AClockThatIsNotSetIsNotBelieved) {
  const std::vector<std::vector<Time>> flows{{milliseconds(5), milliseconds(9)},
                                             {seconds(70), seconds(70) + milliseconds(2)}};
  const std::vector<Time> all{milliseconds(5), milliseconds(6), milliseconds(8), milliseconds(9)};
  EXPECT_EQ(merged(flows, milliseconds(1)), all);
}

TEST(ArrivalsProperty, NoRunIsFasterThanTheFastest) {
  for_all_seeds(200, [](Random& random) {
    std::vector<Time> seen{Time{0}};
    const auto count = static_cast<std::size_t>(random.between(10, 60));
    while (seen.size() < count) {
      seen.push_back(seen.back() + microseconds(random.between(1, 3'000)));
    }
    const auto run = static_cast<std::size_t>(random.between(1, 9));
    const double most = static_cast<double>(fastest(seen, run, kEach).bits_per_second);
    for (std::size_t i = run; i < seen.size(); ++i) {
      const double bits = 8.0 * static_cast<double>(run * kEach.value);
      EXPECT_LE(bits / to_seconds(seen[i] - seen[i - run]), 1.001 * most);
    }
  });
}

}  // namespace
}  // namespace espalier::discover
