#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;

const std::string kScheduleData = std::string(ESPALIER_SOURCE_DIR) + "/tests/data/";
const std::string kScheduleGrid =
    "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:2(5us,10Gbit/s)";

class ToolSchedule : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "espalier_schedule" / test->name();
    std::filesystem::create_directories(folder_);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ToolSchedule, PlansOfEveryOperationAreVerifiedFromTheirFiles) {
  for (const char* operation : {"broadcast", "reduce", "allreduce", "barrier", "gather", "scatter",
                                "allgather", "alltoall", "reduce-scatter", "scan", "exscan"}) {
    std::vector<std::string> words{"plan",   operation,    "-m",          kScheduleGrid,
                                   "--json", "--schedule", path("p.json")};
    const std::string_view name = operation;
    if (name != "barrier") words.insert(words.end(), {"--size", "4KiB"});
    if (name == "broadcast" || name == "reduce" || name == "gather" || name == "scatter") {
      words.insert(words.end(), {"--root", "3"});
    }
    const Ran plan = run_tool(words);
    ASSERT_EQ(plan.exit_code, 0) << plan.err;
    const Ran ran = run_tool({"verify", path("p.json"), "--json"});
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_EQ(ran.err, "");
    const Json verdict = Json::parse(ran.out);
    EXPECT_EQ(verdict["format"], "espalier-verdict-1");
    EXPECT_EQ(verdict["verdict"], "verified");
    EXPECT_EQ(verdict["operation"], operation);
    EXPECT_EQ(verdict["hash"], Json::parse(plan.out)["hash"]);
    EXPECT_EQ(verdict["findings"], Json::array());
  }
}

TEST_F(ToolSchedule, ConvertsThereAndBack) {
  ASSERT_EQ(run_tool({"plan", "allreduce", "-m", kScheduleGrid, "--size", "4KiB", "--schedule",
                      path("p.json")})
                .exit_code,
            0);
  const Ran same = run_tool({"convert", path("p.json")});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(same.out, read(path("p.json")));
  const Ran msccl = run_tool({"convert", path("p.json"), "--to", "msccl", "-o", path("p.xml")});
  EXPECT_EQ(msccl.exit_code, 0) << msccl.err;
  EXPECT_EQ(msccl.out, "");
  EXPECT_EQ(run_tool({"verify", path("p.xml")}).exit_code, 0);
  const Ran goal = run_tool({"convert", path("p.json"), "--to", "goal", "-o", path("p.goal")});
  EXPECT_EQ(goal.exit_code, 0) << goal.err;
  EXPECT_NE(goal.err.find("note: GOAL keeps messages"), std::string::npos) << goal.err;
  const Ran progress = run_tool({"verify", path("p.goal"), "--json"});
  EXPECT_EQ(progress.exit_code, 0) << progress.err;
  EXPECT_EQ(Json::parse(progress.out)["verdict"], "progress-only");
  // What is not known stays unknown, also as JSON.
  ASSERT_EQ(run_tool({"convert", path("p.goal"), "-o", path("g.json")}).exit_code, 0);
  EXPECT_EQ(Json::parse(run_tool({"verify", path("g.json"), "--json"}).out)["verdict"],
            "progress-only");
}

TEST_F(ToolSchedule, NamesTheLineOfAMistakeInJson) {
  write("bad.json",
        R"({"format": "espalier-schedule-1", "call": {"operation": "barrier", "ranks": 2},
    "programs": [
      {"rank": 0, "ops": [
        {"op": "send", "peer": 1, "tag": 0},
        {"op": "recv", "peer": 1, "tag": 7}]},
      {"rank": 1, "ops": [
        {"op": "recv", "peer": 0, "tag": 0},
        {"op": "send", "peer": 0, "tag": 6}]}]})");
  const Ran ran = run_tool({"verify", path("bad.json")});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("\nrank 0, op 1 (line 5): no-partner\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\nrank 1, op 1 (line 8): no-partner\n"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("count from 0"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("bad.json:8: error: refused: rank 1, op 1: no-partner: "),
            std::string::npos)
      << ran.err;
  const Json json = Json::parse(run_tool({"verify", path("bad.json"), "--json"}).out);
  EXPECT_EQ(json["findings"][0]["line"], 8);
  EXPECT_EQ(json["findings"][1]["line"], 5);
}

TEST_F(ToolSchedule, RefusesAWrongScheduleAndSaysWhere) {
  std::string text = read(kScheduleData + "msccl/ring_allreduce.xml");
  text.replace(text.find("rrcs"), 4, "rrs");
  write("bad.xml", text);
  const Ran ran = run_tool({"verify", path("bad.xml")});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("\nrefused: 1 finding\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("rank 0, op 0: wrong-result\n"
                         "  found     Out[1, 2) ends up with In[1, 2) of rank 0\n"
                         "  expected  In[1, 2) of ranks 0-3 combined\n"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.err.find("bad.xml: error: refused: rank 0, op 0: wrong-result: "),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.out.find("\nops of a rank count from 0: espalier convert shows them, one a line\n"),
            std::string::npos)
      << ran.out;
  const Json json = Json::parse(run_tool({"verify", path("bad.xml"), "--json"}).out);
  EXPECT_EQ(json["verdict"], "refused");
  EXPECT_EQ(json["findings"][0]["line"], nullptr);
  EXPECT_EQ(json["findings"][0]["kind"], "wrong-result");
  EXPECT_EQ(json["messages"], nullptr);
}

TEST_F(ToolSchedule, SaysWhatItCouldNotCheckAnyMore) {
  write("alone.goal", "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 { }\n");
  const Ran ran = run_tool({"verify", path("alone.goal"), "--json"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(Json::parse(ran.out)["checked"], Json({"structure", "matching"}));
}

TEST_F(ToolSchedule, RefusesFilesThatItCannotRead) {
  write("empty", "");
  write("broken.json", "{\"format\": \"espalier-schedule-1\",\n\"cal\": 1}");
  write("broken.xml", "<algo>");
  write("broken.goal", "num_ranks 2\nrank 0 {\n");
  for (const auto& [file, message] : std::vector<std::pair<std::string, std::string>>{
           {path("empty"), "empty: error: the file is empty"},
           {path("broken.json"), "broken.json:2: error: unknown key \"cal\""},
           {path("broken.xml"), "broken.xml:1: error: not well-formed XML"},
           {path("broken.goal"), "broken.goal:3: error: found the end of the file"},
           {path("missing"), "missing: error: there is no such file"},
           {"", "SCHEDULE: error: no schedule is named"}}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"verify", file}, {"convert", file}}) {
      const Ran ran = run_tool(command);
      EXPECT_EQ(ran.exit_code, 2) << file;
      EXPECT_EQ(ran.out, "");
      EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
    }
  }
  const std::string ring = kScheduleData + "msccl/ring_allreduce.xml";
  EXPECT_EQ(run_tool({"convert", ring, "--to", "fortran"}).exit_code, 2);
  EXPECT_EQ(run_tool({"verify", ring, "--findings", "0"}).exit_code, 2);
  const Ran barrier = run_tool({"plan", "barrier", "-m", "proc:4", "--schedule", path("b.xml"),
                                "--schedule-format", "msccl"});
  EXPECT_EQ(barrier.exit_code, 2);
  EXPECT_NE(barrier.err.find("MSCCL has no barrier"), std::string::npos) << barrier.err;
  EXPECT_EQ(run_tool({"plan", "barrier", "-m", "proc:4", "--schedule-format", "x"}).exit_code, 2);
}

}  // namespace
}  // namespace espalier
