#include "report/figures.hpp"

#include <gtest/gtest.h>

namespace espalier::report {
namespace {

using topology::Channel;
using topology::Cost;
using topology::NodeCosts;
using topology::Uplink;

TEST(InWords, RoundsToFourDigits) {
  EXPECT_EQ(in_words(Channel{Time{23'458'205'000}, kUnlimited, kUnlimited}), "23.46 ms");
  EXPECT_EQ(rounded(bits_per_second(15'755'451'307)), "15.76 Gbit/s");
  EXPECT_EQ(rounded(bits_per_second(999)), "999 bit/s");
}

TEST(Rounded, HasBytesInUnitsOfOneStyle) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(rounded(std::vector{Bytes{922'500}, Bytes{1'845'000}, Bytes{11'070'000}}),
            (Words{"922.5 kB", "1.845 MB", "11.07 MB"}));
  EXPECT_EQ(rounded(std::vector{Bytes{16'384}, Bytes{900}, Bytes{1'048'576}}),
            (Words{"16 KiB", "900 B", "1 MiB"}));
  EXPECT_EQ(rounded(std::vector{Bytes{16'384}, Bytes{544'640}}), (Words{"16.38 kB", "544.6 kB"}));
  EXPECT_EQ(rounded(std::vector{Bytes{999'999}}), (Words{"1 MB"}));
}

TEST(InWords, SaysNothingOfWhatCostsNothing) {
  EXPECT_EQ(in_words(Channel{}), "");
  EXPECT_EQ(in_words(Uplink{}), "");
  EXPECT_EQ(in_words(NodeCosts{}), "");
}

TEST(InWords, NamesLatencyBackboneAndFlow) {
  EXPECT_EQ(in_words(Channel{milliseconds(30), bits_per_second(10'000'000'000),
                             bits_per_second(52'000'000)}),
            "30 ms, backbone 10 Gbit/s, 52 Mbit/s a flow");
}

TEST(InWords, TellsTheDirectionsOfAnUplinkApartWhereTheyDiffer) {
  const Bandwidth slow = bits_per_second(1'000'000);
  const Bandwidth fast = bits_per_second(8'000'000);
  EXPECT_EQ(in_words(Uplink{fast, fast, false, Time{}}), "8 Mbit/s");
  EXPECT_EQ(in_words(Uplink{slow, fast, false, Time{}}), "out 1 Mbit/s, in 8 Mbit/s");
  EXPECT_EQ(in_words(Uplink{kUnlimited, fast, false, Time{}}), "in 8 Mbit/s");
  EXPECT_EQ(in_words(Uplink{slow, slow, true, milliseconds(2)}), "1 Mbit/s half duplex, + 2 ms");
}

TEST(InWords, NamesEveryCostOfAProcess) {
  NodeCosts costs;
  costs.send = Cost{microseconds(100), kUnlimited};
  costs.recv = Cost{microseconds(20), bits_per_second(1'000'000'000)};
  costs.reduce = bits_per_second(8'000'000'000);
  costs.speed_millionths = 2'150'000;
  EXPECT_EQ(in_words(costs), "send 100 us, recv 20 us + 1 Gbit/s, reduce 8 Gbit/s, speed 2.15");
}

}  // namespace
}  // namespace espalier::report
