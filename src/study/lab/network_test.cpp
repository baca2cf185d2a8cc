#include "lab/network.hpp"

#include <gtest/gtest.h>

#include "lab/delay_queue.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::lab {
namespace {

constexpr Instant kMillisecond = 1'000'000;
constexpr std::uint64_t kGigabit = 1'000'000'000;

struct Cells {
  explicit Cells(std::size_t n) : all(n) {}
  std::vector<LinkCell> all;
};

const std::vector<std::uint32_t> kFirst{0};
const std::vector<std::uint32_t> kBoth{0, 1};

/// When a frame that nothing overtakes arrives; nothing if it is lost.
std::optional<Instant> sent(EmulatedNetwork& network, Instant now,
                            const std::vector<std::uint32_t>& route, const FrameOnWire& frame) {
  Journey journey{now, now, 0};
  while (journey.hop < route.size()) {
    if (!network.pass(journey, route, frame)) return std::nullopt;
  }
  return journey.last;
}

TEST(Network, DelaysAFrameWithoutALimit) {
  Cells cells(2);
  cells.all[0].delay_ns = 10 * kMillisecond;
  cells.all[1].delay_ns = 5;
  EmulatedNetwork network(cells.all, kMillisecond);
  EXPECT_EQ(sent(network, 100, kBoth, {1500, 1, 0}), 100 + 10 * kMillisecond + 5);
  EXPECT_EQ(cells.all[1].bytes, 1500U);
}

TEST(Network, LetsFramesWaitForACappedLink) {
  Cells cells(1);
  cells.all[0].bits_per_second = kGigabit;  // 8 ns a byte
  EmulatedNetwork network(cells.all, kMillisecond);
  EXPECT_EQ(sent(network, 0, kFirst, {1000, 1, 0}), 8'000);
  EXPECT_EQ(sent(network, 1'000, kFirst, {1000, 1, 0}), 16'000);
  EXPECT_EQ(sent(network, 50'000, kFirst, {1000, 1, 0}), 58'000);
}

TEST(Network, StreamsALargeFrameThroughLinksInARow) {
  Cells cells(2);
  for (LinkCell& c : cells.all) c.bits_per_second = kGigabit;
  EmulatedNetwork network(cells.all, kMillisecond);
  // 40 packets of 1500 bytes: the second link is one packet behind, not the whole frame.
  EXPECT_EQ(sent(network, 0, kBoth, {60'000, 40, 0}), 480'000 + 12'000);
}

TEST(Network, LosesWhatWouldWaitTooLong) {
  Cells cells(1);
  cells.all[0].bits_per_second = kGigabit;
  EmulatedNetwork network(cells.all, /*longest_queue=*/10'000);
  EXPECT_TRUE(sent(network, 0, kFirst, {1000, 1, 0}));
  EXPECT_TRUE(sent(network, 0, kFirst, {1000, 1, 0}));
  EXPECT_FALSE(sent(network, 0, kFirst, {1000, 1, 0}));
  EXPECT_EQ(cells.all[0].drops, 1U);
  EXPECT_EQ(cells.all[0].packets, 2U);
}

TEST(Network, PassesNothingThroughACut) {
  Cells cells(2);
  cells.all[1].is_cut = 1;
  EmulatedNetwork network(cells.all, kMillisecond);
  EXPECT_FALSE(sent(network, 0, kBoth, {100, 1, 0}));
  EXPECT_EQ(cells.all[1].drops, 1U);
  cells.all[1].is_cut = 0;
  EXPECT_TRUE(sent(network, 0, kBoth, {100, 1, 0}));
}

TEST(Network, CapsEachConnectionByItself) {
  Cells cells(1);
  cells.all[0].flow_bits_per_second = kGigabit;
  EmulatedNetwork network(cells.all, kMillisecond);
  EXPECT_EQ(sent(network, 0, kFirst, {1000, 1, /*flow=*/1}), 8'000);
  EXPECT_EQ(sent(network, 0, kFirst, {1000, 1, /*flow=*/2}), 8'000);
  EXPECT_EQ(sent(network, 0, kFirst, {1000, 1, /*flow=*/1}), 16'000);
}

TEST(Network, LosesAShareOfPackets) {
  Cells cells(1);
  cells.all[0].loss_ppm = 10'000;  // 1 %
  EmulatedNetwork network(cells.all, kMillisecond);
  const auto lost_of = [&](int frames, std::uint32_t packets) {
    int lost = 0;
    for (int i = 0; i < frames; ++i) lost += sent(network, i, kFirst, {1500, packets, 0}) ? 0 : 1;
    return lost;
  };
  const int single = lost_of(100'000, 1);
  EXPECT_NEAR(single, 1000, 150);
  // With any of its 10 packets a frame is lost: 1 - 0.99^10.
  EXPECT_NEAR(lost_of(100'000, 10), 9562, 450);
  cells.all[0].loss_ppm = 0;
  EXPECT_EQ(lost_of(1000, 10), 0);
}

TEST(Network, JitterDelaysFramesAndKeepsTheirOrder) {
  Cells cells(1);
  cells.all[0].delay_ns = 10 * kMillisecond;
  cells.all[0].jitter_ns = 2 * kMillisecond;
  EmulatedNetwork network(cells.all, kMillisecond);
  Instant before = 0, least = 1000 * kMillisecond, most = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Instant now = i * kMillisecond;
    const Instant arrived = sent(network, now, kFirst, {1500, 1, 0}).value();
    ASSERT_GE(arrived, before) << "frame " << i;
    before = arrived;
    least = std::min(least, arrived - now);
    most = std::max(most, arrived - now);
  }
  EXPECT_GE(least, 10 * kMillisecond);
  EXPECT_LT(least, 10 * kMillisecond + kMillisecond / 2);
  EXPECT_GT(most, 12 * kMillisecond - kMillisecond / 2);
  EXPECT_LE(most, 12 * kMillisecond);
}

TEST(Network, AShareOfFramesIsOvertaken) {
  Cells cells(1);
  cells.all[0].reorder_ppm = 100'000;
  EmulatedNetwork network(cells.all, kMillisecond);
  int overtaken = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Instant arrived = sent(network, i * 100, kFirst, {1500, 1, 0}).value();
    ASSERT_TRUE(arrived == i * 100 || arrived == i * 100 + EmulatedNetwork::kOvertaken);
    overtaken += arrived == i * 100 ? 0 : 1;
  }
  EXPECT_NEAR(overtaken, 1000, 150);
}

TEST(Network, OthersTakeTheirShareOfACappedLink) {
  Cells cells(1);
  cells.all[0].bits_per_second = kGigabit / 10;
  cells.all[0].cross_bits_per_second = kGigabit / 20;
  EmulatedNetwork network(cells.all, 200 * kMillisecond);
  // One that sends whenever the frame before has passed gets what others leave: about half.
  Instant now = kMillisecond;
  const Instant begin = now;
  for (int i = 0; i < 20'000; ++i) now = sent(network, now, kFirst, {1538, 1, 0}).value();
  const double rate = 20'000 * 1538 * 8.0 / static_cast<double>(now - begin);  // bits a nanosecond
  EXPECT_NEAR(rate, 0.05, 0.01);
}

/// A site's uplink (0), its way to another site (1), and a host there (2) that a neighbour reaches
/// too (3, 2).
TEST(Network, WhatIsStillFarAwayHoldsUpNobody) {
  Cells cells(4);
  cells.all[0].bits_per_second = kGigabit / 10;
  cells.all[1].delay_ns = 10 * kMillisecond;
  cells.all[2].bits_per_second = kGigabit;
  EmulatedNetwork network(cells.all, 1000 * kMillisecond);
  const std::vector<std::uint32_t> far{0, 1, 2}, near{3, 2};
  // A long burst sets out, and has not come further than the way when the neighbour's frame comes.
  std::vector<Journey> burst(100, Journey{});
  const FrameOnWire frame{1500, 1, 0};
  for (Journey& one : burst) {
    ASSERT_TRUE(network.pass(one, far, frame));
    ASSERT_TRUE(network.pass(one, far, frame));
  }
  EXPECT_EQ(sent(network, kMillisecond, near, frame), kMillisecond + 12'000);
  for (Journey& one : burst) ASSERT_TRUE(network.pass(one, far, frame));
  EXPECT_EQ(burst.front().last, 10 * kMillisecond + 120'000 + 12'000);
  EXPECT_EQ(burst.back().last, 10 * kMillisecond + 100 * 120'000 + 12'000);
}

/// Against a link that is looked at nanosecond by nanosecond.
TEST(NetworkProperty, SendsAsAQueueThatIsServedByteByByte) {
  for_all_seeds(300, [](Random& rng) {
    Cells cells(1);
    const std::uint64_t ns_per_byte = 1 + rng.below(9);
    cells.all[0].bits_per_second = 8'000'000'000 / ns_per_byte;
    const bool exact = 8'000'000'000 % ns_per_byte == 0;
    cells.all[0].delay_ns = rng.between(0, 1000);
    EmulatedNetwork network(cells.all, 1'000'000'000);
    Instant now = 0;
    std::uint64_t left = 0;  // bytes in the queue
    for (int i = 0; i < 50; ++i) {
      const Instant until = now + rng.between(0, 3000);
      const std::uint64_t served = static_cast<std::uint64_t>(until - now);
      const std::uint64_t work = left * ns_per_byte;
      left = work > served ? (work - served + ns_per_byte - 1) / ns_per_byte : 0;
      if (!exact || (work > served && (work - served) % ns_per_byte != 0)) return;  // off the grid
      now = until;
      const std::uint64_t bytes = 1 + rng.below(500);
      left += bytes;
      const Instant expected =
          now + static_cast<Instant>(left * ns_per_byte) + cells.all[0].delay_ns;
      ASSERT_EQ(sent(network, now, kFirst, {bytes, 1, 0}), expected);
    }
  });
}

TEST(DelayQueue, GivesWhatIsDueInOrder) {
  DelayQueue<int> queue;
  queue.push(30, 3);
  queue.push(10, 1);
  queue.push(10, 2);
  EXPECT_EQ(queue.next_due(), 10);
  EXPECT_EQ(queue.pop(9), std::nullopt);
  EXPECT_EQ(queue.pop(10), 1);
  EXPECT_EQ(queue.pop(10), 2);
  EXPECT_EQ(queue.pop(29), std::nullopt);
  EXPECT_EQ(queue.pop(31), 3);
  EXPECT_EQ(queue.next_due(), std::nullopt);
}

}  // namespace
}  // namespace espalier::lab
