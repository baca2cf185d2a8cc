#include "tuning/report.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::tuning {
namespace {

using select::NativeMpi;

/// Two racks of two nodes of two processes.
topology::Machine racks(const std::string& first, const std::string& second) {
  const std::string text =
      R"({"format": "espalier-machine-1", "levels": [
          {"members": "rack", "latency": "50 us"}, {"members": "node", "latency": "20 us"},
          {"members": "process", "latency": "1 us"}],
          "children": [{"children": [)" +
      first + R"(]}, {"children": [)" + second + "]}]}";
  auto machine = topology::read_json(text, "racks.json");
  EXPECT_TRUE(machine) << to_string(machine.error());
  return *std::move(machine);
}

TEST(RankOrderFile, CallsHostsByTheirOwnNames) {
  const auto machine =
      racks(R"({"name": "n[1-2]", "processes": 2})",
            R"({"name": "N3", "processes": 2}, {"name": "n4.site", "processes": 2})");
  EXPECT_EQ(rank_order_file(machine, NativeMpi::OpenMpi),
            "rank 0=n1 slot=0\nrank 1=n1 slot=1\nrank 2=n2 slot=0\nrank 3=n2 slot=1\n"
            "rank 4=N3 slot=0\nrank 5=N3 slot=1\nrank 6=n4.site slot=0\nrank 7=n4.site slot=1\n");
  EXPECT_EQ(rank_order_file(machine, NativeMpi::Mpich), "n1:2\nn2:2\nN3:2\nn4.site:2\n");
}

TEST(RankOrderFile, CallsHostsAsALabDoesIfNotAllHaveNamesOfTheirOwn) {
  const std::string as_in_a_lab = "rack0-n1:2\nrack0-n2:2\nrack1-n1:2\nrack1-n2:2\n";
  const std::string named = R"({"name": "n[1-2]", "processes": 2})";
  EXPECT_EQ(rank_order_file(racks(named, named), NativeMpi::Mpich), as_in_a_lab);
  const std::string spaced = R"({"name": "n 3", "processes": 2}, {"name": "n 4", "processes": 2})";
  EXPECT_EQ(rank_order_file(racks(named, spaced), NativeMpi::Mpich),
            "rack0-n1:2\nrack0-n2:2\nrack1-n-3:2\nrack1-n-4:2\n");
  const std::string unnamed = R"({"processes": 2}, {"processes": 2})";
  EXPECT_EQ(rank_order_file(racks(named, unnamed), NativeMpi::Mpich),
            "rack0-n1:2\nrack0-n2:2\nrack1-node0:2\nrack1-node1:2\n");
}

/// One row: 8 s natively, 4 s with the file, 2 s with the preload. That is half of the gain.
TEST(ExportText, SaysWhatTheShareOfTheGainIs) {
  SizeRule row;
  row.native = milliseconds(8000);
  row.tuned = milliseconds(4000);
  row.preloaded = milliseconds(2000);
  OperationRules rules;
  rules.operation = schedule::Operation::Broadcast;
  rules.rows = {row};
  ScopeRules all;
  all.operations = {rules};
  Export made;
  made.tuning.scopes = {all};
  const std::string text = export_text(made, {});
  EXPECT_NE(text.find("has 50 % of the preload's gain on a log scale: the sum over the table of "
                      "log(native / with file), beside that of log(native / preload)."),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace espalier::tuning
