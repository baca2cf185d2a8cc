#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace espalier
