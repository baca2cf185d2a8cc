#include "measure/measured.hpp"

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

using schedule::Operation;

const std::vector<MeasuredCall> kAsked{{Operation::Broadcast, Bytes{8}, 3}};

TEST(Measured, AreReadFromAmongOtherLines) {
  const auto read = read_measured(
      "a note\nmeasured broadcast 8 3 wrong 1 first_us 99.5 times_us 10.5 12 11\n", kAsked);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at(0).wrong, 1U);
  EXPECT_EQ(read->at(0).first_us, 99.5);
  EXPECT_EQ(read->at(0).summary.median, 11);
}

TEST(Measured, AreRefusedWhenSomethingIsMissing) {
  for (const char* text : {"", "measured broadcast 8 3 wrong 0 first_us 9 times_us\n",
                           "measured broadcast 8 3 wrong 0 first_us 9 times_us 1 x\n",
                           "measured broadcast 8 2 wrong 0 first_us 9 times_us 1\n",
                           "measured broadcat 8 3 wrong 0 first_us 9 times_us 1\n",
                           "measured broadcast 8 3 wrong 0 first_us 9 times_us 1\n"
                           "measured broadcast 8 3 wrong 0 first_us 9 times_us 1\n"}) {
    EXPECT_FALSE(read_measured(text, kAsked)) << text;
  }
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
