#include <gtest/gtest.h>

#include "formats/load_schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "support/schedules/all.hpp"
#include "support/schedules/mutate.hpp"
#include "support/test_data.hpp"
#include "verify/verify.hpp"

namespace espalier::formats {
namespace {

using schedule::Schedule;

TEST(Goal, ReadsABarrier) {
  const auto read = read_goal(test_data("goal/dissemination.goal"), "f.goal");
  ASSERT_TRUE(read) << read.error();
  const verify::Verdict verdict = verify::verify(read->schedule);
  EXPECT_TRUE(verdict.ok()) << verdict;
  EXPECT_FALSE(verdict.data_checked);
  EXPECT_EQ(verdict.statistics.messages, 8U);
  EXPECT_EQ(verdict.statistics.bytes, Bytes{8});
  EXPECT_EQ(read->schedule.programs[3].ops[0].takes, nanoseconds(1500));
}

TEST(Goal, PairsEqualTagsInTheOrderOfTheText) {
  const auto read = read_goal(
      "num_ranks 2\nrank 0 {\nsend 10b to 1 tag 5\nsend 20b to 1 tag 5\nsend 30b to 1\n}\n"
      "rank 1 {\nrecv 30b from 0\nrecv 10b from 0 tag 5\nrecv 20b from 0 tag 5\n}\n",
      "f.goal");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->notes.size(), 1U);
  EXPECT_TRUE(verify::verify(read->schedule).ok()) << verify::verify(read->schedule);
}

TEST(Goal, WaitsForABeginWhereItIsTold) {
  const auto read = read_goal(
      "num_ranks 1\nrank 0 {\na: calc 10; b: calc 20; c: calc 30\nb requires a\nc irequires b\n}\n",
      "f.goal");
  ASSERT_TRUE(read) << read.error();
  const schedule::Program& program = read->schedule.programs[0];
  ASSERT_EQ(program.ops.size(), 3U);
  ASSERT_EQ(program.ops[2].dep_count, 1U);
  EXPECT_EQ(program.deps_of(program.ops[2])[0], 0U);  // what b waits for
  EXPECT_EQ(program.ops[2].takes, nanoseconds(30));
}

TEST(Goal, FindsDeadlocksAndMessagesWithoutPartner) {
  const auto crossed = read_goal(
      "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
      "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n",
      "f.goal");
  ASSERT_TRUE(crossed) << crossed.error();
  EXPECT_EQ(verify::verify(crossed->schedule).findings.at(0).kind, verify::FindingKind::Deadlock);
  const auto alone = read_goal("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 { }", "f.goal");
  ASSERT_TRUE(alone) << alone.error();
  EXPECT_EQ(verify::verify(alone->schedule).findings.at(0).kind, verify::FindingKind::NoPartner);
}

void expect_refused(const std::string& text, const std::string& where, const std::string& what) {
  const auto read = read_goal(text, "f.goal");
  ASSERT_FALSE(read) << text;
  EXPECT_EQ(read.error().where, where) << read.error();
  EXPECT_NE(read.error().what.find(what), std::string::npos) << read.error();
  EXPECT_FALSE(read.error().hint.empty());
}

TEST(Goal, RefusesWhatIsNoScheduleAndSaysWhere) {
  const std::string head = "num_ranks 2\nrank 1 { }\nrank 0 {\n";
  expect_refused("", "f.goal:1", "expected \"num_ranks N\"");
  expect_refused("num_ranks 0\n", "f.goal:1", "no ranks");
  expect_refused("num_ranks 16777217\n", "f.goal:1", "the number of ranks is 16777217");
  expect_refused("num_ranks 16777216\n", "f.goal:1", "rank 0 has no block");
  expect_refused("num_ranks 2\nrank 0 { }\nrank 0 { }\n", "f.goal:3", "rank 0 stands twice");
  expect_refused("num_ranks 2\nrank 2 { }\n", "f.goal:2", "the rank is 2");
  expect_refused(head + "send 1b to 2\n}", "f.goal:4", "the other rank is 2");
  expect_refused(head + "send 1 to 1\n}", "f.goal:4", "found \"to\", expected \"b\"");
  expect_refused(head + "send 1b from 1\n}", "f.goal:4", "expected \"to\"");
  expect_refused(head + "recv 1b from -1\n}", "f.goal:4", "any sender");
  expect_refused(head + "recv 1b from 1 tag -1\n}", "f.goal:4", "any tag");
  expect_refused(head + "send 99999999999999999999b to 1\n}", "f.goal:4", "the bytes of a message");
  expect_refused(head + "calc 9223372036854775807\n}", "f.goal:4", "nanoseconds");
  expect_refused(head + "a: calc 1\na: calc 2\n}", "f.goal:5", "stands twice");
  expect_refused(head + "a: calc 1\na requires b\n}", "f.goal:5", "no operation \"b\"");
  expect_refused(head + "a: calc 1\nb: calc 1\na requires b\nb requires a\n}", "f.goal:3",
                 "circle");
  expect_refused(head + "a: calc 1\na requires a\n}", "f.goal:3", "circle");
  expect_refused(head + "sing 1b to 1\n}", "f.goal:4", "unknown word \"sing\"");
  expect_refused(head + "calc 1", "f.goal:4", "the end of the file");
  expect_refused(head + "/* calc 1 }", "f.goal:4", "a comment without end");
}

TEST(GoalProperty, KeepsMessagesAndBytes) {
  const auto& makers = test_schedules::all_makers();
  for_all_seeds(400, [&](Random& rng) {
    const auto p = static_cast<Rank>(rng.between(1, 9));
    const Schedule schedule =
        makers[rng.below(makers.size())](p, static_cast<Rank>(rng.below(p)), rng.below(20));
    SCOPED_TRACE(test_schedules::title(schedule));
    const auto text = write_goal(schedule);
    ASSERT_TRUE(text) << text.error();
    const auto again = read_goal(text->text, "f.goal");
    ASSERT_TRUE(again) << again.error() << text->text;
    EXPECT_TRUE(again->notes.empty());
    const verify::Verdict before = verify::verify(schedule);
    const verify::Verdict after = verify::verify(again->schedule);
    ASSERT_TRUE(after.ok()) << after;
    EXPECT_EQ(after.statistics.messages, before.statistics.messages);
    EXPECT_EQ(after.statistics.bytes, before.statistics.bytes);
  });
}

TEST(GoalProperty, WritesMutantsOrRefusesThem) {
  const auto& makers = test_schedules::all_makers();
  const auto& mutations = test_schedules::all_mutations();
  int written = 0;
  const bool ran_all = for_all_seeds(1500, [&](Random& rng) {
    Schedule schedule =
        makers[rng.below(makers.size())](static_cast<Rank>(rng.between(2, 6)), 0, 5);
    (void)mutations[rng.below(mutations.size())].apply(schedule, rng);
    const auto text = write_goal(schedule);
    if (!text) return;
    ++written;
    const auto again = read_goal(text->text, "f.goal");
    ASSERT_TRUE(again) << again.error() << text->text;
    if (again->notes.empty()) {
      EXPECT_EQ(verify::verify(again->schedule).ok(), verify::verify_progress(schedule).ok());
    }
  });
  if (ran_all) {
    EXPECT_GT(written, 700);
  }
}

TEST(Goal, ChargesForLocalWorkWhatItIsTold) {
  const Schedule schedule =
      test_schedules::reduce_flat(test_schedules::call_of(schedule::Operation::Reduce, 2, 0, 125));
  const auto text =
      write_goal(schedule, {.reduce = bytes_per_second(1'000'000'000), .copy = kUnlimited});
  ASSERT_TRUE(text) << text.error();
  EXPECT_NE(text->text.find("calc 1000\n"), std::string::npos) << text->text;
  EXPECT_NE(text->text.find("calc 0\n"), std::string::npos) << text->text;
}

}  // namespace
}  // namespace espalier::formats
