#include "schedule/json.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/schedules/all.hpp"
#include "support/schedules/mutate.hpp"

namespace espalier::schedule {
namespace {

void expect_round_trip(const Schedule& schedule) {
  const std::string text = write_json(schedule);
  const auto again = read_json(text, "x.json");
  ASSERT_TRUE(again) << again.error() << "\n" << text;
  EXPECT_EQ(*again == schedule, true) << text;
  EXPECT_EQ(hash_of(*again), hash_of(schedule));
  EXPECT_EQ(write_json(*again), text);
}

TEST(ScheduleJson, GivesBackEveryHandWrittenSchedule) {
  for (const auto& make : test_schedules::all_makers()) {
    for (const Rank p : {1U, 2U, 5U, 8U}) {
      const Schedule schedule = make(p, p / 2, 7);
      SCOPED_TRACE(test_schedules::title(schedule));
      expect_round_trip(schedule);
    }
  }
}

TEST(ScheduleJson, GivesBackFieldsThatAnOpOfItsKindDoesNotUse) {
  Schedule schedule;
  schedule.algorithm = "odd \"name\"\n";
  schedule.programs.resize(1);
  Program& program = schedule.programs[0];
  program.sets.push_back(IndexSet::range(0, 1));
  Op op;
  op.kind = OpKind::Copy;
  op.tag = 3;
  op.peers = 1;
  op.peer_stride = 9;
  op.operands = Operands::ToThenFrom;
  program.ops.push_back(op);
  op.kind = OpKind::Compute;
  op.takes = microseconds(3);
  op.dep_count = 1;
  program.deps.push_back(0);
  program.ops.push_back(op);
  expect_round_trip(schedule);
}

/// A schedule of two ranks with one op of rank 0 put in.
std::string with_op(const std::string& op, const std::string& sets = "") {
  return "{\"format\": \"espalier-schedule-1\",\n\"call\": {\"operation\":\"allgather\","
         "\"ranks\":2,\"count\":4},\n\"programs\": [\n{\"rank\":0,\"sets\":[" +
         sets + "],\"ops\":[\n" + op + "]},\n{\"rank\":1,\"ops\":[]}]}";
}

TEST(ScheduleJson, KnowsTheLineOfEachOp) {
  const std::string barrier = "{\"op\":\"send\",\"peer\":1},\n{\"op\":\"recv\",\"peer\":1}";
  EXPECT_EQ(op_lines(with_op(barrier)), (std::vector<std::vector<std::uint32_t>>{{5, 6}, {}}));
  EXPECT_TRUE(op_lines("{").empty());
  EXPECT_TRUE(op_lines("{}").empty());
}

void expect_refusal(const std::string& text, const std::string& where, const std::string& what) {
  const auto read = read_json(text, "x.json");
  ASSERT_FALSE(read) << text;
  EXPECT_EQ(read.error().where, where) << read.error();
  EXPECT_NE(read.error().what.find(what), std::string::npos) << read.error();
  EXPECT_FALSE(read.error().hint.empty()) << read.error();
}

TEST(ScheduleJson, RefusesWhatNoProgramCanHaveAndSaysWhere) {
  ASSERT_TRUE(read_json(with_op(R"({"op":"send","peer":1,"tag":0,"from":["in",0,4]})"), "x"));
  const auto refuse_op = [](const std::string& op, const std::string& what) {
    expect_refusal(with_op(op), "x.json:5", what);
  };
  refuse_op(R"({"op":"shout","peer":1})", "\"op\": there is no \"shout\"");
  refuse_op(R"({"op":"send","peer":2,"from":["in",0,4]})",
            "\"peer\" is 2, not a whole number up to 1");
  refuse_op(R"({"op":"send","from":["in",0,4]})", "no peer");
  refuse_op(R"({"op":"send","peer":1,"peers":0})", "both");
  refuse_op(R"({"op":"copy","from":["in",0,4],"to":["out",0,4],"after":[0]})",
            "op 0 waits for op 0");
  refuse_op(R"({"op":"copy","from":["in",18446744073709551615,4]})",
            "the offset is 18446744073709551615");
  refuse_op(R"({"op":"copy","from":["in",4611686018427387904,4]})",
            "beyond what any buffer can hold");
  refuse_op(R"({"op":"copy","from":["in",0,4,[1,0],[0,0]]})", "the number of a set is 1");
  refuse_op(R"({"op":"copy","from":["attic",0,4]})", "the buffer: there is no \"attic\"");
  refuse_op(R"({"op":"copy","from":["in",0]})", "a region of 2 parts");
  refuse_op(R"({"op":"compute","takes_ps":-1})", "is -1, not a whole number");
  refuse_op(R"({"op":"copy","form":["in",0,4]})", "unknown key \"form\"");
}

TEST(ScheduleJson, RefusesSetsThatWouldNeverEnd) {
  const std::string op = R"({"op":"copy"})";
  expect_refusal(with_op(op, "[[0,1152921504606846976,1]]"), "x.json:4", "the count of a run");
  expect_refusal(with_op(op, "[[0,4294967296,4611686018427387904]]"), "x.json:4",
                 "beyond what can be");
  expect_refusal(with_op(op, "[[0,4294967296,1],[0,4294967296,1]]"), "x.json:4",
                 "beyond what can be");
  expect_refusal(with_op(op, "[[0,0,1]]"), "x.json:4", "a run of no indices");
  expect_refusal(with_op(op, "[[0,1]]"), "x.json:4", "a run of 2 numbers");
  // Two axes of 2^32 slices each are one region of 2^64.
  expect_refusal(with_op(R"({"op":"copy","from":["in",0,1,[1,1],[1,1]]})", "[[0,4294967296,1]]"),
                 "x.json:5", "beyond what any buffer can hold");
  expect_refusal(with_op(R"({"op":"send","peers":1,"from":["in",0,1]})", "[[0,3,1]]"), "x.json:5",
                 "peers up to rank 2");
  expect_refusal(
      with_op(R"({"op":"send","peers":1,"peer_stride":4611686018427387904,"from":["in",0,1]})",
              "[[1,1,1]]"),
      "x.json:5", "beyond what any buffer can hold");
}

TEST(ScheduleJson, RefusesCallsThatCannotBe) {
  const auto with_call = [](const std::string& call) {
    return "{\"format\": \"espalier-schedule-1\",\n\"call\": " + call + ",\n\"programs\": []}";
  };
  expect_refusal(with_call(R"({"operation":"allsum","ranks":2})"), "x.json:2",
                 "no operation \"allsum\"");
  expect_refusal(with_call(R"({"operation":"barrier","ranks":0})"), "x.json:2", "no ranks");
  expect_refusal(with_call(R"({"operation":"barrier","ranks":4000000000})"), "x.json:2",
                 "\"ranks\" is 4000000000");
  expect_refusal(with_call(R"({"operation":"reduce","ranks":2,"root":2})"), "x.json:2",
                 "\"root\" is 2");
  expect_refusal(with_call(R"({"operation":"reduce","ranks":4,"count":4611686018427387904})"),
                 "x.json:2", "\"count\"");
  expect_refusal(with_call(R"({"operation":"allgather","ranks":4,"counts":[1,2]})"), "x.json:2",
                 "2 counts for 4 blocks");
  expect_refusal(with_call(R"({"operation":"unknown","ranks":4,"count":1})"), "x.json:2",
                 "unknown operation");
  expect_refusal(with_call(R"({"operation":"barrier","ranks":2})"), "x.json:3",
                 "0 programs for 2 ranks");
  expect_refusal("{}", "x.json:1", "no \"format\"");
  expect_refusal("[", "x.json:1", "");
}

/// A mutated program is read as it is, or refused; never lost.
TEST(ScheduleJsonProperty, GivesBackMutantsOrRefusesThem) {
  const auto& makers = test_schedules::all_makers();
  for_all_seeds(1500, [&](Random& rng) {
    const auto p = static_cast<Rank>(rng.between(2, 7));
    Schedule schedule = makers[rng.below(makers.size())](p, 1, rng.below(9));
    const auto& mutations = test_schedules::all_mutations();
    (void)mutations[rng.below(mutations.size())].apply(schedule, rng);
    const auto again = read_json(write_json(schedule), "x.json");
    if (again) {
      ASSERT_EQ(*again == schedule, true) << write_json(schedule);
    } else {
      ASSERT_EQ(again.error().where.rfind("x.json:", 0), 0U) << again.error();
    }
  });
}

}  // namespace
}  // namespace espalier::schedule
