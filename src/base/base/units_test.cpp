#include "base/units.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier {
namespace {

TEST(Units, ReadsTimesExactly) {
  EXPECT_EQ(*parse_time("30 ms"), milliseconds(30));
  EXPECT_EQ(*parse_time("1.5us"), nanoseconds(1500));
  EXPECT_EQ(*parse_time(" 0.25 ms "), microseconds(250));
  EXPECT_EQ(*parse_time("1e-4 s"), microseconds(100));
  EXPECT_EQ(*parse_time("0 s"), Time{0});
  EXPECT_EQ(*parse_time("12.5 ns"), picoseconds(12500));
}

TEST(Units, RefusesWhatIsNotATime) {
  for (const char* text : {"", "ms", "3", "3 parsecs", "-1 ms", "1..2 s", "1e", "0.5 ps", "1e99 s",
                           "99999999999999999999 s", "1 s s", "0x10 s", "nan s", "inf s"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Units, KeepsItsErrorsShort) {
  const std::string zeros(10'000, '0');
  for (const std::string& text : {"9" + zeros + " s", "0." + zeros + "1 s", zeros + " m"}) {
    ASSERT_FALSE(parse_time(text));
    EXPECT_LT(parse_time(text).error().what.size(), 200u);
  }
  EXPECT_LT(parse_bandwidth(zeros + " bit/s").error().what.size(), 200u);
}

TEST(Units, RoundsOnlyWhenAskedTo) {
  EXPECT_FALSE(parse_time("1.4E-13s"));
  EXPECT_EQ(*parse_time("1.4E-13s", Rounding::Nearest, "s"), Time{0});
  EXPECT_EQ(*parse_time("1.5E-12", Rounding::Nearest, "s"), Time{2});
  EXPECT_EQ(*parse_time("1.4999E-12", Rounding::Nearest, "s"), Time{1});
}

TEST(Units, ReadsBandwidthsOfBitsAndBytes) {
  EXPECT_EQ(*parse_bandwidth("100 Mbit/s"), bits_per_second(100'000'000));
  EXPECT_EQ(*parse_bandwidth("1.25GB/s"), bits_per_second(10'000'000'000));
  EXPECT_EQ(*parse_bandwidth("125MBps"), bits_per_second(1'000'000'000));
  EXPECT_EQ(*parse_bandwidth("1 MiB/s"), bits_per_second(8 * 1024 * 1024));
  EXPECT_EQ(*parse_bandwidth("unlimited"), kUnlimited);
  EXPECT_EQ(*parse_bandwidth("1.25E8Bps"), bits_per_second(1'000'000'000));
  EXPECT_FALSE(parse_bandwidth("0 Mbit/s"));
  EXPECT_FALSE(parse_bandwidth("10 Mb"));
}

TEST(Units, ReadsSizes) {
  EXPECT_EQ(*parse_bytes("16 KiB"), Bytes{16384});
  EXPECT_EQ(*parse_bytes("1MB"), Bytes{1'000'000});
  EXPECT_EQ(*parse_bytes("7"), Bytes{7});
  EXPECT_FALSE(parse_bytes("1.5 B"));
}

TEST(Units, SizesThatWereGivenInPowersOfAThousandAreShownSo) {
  EXPECT_EQ(to_string(Bytes{2'000'000}), "2 MB");
  EXPECT_EQ(to_string(Bytes{2'500'000}), "2.5 MB");
  EXPECT_EQ(to_string(Bytes{64'000}), "64 kB");
  EXPECT_EQ(to_string(Bytes{65'536}), "64 KiB");
  EXPECT_EQ(to_string(Bytes{1'024'000}), "1000 KiB");
  EXPECT_EQ(to_string(Bytes{1'234}), "1234 B");
  EXPECT_EQ(to_string(Bytes{0}), "0 B");
}

TEST(Units, TransferTimeRoundsUpAndSaturates) {
  EXPECT_EQ(transfer_time(Bytes{1'250'000}, bits_per_second(100'000'000)), milliseconds(100));
  EXPECT_EQ(transfer_time(Bytes{1}, bits_per_second(3)), picoseconds(2'666'666'666'667));
  EXPECT_EQ(transfer_time(Bytes{~0ULL}, bits_per_second(1)), kForever);
  EXPECT_EQ(transfer_time(Bytes{5}, kUnlimited), Time{0});
  EXPECT_EQ(kForever + seconds(1), kForever);
}

TEST(UnitsProperty, WhatIsPrintedIsReadBackExactly) {
  for_all_seeds(5000, [](Random& rng) {
    const Time t{static_cast<std::int64_t>(rng.next() >> (1 + rng.below(62)))};
    ASSERT_EQ(*parse_time(to_string(t)), t) << to_string(t);
    const Bandwidth b{1 + (rng.next() >> (2 + rng.below(60)))};
    ASSERT_EQ(*parse_bandwidth(to_string(b)), b) << to_string(b);
    const Bytes size{rng.next() >> (2 + rng.below(60))};
    ASSERT_EQ(*parse_bytes(to_string(size)), size) << to_string(size);
    const std::uint64_t ratio = rng.next() >> (12 + rng.below(50));
    ASSERT_EQ(*parse_millionths(millionths_to_string(ratio)), ratio);
  });
}

TEST(Units, RoundedTimesStayBelowAThousandOfTheirUnit) {
  EXPECT_EQ(rounded(microseconds(999'960), 3), "1 s");
  EXPECT_EQ(rounded(microseconds(999'400), 3), "999 ms");
  EXPECT_EQ(rounded(nanoseconds(999'600), 3), "1 ms");
  EXPECT_EQ(rounded(microseconds(1'234), 3), "1.23 ms");
  EXPECT_EQ(rounded(milliseconds(9'999'000)), "9999 s");
  EXPECT_EQ(rounded(milliseconds(36'000'000)), "10 hours");
  EXPECT_EQ(rounded(milliseconds(3 * 86'400'000)), "3 days");
  EXPECT_EQ(rounded(kForever), "more than 106 days");
}

}  // namespace
}  // namespace espalier
