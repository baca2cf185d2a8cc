#include "measure/measured.hpp"

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

using schedule::Operation;

const std::vector<MeasuredCall> kAsked{{Operation::Broadcast, Bytes{8}, 3, {}}};

TEST(Measured, AreReadFromAmongOtherLines) {
  const auto read = read_measured(
      "a note\nmeasured broadcast 8 3 wrong 1 first_us 99.5 times_us 10.5 12 11\n", kAsked);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at(0).wrong, 1U);
  EXPECT_EQ(read->at(0).first_us, 99.5);
  EXPECT_EQ(read->at(0).summary.median, 11);
}

TEST(Measured, SayWhetherTheLibraryWasAtWork) {
  EXPECT_TRUE(has_library("measured x\nlibrary saw 12\n"));
  for (const char* text : {"", "measured x\n", "library saw 0\n", "library saw 0"}) {
    EXPECT_FALSE(has_library(text)) << text;
  }
}

TEST(Measured, AreRefusedWhenSomethingIsMissing) {
  const std::string one = "measured broadcast 8 3 wrong 0 first_us 9 times_us 1\n";
  const std::string twice = one + one;
  for (const char* text :
       {"", "measured broadcast 8 3 wrong 0 first_us 9 times_us\n",
        "measured broadcast 8 3 wrong 0 first_us 9 times_us 1 x\n",
        "measured broadcast 8 2 wrong 0 first_us 9 times_us 1\n",
        "measured broadcat 8 3 wrong 0 first_us 9 times_us 1\n", twice.c_str()}) {
    EXPECT_FALSE(read_measured(text, kAsked)) << text;
  }
}

TEST(Measured, KnowUnequalLengths) {
  const std::vector<MeasuredCall> asked{{{Operation::Scatter, true}, Bytes{16}, 0, {}, {1, 3}},
                                        {{Operation::Gather, true}, Bytes{16}, 1, {1, 0}, {4, 0}}};
  EXPECT_EQ(argument_of(asked[0]), "scatterv:16:0::1+3");
  EXPECT_EQ(argument_of(asked[1]), "gatherv:16:1:1+0:4+0");
  const auto read = read_measured(
      "measured scatterv 16 0 wrong 0 first_us 9 times_us 1\n"
      "measured gatherv 16 1 wrong 0 first_us 9 times_us 1\n",
      asked);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at(1).call, asked[1]);
}

TEST(Measured, KnowTurnsOfAllRootsAndGroups) {
  const std::vector<MeasuredCall> asked{{Operation::Broadcast, Bytes{4}, kEveryRoot, {}},
                                        {Operation::Broadcast, Bytes{4}, 5, {5, 0}}};
  EXPECT_EQ(argument_of(asked[0]), "broadcast:4:all");
  EXPECT_EQ(argument_of(asked[1]), "broadcast:4:5:5+0");
  const auto read = read_measured(
      "measured broadcast 4 all wrong 0 first_us 9 times_us 1\n"
      "measured broadcast 4 5 wrong 0 first_us 9 times_us 1\n",
      asked);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at(1).call, asked[1]);
  EXPECT_FALSE(read_measured("measured broadcast 4 al wrong 0 first_us 9 times_us 1\n", asked));
}

TEST(Measured, TellMulticastsFromBroadcasts) {
  MeasuredCall call{Operation::Broadcast, Bytes{4}, 5, {5, 0}};
  const std::vector<MeasuredCall> broadcast{call};
  call.is_multicast = true;
  EXPECT_EQ(argument_of(call), "multicast:4:5:5+0");
  const std::string line = "measured multicast 4 5 wrong 0 first_us 9 times_us 1\n";
  const auto read = read_measured(line, {call});
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at(0).call, call);
  EXPECT_FALSE(read_measured(line, broadcast));
}

TEST(Measured, WithoutACommonClockOnlyWhatARootSendsIsTimed) {
  EXPECT_EQ(clocks_called("ack").value(), Clocks::Acknowledged);
  EXPECT_FALSE(clocks_called("sundial"));
  EXPECT_TRUE(can_measure(Clocks::Acknowledged, Operation::Scatter));
  EXPECT_FALSE(can_measure(Clocks::Acknowledged, Operation::Allreduce));
  EXPECT_TRUE(can_measure(Clocks::Shared, Operation::Allreduce));
}

TEST(Measured, CallsAreAllCombinationsThatMakeSense) {
  const auto calls = all_calls({Operation::Barrier, Operation::Reduce, Operation::Allreduce},
                               {Bytes{8}, Bytes{64}}, {0, 5});
  std::vector<std::string> words;
  for (const MeasuredCall& c : calls) words.push_back(argument_of(c));
  EXPECT_EQ(words,
            (std::vector<std::string>{"barrier:0:0", "reduce:8:0", "reduce:8:5", "reduce:64:0",
                                      "reduce:64:5", "allreduce:8:0", "allreduce:64:0"}));
}

}  // namespace
}  // namespace espalier::measure
