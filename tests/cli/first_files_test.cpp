// What somebody who uses the tool for the first time tries: files, pipes and drawings.
#include <gtest/gtest.h>

#include <regex>

#include "cli/first_use.hpp"

namespace espalier {
namespace {

TEST(FirstUse, DrawingsHaveBytesOfOneStyle) {
  const Words drawn{"simulate", "allgather", "-m", kFirstGrid, "--size", "1230", "--svg", "-"};
  const std::string svg = succeeded(drawn).out;
  const std::regex bytes("messages?, ([0-9.]+) ([kMGKi]*B)\\)");
  std::size_t levels = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), bytes), end; it != end; ++it, ++levels) {
    EXPECT_TRUE((*it)[2] == "kB" || (*it)[2] == "MB") << it->str();
  }
  EXPECT_EQ(levels, 3U) << svg;
}

// Whatever the page shows may come through a pipe, told apart by what is in it.
TEST(FirstUse, ViewReadsPipes) {
  const Ran usual = run_tool({"view", "proc:2", "--html", "-"});
  if (has(usual.err, "has no page")) GTEST_SKIP() << usual.err;
  EXPECT_EQ(usual.exit_code, 0) << usual.err;
  const std::string page = " --html - --operation barrier | grep -c '<!doctype html>' ";
  EXPECT_EQ(run_shell("echo 'proc:3(1us)' | \"$ESPALIER\" view -" + page).out, "1\n");
  EXPECT_EQ(run_shell("\"$ESPALIER\" view <(echo 'proc:3(1us)')" + page).out, "1\n");
  const std::string schedule = "\"$ESPALIER\" plan barrier -m 'proc:4(1us)' --schedule - ";
  const Ran piped = run_shell(schedule + "| \"$ESPALIER\" view - -m 'proc:4(1us)' --html -");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_TRUE(has(piped.out, "from the file")) << piped.err;
  const std::string hosts = first_file("viewed_hosts", "n1 slots=2\nn2 slots=2\n");
  const Ran placed = run_shell("\"$ESPALIER\" place --profile lu.S -n 4 -i " + hosts +
                               " --json | \"$ESPALIER\" view - -m " + hosts + " --html - ");
  EXPECT_EQ(placed.exit_code, 0) << placed.err;
  EXPECT_TRUE(has(placed.out, "standard input")) << placed.err;
  const Ran twice = run_shell(schedule + "| \"$ESPALIER\" view - -m - --html -");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_TRUE(has(twice.err, "it was read already")) << twice.err;
}

TEST(FirstUse, ExamplesOfMachinesHaveNamesAndAFileHereComesFirst) {
  EXPECT_TRUE(has(succeeded({"show", "three-machines"}).out, "48 processes"));
  EXPECT_TRUE(has(succeeded({"plan", "barrier", "-m", "hnow-8"}).out, "among 8 processes"));
  EXPECT_EQ(run_tool({"place", "--profile", "lu.S", "-n", "4", "-i", "hnow-8"}).exit_code, 0);
  const Ran mistyped = run_tool({"show", "three-machine"});
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_TRUE(has(mistyped.err, "did you mean \"three-machines\"")) << mistyped.err;
  const std::string folder = testing::TempDir() + "first_use_names";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/hnow-8") << "proc:3(1us)";
  EXPECT_TRUE(has(run_shell("cd " + folder + " && \"$ESPALIER\" show hnow-8").out, "3 processes"));
}

TEST(FirstUse, ExportMakesItsFolderAndNamesItsFilesInIt) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "first_use_export" / "in";
  std::filesystem::remove_all(folder.parent_path());
  const Ran ran = succeeded(
      {"export", "openmpi", "-m", "site:2(10ms,100Mbit/s) proc:2(1us)", "-o", folder.string()});
  EXPECT_TRUE(has(ran.out, "rules_filename " + (folder / "openmpi-rules.conf").string() +
                               " --rankfile " + (folder / "ranks.txt").string() + " ..."))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "\npreload: ")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\nnative: ")) << ran.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "openmpi-rules.conf"));
  EXPECT_TRUE(std::filesystem::exists(folder / "ranks.txt"));
  std::filesystem::remove_all(folder.parent_path());
}

TEST(FirstUse, StandardInputPipesAndSubstitutionsAreFiles) {
  const std::string machine = "echo '" + kFirstGrid + "' | \"$ESPALIER\" ";
  const std::string direct = succeeded({"show", kFirstGrid}).out;
  EXPECT_EQ(run_shell(machine + "show -").out, direct);
  EXPECT_EQ(run_shell(machine + "show /dev/stdin").out, direct);
  EXPECT_EQ(run_shell("\"$ESPALIER\" show <(echo '" + kFirstGrid + "')").out, direct);
  const std::string file = first_file("schedule.json", "");
  (void)succeeded({"plan", "broadcast", "-m", kFirstGrid, "--schedule", file});
  for (const char* how : {"cat {} | \"$ESPALIER\" verify -", "\"$ESPALIER\" verify <(cat {})",
                          "\"$ESPALIER\" convert - --to goal <{}",
                          "cat {} | \"$ESPALIER\" simulate --schedule - -m 'proc:16(1us)'"}) {
    std::string line = how;
    line.replace(line.find("{}"), 2, file);
    const Ran ran = run_shell(line);
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
  }
  for (const char* line :
       {"printf '0 9\\n9 0\\n' | \"$ESPALIER\" profile show -",
        "printf 'n1 slots=4\\n' | \"$ESPALIER\" place --profile lu.W -n 4 -i -",
        "\"$ESPALIER\" place --profile lu.W -n 4 -i <(echo 'node:2(5us) proc:2(1us)')",
        "printf '1 2 3 4' | \"$ESPALIER\" plan scatterv -m 'proc:4(5us)' --counts -",
        "\"$ESPALIER\" plan scatterv -m 'proc:4(5us)' --counts <(echo 1 2 3 4)"}) {
    const Ran ran = run_shell(line);
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
  }
}

TEST(FirstUse, TracesComeThroughPipesToo) {
  const std::string file = std::string(ESPALIER_SOURCE_DIR) + "/tests/data/trace/three-calls.trace";
  EXPECT_EQ(run_shell("\"$ESPALIER\" trace - < " + file).out, succeeded({"trace", file}).out);
}

TEST(FirstUse, TheFirstCallAlongAPlanIsNotTheLargestDifferenceOfATrace) {
  const std::string out =
      succeeded({"trace", std::string(ESPALIER_SOURCE_DIR) + "/tests/data/trace/three-calls.trace"})
          .out;
  // Call 0 is the only broadcast; 1 and 2 are allreduces along one plan.
  EXPECT_TRUE(has(out, "\nlargest difference: call 0, ")) << out;
  EXPECT_TRUE(has(out, "which opens connections: call 1, ")) << out;
  EXPECT_TRUE(has(out, "native calls are not in a trace")) << out;
}

TEST(FirstUse, AByteOrderMarkIsNoError) {
  const std::string file =
      first_file("marked", "\xef\xbb\xbf" + succeeded({"show", kFirstGrid, "--json"}).out);
  EXPECT_EQ(succeeded({"show", file}).out, succeeded({"show", kFirstGrid}).out);
}

TEST(FirstUse, ADrawingInAFileDoesNotSilenceTheText) {
  const std::string file = first_file("drawing.svg", "");
  for (const Words& words :
       {Words{"show", kFirstGrid}, Words{"compare", "-m", kFirstGrid},
        Words{"plan", "barrier", "-m", kFirstGrid}, Words{"simulate", "barrier", "-m", kFirstGrid},
        Words{"profile", "show", "lu.W"}, Words{"group", "simulate", "-n", "64"}}) {
    Words drawn = words;
    drawn.insert(drawn.end(), {"--svg", file});
    EXPECT_EQ(succeeded(drawn).out, succeeded(words).out) << words[0];
  }
}

}  // namespace
}  // namespace espalier
