#include "topology/hostlist.hpp"

#include <gtest/gtest.h>

namespace espalier::topology {
namespace {

using Names = std::vector<std::string>;

TEST(Hostlist, ExpandsRangesAsSlurmDoes) {
  EXPECT_EQ(*expand_hostlist("x", 9), (Names{"x"}));
  EXPECT_EQ(*expand_hostlist("n[0-2,7]", 9), (Names{"n0", "n1", "n2", "n7"}));
  EXPECT_EQ(*expand_hostlist("n[08-11]-ib", 9), (Names{"n08-ib", "n09-ib", "n10-ib", "n11-ib"}));
  EXPECT_EQ(*expand_hostlist("r[0-1]n[0-1]", 9), (Names{"r0n0", "r0n1", "r1n0", "r1n1"}));
}

TEST(Hostlist, RefusesWhatItCannotCount) {
  for (const char* text : {"n[", "n]", "n[]", "n[a-b]", "n[2-1]", "n[0-9]", "n[0-2][0-9]",
                           "n[[0-1]]", "n[1-]", "n[-1]", "n[99999999999999999999]"}) {
    EXPECT_FALSE(expand_hostlist(text, 9)) << text;
    EXPECT_FALSE(count_hostlist(text, 9)) << text;
  }
}

// Expanding goes down one bracket at a time: a hundred thousand of them took the whole stack.
TEST(Hostlist, RefusesMoreBracketsThanAnyoneWrites) {
  std::string many = "n";
  for (int i = 0; i < 100'000; ++i) many += "[0]";
  EXPECT_FALSE(expand_hostlist(many, 9));
  EXPECT_FALSE(count_hostlist(many, 9));
}

// A thousand names of a megabyte each would take a gigabyte.
TEST(Hostlist, RefusesToMultiplyLongNames) {
  EXPECT_FALSE(expand_hostlist(std::string(1'000'000, 'n') + "[0-999]", 1000));
  EXPECT_TRUE(expand_hostlist(std::string(1000, 'n'), 1000));
}

TEST(Hostlist, KeepsItsErrorsShort) {
  for (const std::string& text :
       {"n[" + std::string(10'000, 'x') + "]", "n[9-" + std::string(10'000, '1') + "]",
        std::string(10'000, 'n') + "[2-1]"}) {
    const auto names = expand_hostlist(text, 9);
    ASSERT_FALSE(names);
    EXPECT_LT(names.error().what.size(), 300u);
  }
}

TEST(Hostlist, SplitsAtTheOuterCommas) {
  EXPECT_EQ(split_hostlist("a[1,2],b,").size(), 3u);
  EXPECT_EQ(split_hostlist("a[1,2],b")[0], "a[1,2]");
}

TEST(Hostlist, CompressesOnlyWhatItCanExpandAgain) {
  for (const Names& names : {Names{"n0", "n1", "n2"},
                             {"n08", "n09", "n10"},
                             {"n8", "n9", "n10"},
                             {"1", "2"},
                             {"n1x5", "n1x6"}}) {
    const auto text = compress_hostlist(names);
    ASSERT_TRUE(text);
    EXPECT_EQ(*expand_hostlist(*text, 99), names);
  }
  for (const Names& names : {Names{"n0"},
                             {"n0", "n2"},
                             {"n0", "m1"},
                             {"a", "b"},
                             {"n9", "n010"},
                             {"", ""},
                             {"n00", "n1"}}) {
    EXPECT_FALSE(compress_hostlist(names));
  }
}

}  // namespace
}  // namespace espalier::topology
