#include "runtime/kept_start.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::runtime {
namespace {

constexpr std::int64_t kDay = 24 * 3600, kBegin = 1'000'000'000;

KeptStart some() {
  KeptStart kept;
  kept.machine = *topology::parse_synthetic("site:2(10ms) host:1|2(250us)");
  kept.words = {"2 sites"};
  kept.verdicts.set(1, CallClass{}, "ring");
  kept.runs.note("program", 12);
  kept.measured = kept.decided = kBegin;
  return kept;
}

TEST(KeptStart, ComesBackAsItWas) {
  const auto back = kept_from(still_young(to_text(some(), kBegin), kBegin + kDay).for_all, 3);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->machine, some().machine);
  EXPECT_EQ(back->words, some().words);
  EXPECT_EQ(back->verdicts.to_text(), some().verdicts.to_text());
  EXPECT_EQ(back->runs.expected("program"), some().runs.expected("program"));
  EXPECT_EQ(back->measured, kBegin);
  EXPECT_EQ(back->decided, kBegin);
}

TEST(KeptStart, GrowsOldThoughEveryRunKeepsIt) {
  KeptStart kept = some();
  for (std::int64_t day = 1; day <= 10; ++day) {
    const std::int64_t now = kBegin + day * kDay;
    const YoungStart young = still_young(to_text(kept, now - kDay), now);
    EXPECT_EQ(young.for_all.empty(), day > 7) << "day " << day;
    EXPECT_GT(young.runs.expected("program"), 0) << "day " << day;
    const auto back = kept_from(young.for_all, 3);
    EXPECT_EQ(back.has_value(), day <= 7) << "day " << day;
    kept = back.value_or(KeptStart{});
    kept.runs = young.runs;
  }
}

TEST(KeptStart, LeavesOutOnlyWhatIsOld) {
  KeptStart kept = some();
  kept.measured = kBegin + 3 * kDay;
  const auto back =
      kept_from(still_young(to_text(kept, kBegin + 3 * kDay), kBegin + 8 * kDay).for_all, 3);
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->machine);
  EXPECT_TRUE(back->verdicts.empty());
}

TEST(KeptStart, OfTimesAloneIsForTheFirstRankOnly) {
  KeptStart kept = some();
  const auto for_all = [&] { return still_young(to_text(kept, kBegin), kBegin).for_all; };
  EXPECT_NE(for_all(), "");
  kept.machine.reset();
  EXPECT_NE(for_all(), "");
  kept.verdicts = {};
  EXPECT_EQ(for_all(), "");
  EXPECT_GT(still_young(to_text(kept, kBegin), kBegin).runs.expected("program"), 0);
}

TEST(KeptStart, IsNeverLongerThanWhatIsRead) {
  KeptStart kept = some();
  for (std::uint64_t where = 0; where < 10'000; ++where) {
    kept.verdicts.set(where, CallClass{}, "binomial over clusters, then pairwise exchange");
  }
  const std::string text = to_text(kept, kBegin);
  EXPECT_LE(text.size(), kLongestKept);
  const YoungStart young = still_young(text, kBegin);
  EXPECT_GT(young.runs.expected("program"), 0);
  const auto back = kept_from(young.for_all, 3);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->machine, kept.machine);
  EXPECT_TRUE(back->verdicts.empty());
}

TEST(KeptStart, IsNothingIfItIsBroken) {
  for (const char* text :
       {"", "no", "[]", "{}", R"({"made": "today"})", R"({"made": 1000000000, "measured": []})"}) {
    EXPECT_EQ(still_young(text, kBegin).for_all, "") << text;
    EXPECT_TRUE(still_young(text, kBegin).runs.all().empty()) << text;
    EXPECT_FALSE(kept_from(text, 3)) << text;
  }
  const YoungStart young = still_young(to_text(some(), kBegin), kBegin - 1);
  EXPECT_EQ(young.for_all, "") << "from the future";
  EXPECT_TRUE(young.runs.all().empty()) << "from the future";
  EXPECT_FALSE(kept_from(to_text(some(), kBegin), 4)) << "of another size";
}

}  // namespace
}  // namespace espalier::runtime
