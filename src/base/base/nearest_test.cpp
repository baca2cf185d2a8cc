#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/units.hpp"

namespace espalier {
namespace {

const std::vector<std::string> kNames{"fnf", "binomial", "knomial", "chain"};

TEST(Nearest, FindsWhatWasMistyped) {
  EXPECT_EQ(nearest("fnff", kNames), "fnf");
  EXPECT_EQ(nearest("fn", kNames), "fnf");
  EXPECT_EQ(nearest("bionmial", kNames), "binomial");  // two letters swapped
  EXPECT_EQ(nearest("chian", kNames), "chain");
}

TEST(Nearest, FindsNothingFarAway) {
  EXPECT_EQ(nearest("quicksort", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(1000, 'x'), kNames), "");
  EXPECT_EQ(nearest("fnf", {}), "");
}

TEST(Nearest, IsAQuestion) {
  EXPECT_EQ(did_you_mean("chian", kNames), "did you mean \"chain\"? ");
  EXPECT_EQ(did_you_mean("quicksort", kNames), "");
}

TEST(Nearest, GivesATieToTheEarlier) {
  const std::vector<std::string> names{"tea", "ten"};
  EXPECT_EQ(nearest("tee", names), "tea");
}

TEST(SomeNames, AreAllOfAFewInTheirOrder) {
  EXPECT_EQ(some_names("chian", kNames), "fnf, binomial, knomial, chain");
  EXPECT_EQ(some_names("chian", {}), "");
}

TEST(SomeNames, AreTheTenNearestOfMany) {
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back("multilevel " + std::to_string(i));
  many.push_back("ring");
  const std::string text = some_names("rign", many);
  EXPECT_TRUE(text.starts_with("ring, multilevel 0, multilevel 1, ")) << text;
  EXPECT_TRUE(text.ends_with(" and 31 more")) << text;
  EXPECT_TRUE(some_names(std::string(1000, 'x'), many).ends_with(" and 31 more"));
}

TEST(UnitHint, IsTheUnitThatWasMeant) {
  EXPECT_EQ(parse_bytes("64Kib").error().hint, "did you mean \"64KiB\"?");
  EXPECT_EQ(parse_bytes("64 kib").error().hint, "did you mean \"64 KiB\"?");
  EXPECT_EQ(parse_bytes("1mb").error().hint, "did you mean \"1MB\"?");
  EXPECT_EQ(parse_time("30 Ms").error().hint, "did you mean \"30 ms\"?");
  EXPECT_EQ(parse_bandwidth("1 gbit/s").error().hint, "did you mean \"1 Gbit/s\"?");
  EXPECT_EQ(parse_bandwidth("1 Gbits/s").error().hint, "did you mean \"1 Gbit/s\"?");
}

TEST(UnitHint, IsBothWhereTheyAreWorthDifferentAmounts) {
  EXPECT_EQ(parse_bytes("64K").error().hint, "did you mean \"64kB\" or \"64KiB\"?");
  EXPECT_EQ(parse_bandwidth("100Mb").error().hint, "did you mean \"100Mb/s\" or \"100MB/s\"?");
  EXPECT_EQ(parse_bandwidth("100M").error().hint, "did you mean \"100Mbit/s\" or \"100MB/s\"?");
  EXPECT_EQ(parse_bandwidth("1 mb/s").error().hint, "did you mean \"1 Mb/s\" or \"1 MB/s\"?");
}

TEST(UnitHint, SaysThatTheUnitIsMissing) {
  EXPECT_EQ(parse_time("30").error().what, "\"30\" is not a time: it has no unit");
  EXPECT_EQ(parse_bandwidth("30").error().what, "\"30\" is not a bandwidth: it has no unit");
}

TEST(UnitHint, IsTheRuleWhereNothingIsNear) {
  for (const char* text : {"3 parsecs", "many", "", "-4 KiB"}) {
    EXPECT_TRUE(parse_bytes(text).error().hint.starts_with("write a number and a unit")) << text;
  }
}

}  // namespace

}  // namespace espalier
