#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/schedules/all.hpp"
#include "support/schedules/mutate.hpp"
#include "verify/verify.hpp"

namespace espalier::verify {
namespace {

using schedule::OpKind;
using schedule::Schedule;

bool about_progress(FindingKind kind) {
  return kind <= FindingKind::Deadlock && kind != FindingKind::Overlap;
}

TEST(VerifyProgress, AcceptsWhatVerifyAcceptsAndCountsTheSameMessages) {
  for (const auto& make : test_schedules::all_makers()) {
    const Schedule schedule = make(5, 2, 6);
    const Verdict whole = verify(schedule);
    const Verdict progress = verify_progress(schedule);
    EXPECT_TRUE(progress.ok()) << test_schedules::title(schedule) << "\n" << progress;
    EXPECT_TRUE(whole.data_checked);
    EXPECT_FALSE(progress.data_checked);
    EXPECT_EQ(progress.statistics.messages, whole.statistics.messages);
    EXPECT_EQ(progress.statistics.units, whole.statistics.units);
  }
}

TEST(VerifyProgressProperty, FindsOfMutantsJustWhatVerifyFindsBeforeItLooksAtData) {
  const auto& makers = test_schedules::all_makers();
  const auto& mutations = test_schedules::all_mutations();
  std::uint64_t refused = 0;
  const bool ran_all = for_all_seeds(4000, [&](Random& rng) {
    Schedule schedule =
        makers[rng.below(makers.size())](static_cast<Rank>(rng.between(2, 6)), 0, 5);
    (void)mutations[rng.below(mutations.size())].apply(schedule, rng);
    const Verdict whole = verify(schedule);
    const Verdict progress = verify_progress(schedule);
    if (progress.ok()) {
      ASSERT_TRUE(whole.ok() || !about_progress(whole.findings[0].kind)) << whole;
    } else {
      ASSERT_EQ(whole.findings, progress.findings) << whole << "\nbut\n" << progress;
      ++refused;
    }
  });
  if (ran_all) {
    EXPECT_GT(refused, 0U);
  }
}

TEST(VerifyStages, EndWithTheOneThatRefusedAndFindingsNameIt) {
  using Stages = std::vector<Stage>;
  Schedule schedule = test_schedules::all_makers()[0](3, 0, 4);
  const Stages progress{Stage::Structure, Stage::Matching, Stage::Progress};
  EXPECT_EQ(verify_progress(schedule).stages, progress);
  const Stages all = verify(schedule).stages;
  EXPECT_EQ(Stages(all.begin() + 3, all.begin() + 5), (Stages{Stage::Races, Stage::Data}));
  schedule.programs[1].ops.clear();
  const Verdict refused = verify(schedule);
  EXPECT_EQ(refused.stages, (Stages{Stage::Structure, Stage::Matching}));
  EXPECT_EQ(refused.findings.at(0).stage, Stage::Matching);
}

TEST(VerifyProgress, IsAllThatIsSaidOfAnUnknownCall) {
  Schedule schedule = test_schedules::all_makers()[0](3, 0, 4);
  schedule.call = {};
  schedule.call.operation = schedule::Operation::Unknown;
  schedule.call.size = 3;
  for (auto& program : schedule.programs) {
    program.scratch_units = 4;
    for (auto& op : program.ops) op.from.buffer = op.to.buffer = schedule::Buffer::Scratch;
  }
  const Verdict verdict = verify(schedule);
  EXPECT_TRUE(verdict.ok()) << verdict;
  EXPECT_FALSE(verdict.data_checked);
  EXPECT_EQ(verdict.statistics.messages, 2U);
  schedule.programs[1].ops.clear();
  EXPECT_EQ(verify(schedule).findings[0].kind, FindingKind::NoPartner);
}

}  // namespace
}  // namespace espalier::verify
