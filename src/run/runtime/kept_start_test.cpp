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
  const auto back = kept_from(still_young(to_text(some(), kBegin), kBegin + kDay), 3);
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
    const auto back = kept_from(still_young(to_text(kept, now - kDay), now), 3);
    ASSERT_TRUE(back) << "day " << day;
    EXPECT_EQ(back->machine.has_value(), day <= 7) << "day " << day;
    EXPECT_EQ(back->verdicts.empty(), day > 7) << "day " << day;
    EXPECT_GT(back->runs.expected("program"), 0) << "day " << day;
    kept = *back;
  }
}

TEST(KeptStart, OfTimesAloneIsForTheFirstRankOnly) {
  KeptStart kept = some();
  EXPECT_TRUE(is_for_all(to_text(kept, kBegin)));
  kept.machine.reset();
  EXPECT_TRUE(is_for_all(to_text(kept, kBegin)));
  kept.verdicts = {};
  EXPECT_FALSE(is_for_all(to_text(kept, kBegin)));
  EXPECT_FALSE(is_for_all(""));
}

TEST(KeptStart, IsNothingIfItIsBroken) {
  for (const char* text :
       {"", "no", "[]", "{}", R"({"made": "today"})", R"({"made": 1000000000, "measured": []})"}) {
    EXPECT_EQ(still_young(text, kBegin), "") << text;
    EXPECT_FALSE(kept_from(text, 3)) << text;
  }
  EXPECT_EQ(still_young(to_text(some(), kBegin), kBegin - 1), "") << "from the future";
  EXPECT_FALSE(kept_from(to_text(some(), kBegin), 4)) << "of another size";
}

}  // namespace
}  // namespace espalier::runtime
