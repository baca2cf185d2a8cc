#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_tool.hpp"

namespace espalier {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kToolGrid = "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)";

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Exit code 2, nothing on standard output, and an error that begins so.
void expect_refused(const Words& arguments, const std::string& error) {
  const Ran ran = run_tool(arguments);
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.substr(0, error.size()), error);
}

TEST(Tool, SaysItsVersion) {
  const Ran command = run_tool({"version"});
  EXPECT_EQ(command.exit_code, 0);
  EXPECT_EQ(command.out, std::string("espalier ") + ESPALIER_VERSION + "\n");
  EXPECT_EQ(run_tool({"--version"}).out, command.out);
}

TEST(Tool, HasAManualPageForItselfAndEachCommand) {
  for (const Words& command :
       {Words{}, Words{"show"}, Words{"tree"}, Words{"compare"}, Words{"plan"}, Words{"verify"},
        Words{"convert"}, Words{"discover"}, Words{"run"}, Words{"doctor"}, Words{"reproduce"},
        Words{"group"}, Words{"lab"}, Words{"bench"}, Words{"version"}}) {
    for (const char* flag : {"--help", "-h"}) {
      Words arguments = command;
      arguments.emplace_back(flag);
      arguments.insert(arguments.end(), {"--width", "80"});
      const Ran ran = run_tool(arguments);
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_EQ(ran.err, "");
      for (const char* section :
           {"NAME\n    espalier", "\nSYNOPSIS\n", "\nDESCRIPTION\n", "\nOPTIONS\n", "\nEXAMPLES\n",
            "\nEXIT STATUS\n", "\nENVIRONMENT\n"}) {
        EXPECT_NE(ran.out.find(section), std::string::npos) << section << ran.out;
      }
    }
  }
}

TEST(Tool, RunsTheExamplesOfItsManualThatNeedNoFile) {
  int run = 0;
  for (const Words& command : {Words{"--help"}, Words{"show", "--help"}, Words{"tree", "--help"},
                               Words{"compare", "--help"}}) {
    std::istringstream page(run_tool(command).out);
    for (std::string line; std::getline(page, line);) {
      const bool is_example = line.starts_with("    espalier ") && line.find('"') != line.npos;
      if (!is_example) continue;
      const Ran ran = run_shell("\"$ESPALIER\" " + line.substr(13));
      EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
      EXPECT_NE(ran.out, "");
      ++run;
    }
  }
  EXPECT_GE(run, 4);
}

TEST(Tool, ListsEveryAlgorithmInTheManual) {
  const std::string page = run_tool({"tree", "--help"}).out;
  const auto document = Json::parse(run_tool({"compare", "-m", kToolGrid, "--json"}).out);
  ASSERT_FALSE(document["algorithms"].empty());
  for (const auto& row : document["algorithms"]) {
    const auto name = row["algorithm"].get<std::string>();
    EXPECT_NE(page.find("\n    " + name + " "), std::string::npos) << name;
  }
}

TEST(Tool, RefusesBadUsageWithExitCode2AndAHint) {
  expect_refused({}, "espalier: error: no command is given\n  hint: see espalier --help\n");
  expect_refused({"shwo"},
                 "espalier: error: there is no command \"shwo\"\n"
                 "  hint: did you mean show?\n");
  expect_refused({"frobnicate", "x"}, "espalier: error: there is no command \"frobnicate\"\n");
  expect_refused({"--colour", "never"},
                 "espalier: error: there is no option \"--colour\"\n"
                 "  hint: did you mean --color?\n");
  expect_refused({"tree", "--machin", kToolGrid},
                 "espalier tree: error: there is no option "
                 "\"--machin\"\n  hint: did you mean --machine?\n");
  expect_refused({"show", kToolGrid, "again"},
                 "espalier show: error: there is no place for the "
                 "argument \"again\"\n");
  expect_refused({"tree", "--root"}, "espalier tree: error: ");
  expect_refused({"tree", "--root", "1", "--root", "2"}, "espalier tree: error: ");
  expect_refused({"show", kToolGrid, "--json", "--svg", "-"}, "espalier show: error: ");
  expect_refused({"show", kToolGrid, "--color", "sometimes"}, "--color: error: ");
  expect_refused({"show", kToolGrid, "--width", "7"}, "--width: error: ");
}

TEST(Tool, HelpOfACommandIsItsPage) {
  EXPECT_EQ(run_tool({"help", "plan"}).out, run_tool({"plan", "--help"}).out);
}

TEST(Tool, RecordsTheHostsThatAnswerWhereOthersDoNot) {
  const std::string folder = testing::TempDir() + "tool_test_weather" + std::to_string(getpid());
  const Ran ran = run_shell("rm -rf " + folder + " && mkdir " + folder + " && cd " + folder +
                            R"( && { "$ESPALIER" weather answer --once 2> said & }
trap 'kill $! 2> /dev/null; rm -rf "$PWD"' EXIT
for i in $(seq 600); do port=$(sed -n 's/answering on port //p' said); test -n "$port" && break; sleep 0.1; done
"$ESPALIER" weather record --history w.db --here A --to B=127.0.0.1:1 --to C=127.0.0.1:$port || exit
wait; "$ESPALIER" weather show --history w.db --json)");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("Connection refused"), std::string::npos) << ran.err;
  const std::string json = ran.out.substr(std::min(ran.out.find('{'), ran.out.size()));
  const auto links = Json::parse(json, nullptr, false);
  ASSERT_TRUE(links.is_object()) << ran.out;
  ASSERT_EQ(links["links"].size(), 1u);
  EXPECT_EQ(links["links"][0]["b"], "C");
}

TEST(Tool, RecordsAGivenSampleOnceHoweverOftenItMeasures) {
  const std::string folder = testing::TempDir() + "tool_test_given" + std::to_string(getpid());
  const Ran ran = run_shell("rm -rf " + folder + " && mkdir " + folder + " && cd " + folder +
                            R"( && trap 'rm -rf "$PWD"' EXIT
"$ESPALIER" weather record --history w.db --sample A,B,12ms --here A --to C=127.0.0.1:1 --every 1s --times 2 > said 2>&1
"$ESPALIER" weather show --history w.db --json)");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto links = Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(links.is_object()) << ran.out;
  ASSERT_EQ(links["links"].size(), 1u);
  EXPECT_EQ(links["links"][0]["samples"], 1);
}

TEST(Tool, SuggestsWhatWasMeant) {
  expect_refused({"lab", "stop"},
                 "espalier lab: error: there is no action \"stop\"\n"
                 "  hint: did you mean espalier lab down?\n");
  expect_refused({"lab", "dwon"},
                 "espalier lab: error: there is no action \"dwon\"\n"
                 "  hint: did you mean espalier lab down?\n");
  expect_refused({"lab", "run", "--espalir"},
                 "espalier lab run: error: there is no option \"--espalir\"\n"
                 "  hint: did you mean --espalier?\n");
  expect_refused({"place", "--inventry", "x", "--profile", "y"},
                 "espalier place: error: there is no option \"--inventry\"\n"
                 "  hint: did you mean --inventory?\n");
  for (const char* option : {"--hostfile", "--hosts"}) {
    expect_refused({"place", option, "x", "--profile", "y"},
                   std::string("espalier place: error: there is no option \"") + option +
                       "\"\n  hint: did you mean --inventory?\n");
  }
  expect_refused({"run", "--dry-run", "--", "mpiexec"},
                 "espalier run: error: there is no option \"--dry-run\"\n"
                 "  hint: did you mean --print?\n");
  expect_refused({"plan", "broadcast", "-m", kToolGrid, "--against", "openmpi"},
                 "espalier plan: error: there is no option \"--against\"\n"
                 "  hint: did you mean --mpi?\n");
  expect_refused({"plan", "MPI_Bcats", "--machine", "proc:4(1us)"},
                 "OPERATION: error: there is no operation \"MPI_Bcats\"\n"
                 "  hint: ");
  expect_refused({"run", "--force", "mpiexec", "-n", "2", "./a b"},
                 "espalier run: error: \"mpiexec\" stands where options do: the command comes "
                 "after \"--\"\n  hint: write: espalier run --force -- mpiexec -n 2 './a b'\n");
  expect_refused({"discover", "mpiexec"},
                 "espalier discover: error: \"mpiexec\" stands where options do: the command "
                 "comes after \"--\"\n  hint: write: espalier discover -- mpiexec\n");
  expect_refused({"group", "simulat"},
                 "ACTION: error: there is no \"simulat\"\n  hint: did you mean \"simulate\"? ");
  expect_refused({"weather", "sho"},
                 "ACTION: error: there is no \"sho\"\n  hint: did you mean \"show\"? ");
  expect_refused({"profile", "lu.W"},
                 "ACTION: error: there is no \"lu.W\"\n"
                 "  hint: write: espalier profile show lu.W\n");
  expect_refused({"profile", "show"}, "PROFILE: error: no profile is named\n");
  expect_refused({"convert", "a.json", "b.goal"},
                 "espalier convert: error: there is no place for the argument \"b.goal\"\n"
                 "  hint: to write to a file: --output b.goal\n");
  expect_refused({"plan", "scatterv", "-m", kToolGrid},
                 "OPERATION: error: scatterv needs the lengths of its blocks\n"
                 "  hint: give --counts");
  expect_refused({"compare", "-m", kToolGrid, "--model", "hokney"},
                 "--model: error: \"hokney\": there is no such model\n"
                 "  hint: did you mean \"hockney\"? models: ");
  expect_refused({"bench", "--on", "smpi", "--operation", "allreduc"},
                 "--operation: error: there is no operation \"allreduc\"\n"
                 "  hint: did you mean \"allreduce\"? ");
  expect_refused({"place", "--profile", "lu.W", "--inventory", "nofile"},
                 "inventory: error: \"nofile\" is no file and no machine\n"
                 "  hint: an inventory is ");
  expect_refused({"verify", "nofile"}, "nofile: error: there is no such file\n");
  expect_refused({"tree", "-m", kToolGrid, "-a", "fnf", "--size", "64Kib"},
                 "--size: error: \"64Kib\" is not a size\n  hint: did you mean \"64KiB\"?\n");
  expect_refused({"plan", "allreduce", "-m", kToolGrid, "--size", "0"},
                 "--size: error: of 0 B nothing has to move\n  hint: give at least 8 B\n");
}

TEST(Tool, SaysInItsOwnWordsWhatIsWrongWithOptions) {
  expect_refused({"discover", "--seconds", "0", "--", "mpiexec"},
                 "espalier discover: error: --seconds: \"0\" is not a whole number from 1 to "
                 "3600\n");
  expect_refused({"discover", "--seconds", "2s", "--", "mpiexec"},
                 "espalier discover: error: --seconds: \"2s\" is not a whole number");
  expect_refused({"plan", "allreduce", "--all", "--json"},
                 "espalier plan: error: --all and --json do not go together\n"
                 "  hint: leave one of them out\n");
  expect_refused(
      {"plan", "allgatherv", "-m", kToolGrid, "--counts", "powerlaw", "--svg", "-"},
      "espalier plan: error: --svg and --counts do not go together\n"
      "  hint: espalier simulate OPERATION --svg FILE draws the chosen plan: give it the "
      "same --machine, --counts, --size, --root, --memory and --model\n");
  expect_refused({"tree", "--root"},
                 "espalier tree: error: --root has no value\n  hint: write --root RANK; ");
  expect_refused({"tree", "--root", "1", "--root", "2"},
                 "espalier tree: error: --root is given more than once\n");
  expect_refused({"show", kToolGrid, "--", "x"},
                 "espalier show: error: there is no option \"--\"\n"
                 "  hint: this command runs no other\n");
  expect_refused({"lab", "up"}, "espalier lab up: error: MACHINE is missing\n");
  expect_refused(
      {"export"},
      "espalier export: error: FORMAT is missing\n"
      "  hint: FORMAT: openmpi, openmpi-han, openmpi-json or mpich. See espalier export --help\n");
  expect_refused({"place"},
                 "espalier place: error: --profile is missing\n"
                 "  hint: write --profile PROFILE; see espalier place --help\n");
  expect_refused({"show", kToolGrid, "--all=ranks"},
                 "espalier show: error: --all takes no value\n"
                 "  hint: write --all alone; see espalier show --help\n");
  EXPECT_NE(run_tool({"discover", "--help"}).out.find("\n    --seconds N\n"), std::string::npos);
}

TEST(Tool, NamesTheLaunchersThatThereAre) {
  const Ran none = run_shell("PATH=/nowhere \"$ESPALIER\" discover -- mpiexec.nope");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err,
            "mpiexec.nope: error: there is no such program\n"
            "  hint: no launcher of MPI programs is in PATH\n");
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "launchers";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mpiexec.hydra") << "#!/bin/sh\n";
  std::filesystem::permissions(folder / "mpiexec.hydra", std::filesystem::perms::owner_all);
  const Ran some =
      run_shell("PATH=" + folder.string() + " \"$ESPALIER\" discover -- mpiexec.hydar");
  EXPECT_EQ(some.err,
            "mpiexec.hydar: error: there is no such program\n"
            "  hint: did you mean mpiexec.hydra? in PATH there are mpiexec.hydra\n");
}

TEST(Tool, RefusesBadInputWithExitCode2) {
  const auto tree = [](Words more) {
    Words words{"tree", "-a", "fnf", "-m", kToolGrid};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refused({"show"}, "MACHINE: error: no machine is named\n");
  expect_refused({"show", ""}, "MACHINE: error: no machine is named\n");
  expect_refused({"tree", "-a", "fnf"}, "--machine: error: no machine is named\n");
  expect_refused({"compare"}, "--machine: error: no machine is named\n");
  expect_refused({"tree", "-m", kToolGrid}, "--algorithm: error: no algorithm is named\n");
  expect_refused({"tree", "-m", kToolGrid, "-a", "fmf"},
                 "--algorithm: error: there is no algorithm \"fmf\"\n"
                 "  hint: did you mean \"fnf\"? the algorithms are: ");
  expect_refused({"tree", "-m", kToolGrid, "-a", "zzzzzz"},
                 "--algorithm: error: there is no algorithm \"zzzzzz\"\n"
                 "  hint: the algorithms are: ");
  expect_refused(tree({"--root", "12"}),
                 "--root: error: rank 12 is not in the machine, which has ranks 0 to 11\n");
  expect_refused(tree({"--root", "-1"}), "--root: error: \"-1\" is not a rank\n");
  expect_refused(tree({"--to", "1,3-"}), "--to: error: \"\" is not a rank\n");
  expect_refused(tree({"--to", "5-3"}), "--to: error: the range 5-3 runs backwards\n");
  expect_refused(tree({"--size", "many"}), "--size: error: \"many\" is not a size\n");
  expect_refused(tree({"--size", "-1"}), "--size: error: ");
  expect_refused({"tree", "-a", "kary", "-m", kToolGrid, "--arity", "1"},
                 "--arity: error: \"1\" is not an arity\n");
  expect_refused(tree({"--arity", "3"}), "--arity: error: fnf trees have no arity\n");
  expect_refused(tree({"--operation", "gossip"}),
                 "--operation: error: \"gossip\" is not an operation\n");
  expect_refused(tree({"--model", "astrology"}), "--model: error: ");
}

TEST(Tool, NamesTheMachineThatCannotBeRead) {
  for (const std::string argument : {"/does/not/exist.json", "/", "/dev/null", "site:", "proc:0",
                                     "proc:99999999999", "proc:4(banana)", "random:x"}) {
    const Ran ran = run_tool({"show", argument});
    EXPECT_EQ(ran.exit_code, 2) << argument;
    EXPECT_EQ(ran.out, "") << argument;
    EXPECT_NE(ran.err.find("error: "), std::string::npos) << argument << "\n" << ran.err;
  }
}

TEST(Tool, WritesNoEscapeCodesWithoutATerminal) {
  for (const Words& arguments :
       {Words{"show", kToolGrid}, Words{"tree", "-a", "fnf", "-m", kToolGrid},
        Words{"compare", "-m", kToolGrid}, Words{"--help"}}) {
    const Ran ran = run_tool(arguments, {"TERM=xterm-256color"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  }
  EXPECT_NE(run_tool({"show", kToolGrid, "--color", "always"}).out.find('\x1b'), std::string::npos);
}

TEST(Tool, ColoursATerminalUnlessToldNotTo) {
  const auto has_colours = [](const Words& more, const Words& variables) {
    Words words{"compare", "-m", kToolGrid};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool_on_terminal(words, variables).out.find('\x1b') != std::string::npos;
  };
  EXPECT_TRUE(has_colours({}, {"TERM=xterm"}));
  EXPECT_FALSE(has_colours({}, {"TERM=xterm", "NO_COLOR=1"}));
  EXPECT_FALSE(has_colours({}, {"TERM=dumb"}));
  EXPECT_FALSE(has_colours({}, {}));
  EXPECT_FALSE(has_colours({"--color", "never"}, {"TERM=xterm"}));
  EXPECT_TRUE(has_colours({"--color", "always"}, {"TERM=dumb", "NO_COLOR=1"}));
}

TEST(Tool, TakesAReaderThatGoesAwayForNoFailure) {
  const Ran ran = run_shell(
      "set -o pipefail; \"$ESPALIER\" show 'node:200(1us) proc:64(1us)' --all --ranks | head -n "
      "1");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(lines(ran.out), 1u);
}

TEST(Tool, FailsWhereStandardOutputCannotBeWritten) {
  const Ran full = run_shell("\"$ESPALIER\" show 'proc:4' >/dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(full.err, "standard output: error: cannot write: No space left on device\n");
  const Ran closed = run_shell("\"$ESPALIER\" show 'proc:4' >&-");
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_EQ(closed.err, "standard output: error: cannot write: Bad file descriptor\n");
  const Ran file = run_shell("\"$ESPALIER\" show 'proc:4' --svg /dev/full");
  EXPECT_EQ(file.exit_code, 1);
}

TEST(Tool, RefusesAFileThatCannotBeOpened) {
  expect_refused({"show", kToolGrid, "--svg", "/does/not/exist/a.svg"},
                 "/does/not/exist/a.svg: error: cannot write: No such file or directory\n");
  expect_refused({"show", kToolGrid, "--svg", "/"}, "/: error: cannot write: Is a directory\n");
}

TEST(Tool, WritesDrawingsToFiles) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "espalier_tool_test";
  std::filesystem::create_directories(folder);
  const std::vector<Words> commands{
      {"show", kToolGrid}, {"tree", "-a", "fnf", "-m", kToolGrid}, {"compare", "-m", kToolGrid}};
  for (const Words& command : commands) {
    const std::string file = (folder / (command[0] + ".svg")).string();
    Words to_file = command;
    to_file.insert(to_file.end(), {"--svg", file});
    const Ran ran = run_tool(to_file);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, run_tool(command).out);
    Words to_stdout = command;
    to_stdout.insert(to_stdout.end(), {"--svg", "-"});
    std::ifstream in(file, std::ios::binary);
    std::ostringstream written;
    written << in.rdbuf();
    EXPECT_TRUE(written.str().starts_with("<svg "));
    EXPECT_EQ(run_tool(to_stdout).out, written.str());
  }
  std::filesystem::remove_all(folder);
}

TEST(Show, WritesAMachineThatItReadsBack) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const std::string file = (folder / "espalier_show_test.json").string();
  const Ran json = run_tool({"show", kToolGrid, "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  std::ofstream(file, std::ios::binary) << json.out;
  EXPECT_EQ(run_tool({"show", file, "--json"}).out, json.out);
  EXPECT_EQ(run_tool({"show", file}).out, run_tool({"show", kToolGrid}).out);
  std::filesystem::remove(file);
}

TEST(Compare, HasOneRowForEachAlgorithmInEveryForm) {
  const Words command{"compare", "-m", kToolGrid, "--root", "3", "--size", "64KiB"};
  const auto with = [&](const char* form) {
    Words words = command;
    words.emplace_back(form);
    return run_tool(words);
  };
  const Ran json = with("--json");
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto document = Json::parse(json.out);
  EXPECT_EQ(document["format"], "espalier-compare-1");
  EXPECT_EQ(document["root"], 3);
  EXPECT_EQ(document["size_bytes"], 65536);
  const auto& rows = document["algorithms"];
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["ratio"], 1.0);
  std::int64_t previous = 0;
  for (const auto& row : rows) {
    EXPECT_GE(row["finish_ps"].get<std::int64_t>(), previous);
    previous = row["finish_ps"];
    EXPECT_EQ(row["messages_level_0"].get<int>() + row["messages_level_1"].get<int>() +
                  row["messages_level_2"].get<int>(),
              11);
  }
  const Ran csv = with("--csv");
  EXPECT_EQ(lines(csv.out), rows.size() + 1);
  EXPECT_TRUE(csv.out.starts_with("algorithm,title,finish_ps,ratio,")) << csv.out;
}

TEST(Compare, AgreesWithTree) {
  const auto document = Json::parse(run_tool({"compare", "-m", kToolGrid, "--json"}).out);
  for (const auto& row : document["algorithms"]) {
    const Ran tree =
        run_tool({"tree", "-m", kToolGrid, "-a", row["algorithm"].get<std::string>(), "--json"});
    EXPECT_EQ(Json::parse(tree.out)["finish_ps"], row["finish_ps"]) << row;
  }
}

TEST(Compare, TakesTheOperationAsAWordToo) {
  const Ran word = run_tool({"compare", "reduce", "-m", kToolGrid});
  EXPECT_EQ(word.exit_code, 0) << word.err;
  EXPECT_EQ(word.out, run_tool({"compare", "-m", kToolGrid, "--operation", "reduce"}).out);
  EXPECT_NE(word.out.find("left out: optimal: "), std::string::npos) << word.out;
  EXPECT_NE(word.out.find("receiver"), std::string::npos) << word.out;
  EXPECT_EQ(run_tool({"tree", "reduce", "-a", "fnf", "-m", kToolGrid}).out,
            run_tool({"tree", "-o", "reduce", "-a", "fnf", "-m", kToolGrid}).out);
  expect_refused({"compare", "gossip", "-m", kToolGrid},
                 "--operation: error: \"gossip\" is not an operation\n");
  expect_refused({"compare", "reduce", "-m", kToolGrid, "-o", "reduce"},
                 "espalier compare: error: --operation is given more than once\n");
}

TEST(Compare, SaysWhichAlgorithmsAreLeftOut) {
  const Ran ran = run_tool({"compare", "-m", "proc:5000(send=1us)", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto document = Json::parse(ran.out);
  std::vector<std::string> left_out;
  for (const auto& one : document["left_out"]) {
    left_out.push_back(one["algorithm"]);
    EXPECT_NE(one["why"], "");
  }
  EXPECT_NE(std::find(left_out.begin(), left_out.end(), "ecef"), left_out.end());
  expect_refused({"tree", "-a", "ecef", "-m", "proc:20000(send=1us)"},
                 "--algorithm: error: 20000 ranks");
}

TEST(Tree, ServesOnlyThoseWhoAreListed) {
  const auto document = Json::parse(
      run_tool({"tree", "-a", "fnf", "-m", kToolGrid, "--root", "2", "--to", "2,5-7", "--json"})
          .out);
  std::vector<int> ranks;
  for (const auto& rank : document["ranks"]) ranks.push_back(rank["rank"]);
  EXPECT_EQ(ranks, (std::vector<int>{2, 5, 6, 7}));
}

TEST(Tree, PrintsTheSameOnEveryRun) {
  const Words command{"tree", "-a", "fnf", "-m", "random:7:48", "--json"};
  EXPECT_EQ(run_tool(command).out, run_tool(command).out);
}

TEST(Tool, WritesWhereTheUserSays) {
  const std::string folder = testing::TempDir() + "tool_test_outputs";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/target") << "";
  std::filesystem::create_symlink("target", folder + "/link");
  const std::string svg = "\"$ESPALIER\" show 'proc:2(5us)' --svg ";
  EXPECT_EQ(run_shell(svg + folder + "/link").exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
  EXPECT_GT(std::filesystem::file_size(folder + "/target"), 100U);
  EXPECT_NE(run_shell(svg + "/dev/stdout").out.find("<svg"), std::string::npos);
  EXPECT_EQ(run_shell(svg + "/dev/null").exit_code, 0);
  const std::string fifo = folder + "/fifo";
  EXPECT_NE(
      run_shell("mkfifo " + fifo + "; { " + svg + fifo + " >" + folder + "/out & } ; cat " + fifo)
          .out.find("<svg"),
      std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(Tool, RunsNothingOfWhatTheDoctorLooksAt) {
  const std::string folder = testing::TempDir() + "tool_test_looked_at";
  std::filesystem::create_directories(folder);
  for (const char* name : {"mpiexec", "mpirun.sh", "python3"}) {
    std::ofstream(folder + "/" + name) << "#!/bin/sh\ntouch " << folder << "/was-run\n";
    std::filesystem::permissions(folder + "/" + name, std::filesystem::perms::owner_all);
  }
  std::ofstream(folder + "/job.sh") << "#!/bin/sh\n" << folder << "/mpiexec -n 2 ./a\n";
  std::ofstream(folder + "/job.py") << "#!" << folder << "/python3\nimport mpi4py\n";
  for (const char* name : {"/job.sh", "/job.py", "/python3", "/mpiexec", "/mpirun.sh"}) {
    std::filesystem::permissions(folder + name, std::filesystem::perms::owner_all);
    (void)run_tool({"doctor", folder + name});
    (void)run_tool({"run", "--print", "--", folder + name});
    (void)run_tool({"run", "--print", "--", "env", "A=b", folder + name, "input"});
    (void)run_tool({"run", "--print", "--", "bash", folder + name, "input"});
    (void)run_tool({"run", "--print", "--", "/bin/true", folder + name, "input"});
    EXPECT_FALSE(std::filesystem::exists(folder + "/was-run")) << name;
  }
  std::filesystem::remove_all(folder);
}

/// More processes than those whose messages share links exactly.
TEST(Tool, PredictsAPlacementAlikeWhateverThePolicy) {
  const auto placed = [](const char* policy) {
    const Ran ran =
        run_tool({"place", "--profile", "lu.S", "-n", "289", "--policy", policy, "--inventory",
                  "cluster:4(5ms,50Mbit/s) node:80(100us,100Mbit/s)", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return Json::parse(ran.out);
  };
  const Json ours = placed("ours");
  std::int64_t full = 0;
  for (const Json& candidate : ours["candidates"]) {
    if (candidate["policy"] == "full") full = candidate["predicted_ps"].get<std::int64_t>();
  }
  EXPECT_GT(full, 0);
  EXPECT_EQ(placed("full")["predicted_ps"].get<std::int64_t>(), full);
}

TEST(Tool, LeavesAFolderAloneThatIsNoLabs) {
  const std::string folder = testing::TempDir() + "tool_test_thesis";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/thesis.tex") << "years of work";
  for (const Words& words : {Words{"lab", "down", "--state", folder}, Words{"lab", "down"},
                             Words{"lab", "up", "proc:2(5us)"}}) {
    const Ran ran = run_tool(words, {"ESPALIER_LAB=" + folder});
    EXPECT_NE(ran.exit_code, 0) << ran.out;
    EXPECT_NE(ran.err, "");
    EXPECT_TRUE(std::filesystem::exists(folder + "/thesis.tex"));
  }
  EXPECT_NE(run_tool({"lab", "down", "--state", folder}).err.find("it is no lab's folder"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace espalier
