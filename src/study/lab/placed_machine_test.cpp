
#include <gtest/gtest.h>

#include <span>

#include "lab/hosts.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/load_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::lab {
namespace {

const char* const kGrid = "site:2(5ms) machine:1|2(1ms) proc:2";

topology::Machine machine_of(const std::string& text) {
  return topology::load_machine(text).value().machine;
}

std::vector<std::string> hosts_by_rank(const topology::Machine& machine) {
  const std::vector<LabHost> hosts = hosts_of(machine).value();
  std::vector<std::string> names;
  for (const std::size_t h : host_of_rank(hosts, machine.size())) names.push_back(hosts[h].name);
  return names;
}

std::string refusal(const std::string& text) {
  const auto placed = placed_machine(machine_of(kGrid), text, "hosts");
  return placed ? "" : placed.error().where + ": " + placed.error().what;
}

/// Sites of one machine need not describe their computers to the same depth.
TEST(PlacedMachine, TakesComputersForHostsWhetherTheirSocketsAreToldOrNot) {
  const auto machine = topology::read_json(R"({"format": "espalier-machine-1", "levels": [
      {"members": "site", "latency": "15 ms"}, {"members": "node", "latency": "50 us"},
      {"members": "socket", "latency": "500 ns"}, {"members": "core", "latency": "300 ns"}],
      "children": [
        {"name": "lyon", "children": [{"name": "ly1", "children": [{"name": "s[0-1]", "processes": 2}]}]},
        {"name": "bonn", "children": [{"name": "bo[1-2]", "processes": 2}]}]})",
                                           "grid.json");
  EXPECT_EQ(hosts_by_rank(machine.value()),
            (std::vector<std::string>{"lyon-ly1", "lyon-ly1", "lyon-ly1", "lyon-ly1", "bonn-bo1",
                                      "bonn-bo1", "bonn-bo2", "bonn-bo2"}));
}

TEST(PlacedMachine, PutsEachRankOnItsHost) {
  const auto placed = placed_machine(machine_of(kGrid),
                                     "# ranks\nsite1-machine1\nsite0-machine0:2\n\n"
                                     "site1-machine0\nsite1-machine1\nsite1-machine0 \n",
                                     "hosts");
  EXPECT_EQ(hosts_by_rank(placed.value()),
            (std::vector<std::string>{"site1-machine1", "site0-machine0", "site0-machine0",
                                      "site1-machine0", "site1-machine1", "site1-machine0"}));
}

TEST(PlacedMachine, KeepsProcessesWithoutARankBehind) {
  const auto placed = placed_machine(machine_of(kGrid), "site1-machine1:2", "hosts");
  EXPECT_EQ(hosts_by_rank(placed.value()),
            (std::vector<std::string>{"site1-machine1", "site1-machine1", "site0-machine0",
                                      "site0-machine0", "site1-machine0", "site1-machine0"}));
}

TEST(PlacedMachine, TakesTheEndOfANameIfNoOtherEndsSo) {
  EXPECT_EQ(hosts_by_rank(placed_machine(machine_of(kGrid), "machine1", "hosts").value())[0],
            "site1-machine1");
  EXPECT_EQ(refusal("machine0"), "hosts:1: several hosts of the machine end in \"machine0\"");
}

TEST(PlacedMachine, RefusesWhatIsNotThere) {
  EXPECT_EQ(refusal("site1-machine0\nsaturn\n"), "hosts:2: the machine has no host \"saturn\"");
  EXPECT_EQ(refusal("site0-machine0:3"),
            "hosts:1: more ranks on site0-machine0 than it has processes");
  EXPECT_EQ(refusal("site0-machine0:x"), "hosts:1: \"x\" is no number of ranks");
  EXPECT_EQ(refusal("site0-machine0:0"), "hosts:1: \"0\" is no number of ranks");
  EXPECT_EQ(refusal("rank 0=site0-machine0 slot=0"),
            "hosts:1: it is a rankfile of Open MPI; the lab takes a file of hosts");
  EXPECT_EQ(refusal("rank 0=site0-machine0 slot=0:0-1"),
            "hosts:1: it is a rankfile of Open MPI; the lab takes a file of hosts");
  EXPECT_EQ(refusal("site0-machine0 slots=2"), "hosts:1: \"site0-machine0 slots=2\" is no host");
  EXPECT_EQ(refusal("# nothing\n"), "hosts: no host");
}

TEST(PlacedMachineProperty, AnyOrderOfTheHostsComesOutAsItWasListed) {
  for_all_seeds(200, [](auto& rng) {
    const topology::Machine machine = machine_of("site:2(5ms) machine:2|3(1ms) proc:1|2|3|1|2");
    std::vector<std::string> wanted = hosts_by_rank(machine);
    rng.shuffle(std::span(wanted));
    std::string text;
    for (const std::string& host : wanted) text += host + "\n";
    ASSERT_EQ(hosts_by_rank(placed_machine(machine, text, "hosts").value()), wanted);
  });
}

}  // namespace
}  // namespace espalier::lab
