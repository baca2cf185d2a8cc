#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kIrregularGrid =
    "site:2(10ms,1Gbit/s) proc:4(50us,1Gbit/s,send=10us,recv=10us,speed=1*4|3*4)";

Json document(Words arguments) {
  arguments.emplace_back("--json");
  const Ran ran = run_tool(arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return Json::parse(ran.out);
}

std::string file_with(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(ToolCounts, PlansEveryOperationForEveryDistribution) {
  for (const char* operation : {"scatterv", "gatherv", "allgatherv", "alltoallv"}) {
    for (const char* counts : {"equal", "cpu-speed", "uniform:2", "giant", "powerlaw", "zeros:3"}) {
      const Ran ran =
          run_tool({"plan", operation, "-m", kIrregularGrid, "--counts", counts, "--size", "10KB"});
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_NE(ran.out.find(", verified"), std::string::npos) << ran.out;
    }
  }
}

TEST(ToolCounts, RankTheFastestFirstButForOnePerCent) {
  const Json json = document({"plan", "gatherv", "-m", kIrregularGrid, "--counts", "powerlaw:7"});
  EXPECT_EQ(json["format"], "espalier-irregular-1");
  EXPECT_EQ(json["operation"], "gather");
  EXPECT_EQ(json["counts"].size(), 8U);
  for (const Json& plan : json["plans"]) {
    EXPECT_GE(1.011 * plan["finish_ps"].get<double>(), json["plans"][0]["finish_ps"].get<double>());
  }
}

TEST(ToolCounts, SaysWhatIsNotSimulatedAndSimulatesItIfTold) {
  const std::string many = "node:32(50us,1Gbit/s) proc:32(1us,10Gbit/s)";
  const Words plan{"plan", "scatterv", "-m", many, "--counts", "powerlaw", "--size", "10KB"};
  const Ran some = run_tool(plan);
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_NE(some.out.find("about 16,384 messages are simulated in all"), std::string::npos)
      << some.out;
  EXPECT_NE(some.out.find(" simulated, verified"), std::string::npos) << some.out;
  const Json json = document(plan);
  EXPECT_TRUE(json["plans"].front()["predicted_ps"].is_null());
  EXPECT_TRUE(json["plans"].back()["finish_ps"].is_null());
  EXPECT_GT(json["plans"].back()["predicted_ps"], 0);
  Words all = plan;
  all.emplace_back("--all");
  const Ran every = run_tool(all);
  EXPECT_EQ(every.exit_code, 0) << every.err;
  EXPECT_EQ(every.out.find("not simulated"), std::string::npos) << every.out;
}

TEST(ToolCounts, ExchangesAmongManyRanksSayHowLinksAreShared) {
  const std::string many = "node:9(50us,1Gbit/s) proc:8(1us,10Gbit/s)";
  const Ran ran =
      run_tool({"plan", "alltoallv", "-m", many, "--counts", "powerlaw", "--size", "10KB"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("each link serves its messages one after the other"), std::string::npos)
      << ran.out;
}

TEST(ToolCounts, NamesEachPlanOnceBesideTheFastest) {
  const Json plans = document({"plan", "scatterv", "-m",
                               "node:8(50us,1Gbit/s) proc:8(5us,10Gbit/s,send=10us,recv=10us)",
                               "--counts", "giant", "--size", "1KB"})["plans"];
  std::vector<std::string> names;
  for (const Json& one : plans) {
    names.push_back(one["plan"]);
    if (!one["ratio"].is_null()) {
      EXPECT_GE(one["ratio"], 1) << one;
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << plans;
}

TEST(ToolCounts, APlanByItsNameNeedsNoOtherToBeSimulated) {
  for (const char* name : {"binomial", "binomial one by one"}) {
    const Json json = document(
        {"simulate", "gatherv", "-m", kIrregularGrid, "--counts", "equal", "--algorithm", name});
    EXPECT_EQ(json["plan"], name);
  }
}

const std::vector<std::string> kIrregular{"scatterv", "gatherv", "allgatherv", "alltoallv"};

Words plan_of(const std::string& operation, const std::string& machine, const Words& more) {
  Words words{"plan", operation, "-m", machine};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ToolCounts, SaysWhatTheLibraryRunsUnderEveryMpi) {
  for (const std::string& operation : kIrregular) {
    for (const char* mpi : {"mpich", "openmpi", "smpi"}) {
      const Words call =
          plan_of(operation, kIrregularGrid, {"--counts", "powerlaw:3", "--mpi", mpi});
      const Json json = document(call);
      EXPECT_EQ(json["mpi"], mpi);
      EXPECT_FALSE(json["why"].get<std::string>().empty());
      EXPECT_GT(json["native_predicted_ps"], 0);
      EXPECT_GT(json["trials"].size(), 0U);
      const bool is_native = json["runs"] == "native";
      EXPECT_EQ(json["trials"][0]["plan"] == "native", is_native);
      const bool has_tree = operation == "scatterv" || operation == "gatherv";
      const auto chosen = json["chosen"].get<std::string>();
      const std::string planned = has_tree ? chosen + " by counts" : chosen;
      EXPECT_EQ(json["runs"], is_native ? "native" : planned);
      EXPECT_EQ(std::count_if(json["plans"].begin(), json["plans"].end(),
                              [&](const Json& plan) { return plan["plan"] == chosen; }),
                1);
      const Ran ran = run_tool(call);
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      const std::string line =
          "\nunder " + std::string(mpi) + ": " + json["runs"].get<std::string>();
      EXPECT_NE(ran.out.find(line), std::string::npos) << ran.out;
      // Both times are of one call, so that they may be compared.
      const std::regex both(
          operation == "allgatherv"
              ? "; predicted: [^;]+ [0-9.]+ [mu]?s, native [0-9.]+ [mu]?s"
              : "; predicted for equal blocks of [0-9]+ [KM]?i?B: [^;]+ [0-9.]+ [mu]?s, native "
                "[0-9.]+ [mu]?s; native is not predicted for these lengths");
      EXPECT_TRUE(std::regex_search(ran.out, both)) << ran.out;
      EXPECT_NE(ran.out.find("  <- chosen"), std::string::npos) << ran.out;
    }
  }
}

TEST(ToolCounts, AnAllgathervSaysWhichMeansShareItsPlan) {
  const std::string lengths =
      file_with("means.csv", "57656\n57656\n57656\n57656\n57656\n57656\n57656\n57656\n");
  const Json json = document({"plan", "allgatherv", "-m", kIrregularGrid, "--counts", lengths});
  EXPECT_EQ(json["why"],
            "the shortest predicted time for blocks of about 16 KiB (as for all means from 4 KiB "
            "to 64 KiB)");
  EXPECT_EQ(json["assumed_block_bytes"], 16384);
}

TEST(ToolCounts, NamesOneLongBlockInTheSingular) {
  const Json json = document(
      {"plan", "allgatherv", "-m", kIrregularGrid, "--counts", "giant", "--size", "100KB"});
  std::string names;
  for (const Json& plan : json["plans"]) names += plan["plan"].get<std::string>() + "\n";
  EXPECT_NE(names.find(" by counts, 1 block by itself\n"), std::string::npos) << names;
  EXPECT_EQ(names.find(" 1 blocks"), std::string::npos) << names;
  const std::string help =
      std::regex_replace(run_tool({"plan", "--help"}).out, std::regex("\\s+"), " ");
  EXPECT_NE(help.find("longest blocks go through"), std::string::npos);
}

TEST(ToolCounts, SaysHowLinksAreSharedAsItsHelpDoes) {
  const Ran ran = run_tool({"simulate", "allgatherv", "-m", kIrregularGrid, "--counts", "powerlaw",
                            "--sharing", "exact"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("as under SimGrid, near messages get more (--sharing exact)"),
            std::string::npos)
      << ran.out;
  const std::string help = run_tool({"simulate", "--help"}).out;
  std::string words = std::regex_replace(help, std::regex("\\s+"), " ");
  EXPECT_NE(words.find("with --counts as under SimGrid, where near messages get more"),
            std::string::npos)
      << words;
}

TEST(ToolCounts, CallsAnOperationByOneNameInEveryCommand) {
  for (const std::string& operation : kIrregular) {
    const std::string file =
        (std::filesystem::path(testing::TempDir()) / (operation + "-name.json")).string();
    const Words call{"-m", kIrregularGrid, "--counts", "powerlaw:3"};
    const auto said = [&](Words words, const Words& more) {
      words.insert(words.end(), more.begin(), more.end());
      const Ran ran = run_tool(words);
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      return ran.out;
    };
    Words writing = call;
    writing.insert(writing.end(), {"--schedule", file});
    for (const std::string& text :
         {said({"plan", operation}, writing), said({"simulate", operation}, call),
          said({"verify"}, {file})}) {
      EXPECT_TRUE(text.starts_with(operation + " ")) << text;
      EXPECT_EQ(text.find("of uneven blocks"), std::string::npos) << text;
    }
  }
}

/// Near messages get more of a link under SMPI only; eager limits are those of the MPI library.
TEST(ToolCounts, SimulatesEveryPlanAsItRunsUnderTheMpi) {
  const std::string as_simgrid = "links shared as under SimGrid (near messages get more)\n";
  const auto fairly = [](const char* limit) {
    return std::string("links shared max-min fairly; from ") + limit +
           " on a message waits for its receiver\n";
  };
  const std::pair<Words, std::string> cases[] = {{{"--mpi", "mpich"}, fairly("32 KiB")},
                                                 {{"--mpi", "openmpi"}, fairly("64 KiB")},
                                                 {{"--mpi", "smpi"}, as_simgrid},
                                                 {{}, as_simgrid}};
  for (const std::string& operation : kIrregular) {
    for (const auto& [mpi, line] : cases) {
      Words more{"--counts", "powerlaw:3", "--size", "40KB"};
      more.insert(more.end(), mpi.begin(), mpi.end());
      const Ran ran = run_tool(plan_of(operation, kIrregularGrid, more));
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_NE(ran.out.find("simulated: message by message, " + line), std::string::npos)
          << ran.out;
    }
  }
}

TEST(ToolCounts, SaysNothingOfAnMpiThatIsNotNamed) {
  for (const std::string& operation : kIrregular) {
    const Json json = document(plan_of(operation, kIrregularGrid, {"--counts", "equal"}));
    EXPECT_TRUE(json["mpi"].is_null());
    EXPECT_TRUE(json["trials"].empty());
    EXPECT_EQ(json["runs"].get<std::string>().find(json["chosen"].get<std::string>()), 0U);
  }
}

TEST(ToolCounts, SaysWhatTheFirstCallsRunAlong) {
  // Short calls over short ways: planning is worth it after some.
  const std::string near = "site:2(1ms,1Gbit/s) proc:16(20us,1Gbit/s,send=50us,recv=50us)";
  const Words counts{"--counts", "powerlaw", "--size", "100B", "--mpi", "mpich"};
  const Json scatter = document(plan_of("scatterv", near, counts));
  ASSERT_NE(scatter["runs"], "native");
  EXPECT_GT(scatter["first_calls"], 1);
  EXPECT_TRUE(scatter["first_runs"].get<std::string>().ends_with(" by counts"));
  EXPECT_NE(scatter["first_runs"], scatter["runs"]);
  const Ran ran = run_tool(plan_of("scatterv", near, counts));
  EXPECT_NE(ran.out.find("; the first "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("  <- first calls"), std::string::npos) << ran.out;
  const Json gather = document(plan_of("gatherv", near, counts));
  ASSERT_NE(gather["runs"], "native");
  EXPECT_EQ(gather["first_calls"], 4);
  EXPECT_EQ(gather["first_runs"], gather["trials"][0]["plan"]);
  // Where nobody gets anything, no call takes any time.
  Words nothing = counts;
  nothing[3] = "0";
  EXPECT_EQ(document(plan_of("scatterv", near, nothing))["first_calls"], 0);
}

TEST(ToolCounts, SaysThatAPlanOfTheTableIsFasterThanTheChosenOne) {
  const Words call = plan_of("alltoallv", "node:16(50us,1Gbit/s,send=20us,recv=20us)",
                             {"--counts", "zeros", "--size", "100B"});
  const Ran ran = run_tool(call);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find(" is faster: the chosen one takes "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("(no rank knows all lengths, and the library goes by none)"),
            std::string::npos);
  EXPECT_NE(ran.out.find("  <- chosen"), std::string::npos) << ran.out;  // though not among 12
}

/// All ranks know all lengths of an allgatherv, so the choice goes by them.
TEST(ToolCounts, AnAllgathervTakesTheFastestForItsLengths) {
  for (const char* machine : {"node:32(50us,1Gbit/s)", "site:2(10ms,100Mbit/s) proc:8(5us,1Gbit/s)",
                              "site:3(1ms,50Mbit/s) node:4(50us,1Gbit/s) placement=cyclic"}) {
    for (const char* counts : {"giant", "giant:5", "powerlaw", "zeros"}) {
      const Words call =
          plan_of("allgatherv", machine, {"--counts", counts, "--size", "100KB", "--mpi", "mpich"});
      const Json json = document(call);
      EXPECT_LE(json["finish_ps"].get<double>(), 1.03 * json["plans"][0]["finish_ps"].get<double>())
          << machine << " " << counts;
      EXPECT_EQ(run_tool(call).out.find(" is faster: the chosen one takes "), std::string::npos);
    }
  }
}

TEST(ToolCounts, LevelsWithoutAChoiceChangeNothing) {
  const std::string all = "site:1(10ms,100Mbit/s) " + kIrregularGrid;
  for (const std::string& operation : kIrregular) {
    const Words more{"--counts", "powerlaw:5", "--mpi", "mpich"};
    Json with = document(plan_of(operation, all, more));
    Json without = document(plan_of(operation, kIrregularGrid, more));
    for (Json* one : {&with, &without}) one->erase("machine");
    EXPECT_EQ(with, without);
  }
}

TEST(ToolCounts, SimulateTakesThePlanThatPlanChooses) {
  for (const std::string& operation : kIrregular) {
    Words call = plan_of(operation, kIrregularGrid, {"--counts", "giant:2", "--size", "10KB"});
    const Json planned = document(call);
    call[0] = "simulate";
    EXPECT_EQ(document(call)["plan"], planned["chosen"]);
  }
}

TEST(ToolCounts, AScheduleOnStandardOutputStandsAlone) {
  for (const char* operation : {"scatterv", "alltoallv"}) {
    const Ran ran =
        run_tool({"plan", operation, "-m", "proc:4", "--counts", "equal", "--schedule", "-"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(Json::accept(ran.out)) << ran.out;
  }
}

TEST(ToolCounts, CompareShowsEachTreeOnce) {
  const Json json =
      document({"compare", "-o", "scatterv", "-m", kIrregularGrid, "--counts", "cpu-speed"});
  std::size_t linear = 0;
  for (const Json& plan : json["plans"]) {
    linear += plan["plan"].get<std::string>().starts_with("linear") ? 1 : 0;
  }
  EXPECT_EQ(linear, 1U);
}

TEST(ToolCounts, TreeTellsWhoHoldsWhat) {
  const std::string file = file_with("espalier_counts", "5 0 7 1 # of the first site\n0 0 2 9\n");
  const Json json = document({"tree", "-a", "binomial", "-o", "scatterv", "-m", kIrregularGrid,
                              "--counts", file, "--root", "1"});
  const Json& rows = json["plans"];
  ASSERT_EQ(rows.size(), 6U);  // the root, and five with blocks
  EXPECT_EQ(rows[0]["rank"], 1);
  EXPECT_TRUE(rows[0]["parent"].is_null());
  EXPECT_EQ(rows[0]["bundle_bytes"], 24);
}

TEST(ToolCounts, TreesGoByTheModelThatIsNamed) {
  const Words tree{"tree", "-a",           "minimum-first", "-o",   "scatterv",
                   "-m",   kIrregularGrid, "--counts",      "equal"};
  Words with_model = tree;
  with_model.insert(with_model.end(), {"--model", "hockney:alpha=7ms,bandwidth=1Gbit/s"});
  const Json json = document(with_model);
  EXPECT_EQ(json["model"], "hockney");
  // Under it all pairs are equally far, so that the nearest of the other site are as good as any.
  EXPECT_GE(json["plans"][1]["done_ps"].get<std::int64_t>(), 7'000'000'000);
  EXPECT_NE(json["plans"], document(tree)["plans"]);
}

TEST(ToolCounts, EveryModelReachesEveryCommand) {
  for (const char* model :
       {"levels", "node-initiation", "hockney", "hockney:alpha=50us,bandwidth=1Gbit/s", "lmo",
        "loggp:L=5us,o=1us", "postal:lambda=3"}) {
    for (const Words& words : {Words{"plan", "scatterv"}, Words{"simulate", "gatherv"},
                               Words{"compare", "-o", "gatherv"},
                               Words{"tree", "-a", "model-traeff", "-o", "gatherv"}}) {
      Words all = words;
      all.insert(all.end(), {"-m", kIrregularGrid, "--counts", "powerlaw", "--model", model});
      const Ran ran = run_tool(all);
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
    }
  }
}

TEST(ToolCounts, AcceptsThatNobodyHasAnything) {
  const Json json =
      document({"plan", "scatterv", "-m", kIrregularGrid, "--counts", "equal", "--size", "0"});
  EXPECT_EQ(json["plans"][0]["finish_ps"], 0);
}

TEST(ToolCounts, RefusesWhatItCannotDoAndSaysWhy) {
  const std::string seven = file_with("espalier_seven_counts", "1 2 3 4 5 6 7");
  const std::string words = file_with("espalier_no_counts", "1 2 three 4 5 6 7 8");
  const auto expect_refusal = [](const Words& arguments, const std::string& reason) {
    const Ran ran = run_tool(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_NE(ran.err.find(reason), std::string::npos) << ran.err;
  };
  expect_refusal({"plan", "broadcast", "-m", kIrregularGrid, "--counts", "equal"},
                 "scatterv, gatherv");
  expect_refusal({"plan", "alltoallv", "-m", kIrregularGrid, "--counts", seven}, "64 blocks");
  expect_refusal(
      {"tree", "-a", "binomial", "-o", "allgatherv", "-m", kIrregularGrid, "--counts", "equal"},
      "scatterv and gatherv");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", seven}, "7 lengths");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", words}, "\"three\"");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", "giant:x"}, "not a seed");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--counts", "equal", "--svg", "-"},
                 "--svg");
  expect_refusal({"plan", "scatterv", "-m", kIrregularGrid, "--memory", "1KiB"}, "--counts");
  expect_refusal(
      {"tree", "-a", "binomal", "-o", "scatterv", "-m", kIrregularGrid, "--counts", "equal"},
      "binomial");
}

}  // namespace
}  // namespace espalier
