#include "view/answers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/json.hpp"
#include "bound/lower_bound.hpp"
#include "schedule/json.hpp"
#include "sim/simulate.hpp"
#include "topology/readers.hpp"
#include "view/api.hpp"
#include "view/grid.hpp"
#include "view/page.hpp"
#include "view/plan_table.hpp"

namespace espalier::view {
namespace {

using topology::Machine;

constexpr const char* kGrid = "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)";

Answers grid_answers() { return Answers(Subject{*topology::parse_synthetic(kGrid), "grid"}); }

Json answered(Answers& answers, const std::string& query) {
  const auto read = read_query(query, answers.subject().machine);
  EXPECT_TRUE(read) << (read ? "" : read.error().what);
  return Json::parse(answers.plan(*read).value());
}

TEST(ViewAnswers, ThePlanIsTheChoosersAndItsTimeTheSimulators) {
  Answers answers = grid_answers();
  const Json document = answered(answers, R"({"operation": "broadcast", "size_bytes": 65536})");
  const Machine& machine = answers.subject().machine;
  const schedule::Collective call{
      schedule::Operation::Broadcast, machine.size(), 0, 65536, Bytes{1}, true, {}};
  const collective::Hierarchy hierarchy(machine);
  select::Chooser chooser(hierarchy);
  const select::PlanChoice best = chooser.choose(call, select::WhichPlan::Best);
  EXPECT_EQ(document["plan"], name_of(*best.plan, call));
  EXPECT_EQ(document["chosen"], document["plan"]);
  EXPECT_EQ(document["bound"]["ps"], bound::lower_bound(machine, call).value.picoseconds);
  const auto candidate = candidate_of(*best.plan, hierarchy, call);
  const sim::SimResult result = sim::simulate(call, candidate.program_of, machine);
  const Json& timeline = document["timelines"][0];
  EXPECT_EQ(timeline["kind"], "simulated");
  EXPECT_EQ(timeline["finish_ps"], result.finish.picoseconds);
  EXPECT_EQ(timeline["messages"]["from"].size(), result.messages);
  for (const char* column : {"to", "bytes", "level", "send_begin", "send_end", "flows", "arrived",
                             "recv_begin", "recv_end"}) {
    EXPECT_EQ(timeline["messages"][column].size(), result.messages) << column;
  }
  // Ticks are fine enough: the last message arrives within a millionth of the finish.
  const Json& arrived = timeline["messages"]["arrived"];
  const auto last = std::ranges::max(arrived.get<std::vector<std::int64_t>>());
  const auto finish = result.finish.picoseconds;
  EXPECT_NEAR(static_cast<double>(last * timeline["tick_ps"].get<std::int64_t>()),
              static_cast<double>(finish), static_cast<double>(finish) / 1e5);
}

TEST(ViewAnswers, AreTheSameWhateverWasAskedBefore) {
  const auto query = [](const char* plan, int latency) {
    return fmt::format(R"({{"operation": "broadcast", "size_bytes": 1024, "plan": "{}",
        "levels": [{{"level": 0, "latency": {}, "bandwidth": 1000}}]}})",
                       plan, latency);
  };
  Answers asked = grid_answers();
  for (const int latency : {1000, 100, 500, 2000, 10000, 1000, 2000}) {
    for (const char* plan : {"", "binomial", "", "flat"}) {
      Answers fresh = grid_answers();
      EXPECT_EQ(answered(asked, query(plan, latency)), answered(fresh, query(plan, latency)))
          << plan << " " << latency;
    }
  }
}

TEST(ViewAnswers, ShowsAnyCandidateAndRefusesOthers) {
  Answers answers = grid_answers();
  const Json document =
      answered(answers, R"({"operation": "broadcast", "size_bytes": 1024, "plan": "binomial"})");
  EXPECT_EQ(document["plan"], "binomial");
  EXPECT_NE(document["chosen"], "binomial");
  Query query;
  query.plan = "no such plan";
  const auto refused = answers.plan(query);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("no such plan"), std::string::npos);
}

TEST(ViewAnswers, KindsLeaveOutShapesAndSegments) {
  EXPECT_EQ(plan_kind("ring"), "ring");
  EXPECT_EQ(plan_kind("chain 4 KiB"), "chain");
  EXPECT_EQ(plan_kind("multilevel flat/chain 4 KiB"), "multilevel");
  EXPECT_EQ(plan_kind("multilevel exchange/flat 16 KiB"), "multilevel exchange");
}

TEST(ViewAnswers, EveryOperationHasAPlan) {
  Answers answers = grid_answers();
  const Json overview = Json::parse(answers.overview());
  EXPECT_EQ(overview["machine"]["processes"], 12);
  ASSERT_EQ(overview["operations"].size(), 11U);
  for (const Json& operation : overview["operations"]) {
    const Json document = answered(
        answers, Json{{"operation", operation["name"]}, {"size_bytes", 100}, {"root", 5}}.dump());
    EXPECT_FALSE(document["timelines"].empty()) << operation;
    EXPECT_FALSE(document["candidates"].empty()) << operation;
    EXPECT_EQ(document["call"]["root"], operation["has_root"].get<bool>() ? 5 : 0);
  }
}

TEST(ViewAnswers, WhatIfChangesTheMachine) {
  Answers answers = grid_answers();
  const auto finish = [&](const std::string& changes) {
    return answered(answers, R"({"operation": "broadcast", "size_bytes": 8)" + changes +
                                 "}")["timelines"][0]["finish_ps"]
        .get<std::int64_t>();
  };
  const std::int64_t before = finish("");
  EXPECT_GT(finish(R"(, "levels": [{"level": 0, "latency": 2000, "bandwidth": 1000}])"),
            before + milliseconds(29).picoseconds);
  EXPECT_LT(finish(R"(, "levels": [{"level": 0, "latency": 500, "bandwidth": 1000}])"), before);
  EXPECT_GT(finish(R"(, "nodes": [{"rank": 0, "message_ps": 50000000000}])"),
            before + milliseconds(49).picoseconds);
  EXPECT_EQ(finish(R"(, "quick": true)"), before);
  // Root 0 alone at the other site: its message has to come back for the three that were near.
  const Json moved = answered(
      answers, R"({"operation": "broadcast", "size_bytes": 8, "swaps": [[0, 11], [1, 2]]})");
  EXPECT_NE(moved["timelines"][0]["messages"], Json());
  EXPECT_EQ(finish(""), before);
}

TEST(ViewAnswers, ShowsAScheduleFromAFile) {
  const Machine machine = *topology::parse_synthetic(kGrid);
  const collective::Hierarchy hierarchy(machine);
  const schedule::Collective call{
      schedule::Operation::Broadcast, machine.size(), 0, 64, Bytes{1}, true, {}};
  const auto candidate = select::candidate_called("flat", hierarchy, call);
  ASSERT_TRUE(candidate);
  Answers answers(Subject{machine, "grid", schedule_of(*candidate, call), {}});
  const Json document = answered(answers, Json{{"operation", "broadcast"},
                                               {"size_bytes", 64},
                                               {"plan", std::string(Answers::kFromFile)}}
                                              .dump());
  EXPECT_EQ(document["plan"], std::string(Answers::kFromFile));
  EXPECT_EQ(document["messages"], 11);
  const Json other = answered(answers, R"({"operation": "barrier", "size_bytes": 1})");
  EXPECT_EQ(other["plan"], other["chosen"]);
}

/// Rank 0 waits for a tag that rank 2 of the other site never sends, so its own message, to a rank
/// of its own machine, never leaves.
TEST(ViewAnswers, TellsThatAScheduleFromAFileNeverEnds) {
  const Machine machine = *topology::parse_synthetic("site:2(30ms,100Mbit/s) proc:2(5us)");
  const auto schedule = schedule::read_json(R"({"format": "espalier-schedule-1",
      "call": {"operation": "barrier", "ranks": 4},
      "programs": [
        {"rank": 0, "ops": [{"op": "recv", "peer": 2, "tag": 7},
                            {"op": "send", "peer": 1, "tag": 0, "after": [0]}]},
        {"rank": 1, "ops": [{"op": "recv", "peer": 0, "tag": 0}]},
        {"rank": 2, "ops": [{"op": "send", "peer": 0, "tag": 6}]},
        {"rank": 3, "ops": []}]})",
                                            "stuck.json");
  ASSERT_TRUE(schedule) << schedule.error();
  Answers answers(Subject{machine, "sites", *schedule, {}});
  Query query;
  query.operation = schedule::Operation::Barrier;
  query.plan = Answers::kFromFile;
  const auto shown = answers.shown(query);
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->never_ends);
  const Json timeline = Json::parse(shown->document)["timelines"][0];
  EXPECT_EQ(timeline["finish_ps"], nullptr);
  // The colour of a message that never leaves is that of the level it would take.
  ASSERT_EQ(timeline["messages"]["from"].size(), 1U);
  EXPECT_EQ(timeline["messages"]["arrived"][0], nullptr);
  EXPECT_EQ(timeline["messages"]["level"][0], 1);
  query.plan = "";
  EXPECT_FALSE(answers.shown(query)->never_ends);
}

TEST(ViewQuery, RefusesWhatItDoesNotUnderstand) {
  const Machine machine = *topology::parse_synthetic(kGrid);
  for (
      const char* text :
      {"", "[]", "{", "{}", R"({"operation": "broadcast"})",
       R"({"operation": "bcast", "size_bytes": 8})", R"({"operation": 3, "size_bytes": 8})",
       R"({"operation": "broadcast", "size_bytes": 0})",
       R"({"operation": "broadcast", "size_bytes": -1})",
       R"({"operation": "broadcast", "size_bytes": 1e30})",
       R"({"operation": "broadcast", "size_bytes": 8, "root": 12})",
       R"({"operation": "broadcast", "size_bytes": 8, "other": 1})",
       R"({"operation": "broadcast", "size_bytes": 8, "quick": 1})",
       R"({"operation": "broadcast", "size_bytes": 8, "levels": [{"level": 3, "latency": 1, "bandwidth": 1}]})",
       R"({"operation": "broadcast", "size_bytes": 8, "levels": [{"level": 0, "latency": 0, "bandwidth": 1}]})",
       R"({"operation": "broadcast", "size_bytes": 8, "levels": {}})",
       R"({"operation": "broadcast", "size_bytes": 8, "nodes": [{"rank": 0}]})",
       R"({"operation": "broadcast", "size_bytes": 8, "swaps": [[0, 12]]})",
       R"({"operation": "broadcast", "size_bytes": 8, "swaps": [[0]]})"}) {
    EXPECT_FALSE(read_query(text, machine)) << text;
  }
}

HttpResponse asked(Answers& answers, const std::string& method, const std::string& path,
                   const std::string& body = "", const std::string& host = "127.0.0.1:9") {
  const Gate gate{"00112233445566778899aabbccddeeff", 9};
  return answer(answers, gate, {method, "/" + gate.token + "/" + path, {{"host", host}}, body});
}

TEST(ViewApi, AnswersItsPathsOnly) {
  Answers answers = grid_answers();
  EXPECT_EQ(asked(answers, "POST", "api/overview", "{}").status, 200);
  const HttpResponse plan =
      asked(answers, "POST", "api/plan", R"({"operation": "barrier", "size_bytes": 1})");
  EXPECT_EQ(plan.status, 200);
  EXPECT_EQ(plan.type, "application/json; charset=utf-8");
  EXPECT_EQ(Json::parse(plan.body)["format"], "espalier-view-plan-1");
  EXPECT_EQ(asked(answers, "GET", "api/plan").status, 405);
  EXPECT_EQ(asked(answers, "DELETE", "").status, 405);
  EXPECT_EQ(asked(answers, "GET", "../../etc/passwd").status, 404);
  EXPECT_EQ(asked(answers, "POST", "api/plan", "{}", "evil.example").status, 403);
}

TEST(ViewApi, ShowsMachinesFromFilesWhoseNamesAreNoText) {
  Answers answers(Subject{*topology::parse_synthetic(kGrid), "m\xff.json"});
  EXPECT_EQ(Json::parse(answers.overview())["source"], "m\xef\xbf\xbd.json");
  EXPECT_EQ(asked(answers, "POST", "api/overview", "{}").status, 200);
}

TEST(ViewApi, TellsWhatIsWrongWithAQuery) {
  Answers answers = grid_answers();
  const HttpResponse refused =
      asked(answers, "POST", "api/plan", "{\"operation\": \"\xff\", \"size_bytes\": 1}");
  EXPECT_EQ(refused.status, 422);
  EXPECT_FALSE(Json::parse(refused.body)["error"].get<std::string>().empty());
  EXPECT_EQ(
      asked(answers, "POST", "api/plan", R"({"operation": "scan", "size_bytes": 8, "plan": "x"})")
          .status,
      422);
}

TEST(ViewPage, DataCannotEndItsElement) {
  const std::string page =
      page_with("<script>\"@espalier-data@\"</script>", R"({"a":"</script>"})");
  EXPECT_EQ(page, "<script>{\"a\":\"\\u003c/script>\"}</script>");
  EXPECT_EQ(page_with("x\"@espalier-data@\"y", ""), "xnully");
}

TEST(ViewGrid, EveryPointIsWhatTheServerWouldAnswer) {
  Answers answers = grid_answers();
  GridOptions options;
  options.operations = {schedule::Operation::Allreduce, schedule::Operation::Barrier};
  options.sizes = {Bytes{64}, Bytes{65536}};
  const Json grid = Json::parse(grid_document(answers, options));
  EXPECT_EQ(grid["overview"], Json::parse(answers.overview()));
  const Json& points = grid["points"];
  const std::string key = "allreduce|65536|10000|";
  ASSERT_TRUE(points.contains(key));
  // At other latencies times of other plans are predicted, as while a control moves.
  EXPECT_EQ(points[key], answered(answers, R"({"operation": "allreduce", "size_bytes": 65536,
      "quick": true, "levels": [{"level": 0, "latency": 10000, "bandwidth": 1000}]})"));
  EXPECT_EQ(points[key]["chosen"],
            answered(answers, R"({"operation": "allreduce", "size_bytes": 65536,
      "levels": [{"level": 0, "latency": 10000, "bandwidth": 1000}]})")["chosen"]);
  // Calls of two sizes, each with 6 plans as it is and the chosen one at 2 other latencies.
  std::size_t allreduces = 0;
  std::set<std::string> kinds;
  for (const auto& [name, point] : points.items()) {
    EXPECT_FALSE(point["timelines"].empty()) << name;
    if (name.starts_with("allreduce|")) ++allreduces;
    if (name.starts_with("allreduce|64|1000|"))
      kinds.insert(plan_kind(point["plan"].get<std::string>()));
  }
  EXPECT_EQ(allreduces, 2U * (6 + 2));
  EXPECT_GE(kinds.size(), 5U);
}

TEST(ViewGrid, HoldsThePlanThatIsShownFirst) {
  const Machine machine = *topology::parse_synthetic(kGrid);
  const collective::Hierarchy hierarchy(machine);
  const schedule::Collective call{
      schedule::Operation::Broadcast, machine.size(), 3, 100000, Bytes{1}, true, {}};
  const auto candidate = select::candidate_called("flat", hierarchy, call);
  ASSERT_TRUE(candidate);
  Subject subject{machine, "grid", schedule_of(*candidate, call), {}};
  subject.first.size = Bytes{100000};
  subject.first.root = 3;
  GridOptions options;
  options.operations = {schedule::Operation::Broadcast, schedule::Operation::Barrier};
  options.sizes = {Bytes{64}, Bytes{100000}};
  for (const std::string& plan : {std::string(Answers::kFromFile), std::string("scatter-ring")}) {
    subject.first.plan = plan;
    Answers answers(subject);
    const Json points = Json::parse(grid_document(answers, options))["points"];
    const std::string key = "broadcast|100000|1000|" + plan;
    ASSERT_TRUE(points.contains(key)) << key;
    EXPECT_EQ(points[key]["plan"], plan);
    for (const auto& [name, point] : points.items()) {
      if (name == key) continue;
      EXPECT_EQ(name.find(Answers::kFromFile), std::string::npos) << name;
      EXPECT_NE(point["plan"], std::string(Answers::kFromFile)) << name;
    }
  }
}

TEST(ViewGrid, HoldsTheCallThatIsShownFirstHoweverManyMessagesItHas) {
  const char* sites = "site:2(15ms,200Mbit/s) host:6(50us,1Gbit/s) proc:8(1us)";
  Subject subject{*topology::parse_synthetic(sites), "sites"};
  subject.first.size = Bytes{1048576};
  subject.first.root = 5;
  GridOptions options;
  options.operations = {schedule::Operation::Broadcast};
  options.sizes = {Bytes{64}, Bytes{1048576}};
  Answers answers(subject);
  const std::string text = grid_document(answers, options);
  const std::string key = "\"broadcast|1048576|1000|\":";
  ASSERT_NE(text.find(key), std::string::npos);
  EXPECT_EQ(text.find(key), text.rfind(key)) << "a point is there twice";
  const Json point = Json::parse(text)["points"]["broadcast|1048576|1000|"];
  EXPECT_GT(point["messages"].get<std::uint64_t>(), kMostInFile);
  EXPECT_EQ(point["timelines"].size(), 1U);
}

TEST(ViewGrid, HoldsTheCallThatIsShownFirstWithoutMessagesIfTheyAreTooMany) {
  Subject subject{*topology::parse_synthetic("site:2(15ms,200Mbit/s) proc:150(1us)"), "sites"};
  subject.first.operation = schedule::Operation::Alltoall;
  subject.first.size = Bytes{1048576};
  GridOptions options;
  options.operations = {schedule::Operation::Alltoall};
  options.sizes = {Bytes{1048576}};
  Answers answers(subject);
  const Json points = Json::parse(grid_document(answers, options))["points"];
  ASSERT_TRUE(points.contains("alltoall|1048576|1000|"));
  const Json& point = points["alltoall|1048576|1000|"];
  EXPECT_GT(point["messages"].get<std::uint64_t>(), kMostDrawn);
  EXPECT_TRUE(point["timelines"].empty());
}

TEST(ViewGrid, EndsWhenTheFileIsLongEnough) {
  Answers answers = grid_answers();
  GridOptions options;
  options.most_bytes = 0;
  const Json grid = Json::parse(grid_document(answers, options));
  EXPECT_EQ(grid["points"].size(), 1U);
}

}  // namespace
}  // namespace espalier::view
