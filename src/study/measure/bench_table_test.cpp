#include "measure/bench_table.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "topology/load_machine.hpp"

namespace espalier::measure {
namespace {

using schedule::Operation;

/// Two roots and two sizes under MPICH and Espalier on it; a bound of 10 ms.
Bench bench(std::uint64_t wrong = 0) {
  Bench b;
  b.calls = all_calls({Operation::Broadcast}, {Bytes{8}, Bytes{1024}}, {0, 1});
  b.bounds.assign(b.calls.size(), milliseconds(10));
  b.stacks = stacks_called("mpich,mpich+espalier").value();
  for (const double factor : {2.0, 1.0}) {
    std::vector<MeasuredTimes> all;
    for (const MeasuredCall& call : b.calls) {
      const double us = factor * (call.root == 0 ? 10'000 : 14'000);
      MeasuredTimes m{call, factor == 1.0 ? wrong : 0, 99, {us, us, us, us, us}, {}};
      m.summary = summarize(m.times_us);
      all.push_back(m);
    }
    b.measured.push_back(all);
  }
  return b;
}

TEST(BenchTable, HasMeansOverRootsAndRatios) {
  const std::string text = to_text(summary_table(bench()), {.colour = false, .width = 120});
  EXPECT_NE(text.find("10.00"), std::string::npos) << text;
  EXPECT_NE(text.find("24.00   2.40x"), std::string::npos) << text;
  EXPECT_NE(text.find("12.00   1.20x"), std::string::npos) << text;
  EXPECT_NE(text.find("0.50"), std::string::npos) << text;
}

TEST(BenchTable, SaysWhatItsRatiosDivide) {
  EXPECT_EQ(
      about_summary(bench()),
      "x: a time through the bound; to best peer: the time of the fastest stack with Espalier "
      "through that of the fastest without, below 1 where Espalier is ahead");
  Bench peers = bench();
  peers.stacks.resize(1);
  EXPECT_EQ(about_summary(peers), "x: a time through the bound");
}

TEST(BenchTable, CallsWrongResultsWrong) {
  const std::string text =
      to_text(summary_table(bench(/*wrong=*/1)), {.colour = false, .width = 120});
  EXPECT_NE(text.find("WRONG"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.50"), std::string::npos) << text;
}

TEST(BenchTable, KeepsEveryTimeInJson) {
  const auto machine = topology::load_machine("node:2(1ms) proc:1").value().machine;
  const auto json = to_json(bench(), machine);
  ASSERT_EQ(json["results"].size(), 8U);
  EXPECT_EQ(json["results"][1]["stack"], "mpich+espalier");
  EXPECT_EQ(json["results"][1]["times_us"].size(), 5U);
  EXPECT_EQ(json["results"][1]["bound_us"], 10000.0);
}

TEST(BenchTable, DrawsOperationsWithSeveralSizes) {
  EXPECT_NE(to_svg(bench(), Operation::Broadcast).find("<svg"), std::string::npos);
  EXPECT_EQ(to_svg(bench(), Operation::Reduce), "");
}

TEST(Stacks, AreRefusedIfUnknown) {
  EXPECT_FALSE(stacks_called("mpich,lam"));
  EXPECT_FALSE(stacks_called(""));
}

}  // namespace
}  // namespace espalier::measure
