#include "topology/simgrid/quantities.hpp"

#include <gtest/gtest.h>

namespace espalier::topology::simgrid {
namespace {

TEST(SimgridQuantities, ReadsLatenciesAsSimgridWritesThem) {
  EXPECT_EQ(*parse_latency("1.0E-4s"), microseconds(100));
  EXPECT_EQ(*parse_latency("59.904us"), nanoseconds(59'904));
  EXPECT_EQ(*parse_latency("0"), Time{0});
  EXPECT_EQ(*parse_latency("5e-5"), microseconds(50));
  EXPECT_EQ(*parse_latency("2m"), seconds(120));
  EXPECT_EQ(*parse_latency("1d"), seconds(86'400));
  EXPECT_EQ(*parse_latency("1.4E-13s"), Time{0});
  EXPECT_EQ(*parse_latency("0.00005990400000000000012345s"), nanoseconds(59'904));
}

TEST(SimgridQuantities, ReadsBandwidthsAsSimgridWritesThem) {
  EXPECT_EQ(*parse_rate("125MBps"), bits_per_second(1'000'000'000));
  EXPECT_EQ(*parse_rate("1.25E9Bps"), bits_per_second(10'000'000'000));
  EXPECT_EQ(*parse_rate("1Gbps"), bits_per_second(1'000'000'000));
  EXPECT_EQ(*parse_rate("1KiBps"), bits_per_second(8192));
  EXPECT_EQ(*parse_rate("125000000"), bits_per_second(1'000'000'000));
  EXPECT_EQ(*parse_rate("2Pbps"), bits_per_second(2'000'000'000'000'000));
  EXPECT_EQ(*parse_rate("1Pibps"), bits_per_second(std::uint64_t{1} << 50));
  EXPECT_EQ(*parse_rate("4611686018427387904bps"), bits_per_second(std::uint64_t{1} << 62));
}

TEST(SimgridQuantities, TakesMoreBandwidthThanItCanCountForUnlimited) {
  for (const char* text : {"1EBps", "1e30Bps", "4611686018427387905bps", "9PBps", "1e300TBps"}) {
    const auto rate = parse_rate(text);
    ASSERT_TRUE(rate) << text;
    EXPECT_EQ(rate->unlimited(), std::string_view(text) != "9PBps") << text;
  }
}

TEST(SimgridQuantities, ReadsSpeedsInMillionthsOfOneGigaflop) {
  EXPECT_EQ(*parse_speed("1Gf", 0), 1'000'000u);
  EXPECT_EQ(*parse_speed("5.2297E9f", 0), 5'229'700u);
  EXPECT_EQ(*parse_speed("98.095Mf", 0), 98'095u);
  EXPECT_EQ(*parse_speed("100Mf, 50Mf,20Mf", 1), 50'000u);
  EXPECT_EQ(*parse_speed("1f", 0), 1u);
}

TEST(SimgridQuantities, ReadsTheFirstSectionOfACost) {
  const auto plain = parse_cost("0:2e-5:0");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->cost, (Cost{microseconds(20), kUnlimited}));
  const auto more = parse_cost("0:8.9e-6:1e-9;1420:1.4e-5:2e-10");
  ASSERT_TRUE(more);
  EXPECT_EQ(more->cost, (Cost{nanoseconds(8'900), bits_per_second(8'000'000'000)}));
  EXPECT_EQ(more->sections, 2u);
}

TEST(SimgridQuantities, ReadsRadicals) {
  EXPECT_EQ(*parse_radical("0-3", 9), (std::vector<NumberRange>{{0, 3}}));
  EXPECT_EQ(*parse_radical("1-3,8", 9), (std::vector<NumberRange>{{1, 3}, {8, 8}}));
}

TEST(SimgridQuantities, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", "s", "-1s", "1 parsec", "1e", "nan", "inf", "0x10s", "1e400s"}) {
    EXPECT_FALSE(parse_latency(text)) << text;
  }
  for (const char* text : {"", "MBps", "-1Bps", "0Bps", "0", "1e-30Bps", "1MB", "nan"}) {
    EXPECT_FALSE(parse_rate(text)) << text;
  }
  for (const char* text : {"", "f", "1Gq", "-1Gf", "1e300f"}) {
    EXPECT_FALSE(parse_speed(text, 0)) << text;
  }
  EXPECT_FALSE(parse_speed("1Gf", 1));
  for (const char* text : {"", "0", "0:x:0", "0:1:y", "0:1:2Bps"}) {
    EXPECT_FALSE(parse_cost(text)) << text;
  }
  for (const char* text :
       {"", "-", "3-1", "1-2-3", "a", "-5", "1,,2", "0-9", "0-99999999999", "4294967296"}) {
    EXPECT_FALSE(parse_radical(text, 9)) << text;
  }
}

}  // namespace
}  // namespace espalier::topology::simgrid
