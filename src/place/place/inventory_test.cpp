#include <fmt/format.h>
#include <gtest/gtest.h>

#include "map/problem.hpp"
#include "place/build_inventory.hpp"
#include "place/load_inventory.hpp"
#include "place/write_hosts.hpp"
#include "profile/workload.hpp"
#include "support/inventory_from.hpp"

namespace espalier::place {
namespace {

using profile::Profile;

TEST(Inventory, HostsOfAMachineHaveTheNamesOfALabIfTheirOwnAreNotUnique) {
  const map::Inventory same = inventory_from("site:2(5ms) machine:1|2(1ms) proc:2");
  std::vector<std::string> names;
  for (const map::Host& host : same.hosts) names.push_back(host.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"site0-machine0", "site1-machine0", "site1-machine1"}));
  EXPECT_EQ(inventory_from("node:2(1ms) proc:2").hosts[1].name, "node1");
}

TEST(Inventory, SocketsArePartsOfAHost) {
  const auto names_of = [](const char* machine) {
    std::vector<std::string> names;
    for (const map::Host& host : inventory_from(machine).hosts) {
      names.push_back(fmt::format("{}:{}", host.name, host.slots));
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of("node:2(10us) socket:2(1us) core:2(100ns)"), (Names{"node0:4", "node1:4"}));
  EXPECT_EQ(names_of("site:2(5ms) node:1(10us) numa:2(1us) l3:2(100ns) proc:1"),
            (Names{"site0-node0:4", "site1-node0:4"}));
  EXPECT_EQ(names_of("site:2(5ms) node:2(10us) proc:2").size(), 4U) << "sites are no computers";
  EXPECT_EQ(names_of("socket:2(1us) core:2(100ns)"), (Names{"socket0:2", "socket1:2"}));
}

TEST(WriteHosts, NamesTheCoreWhereSocketsMatter) {
  const map::Inventory inventory = inventory_from("node:2(10us) socket:2(1us) core:2(100ns)");
  const Profile profile = *profile::make_workload("ep.S", 3);
  const auto problem = make_problem(inventory, profile, {});
  ASSERT_TRUE(problem.has_value()) << problem.error();
  EXPECT_EQ(problem->parts, 4U);
  EXPECT_EQ(write_hosts(*problem, {6, 3, 4}, HostsForm::OpenMpiRankfile),
            "rank 0=node1 slot=2\nrank 1=node0 slot=3\nrank 2=node1 slot=0\n");
}

TEST(LaunchLine, QuotesTheFile) {
  const auto inventory = parse_inventory("n1 slots=2\n", "hosts");
  const Profile profile = *profile::make_workload("ep.S", 2);
  const auto problem = make_problem(*inventory, profile, {});
  EXPECT_EQ(launch_line(*problem, {0, 1}, HostsForm::MpichMachinefile, "my hosts; it's"),
            "mpiexec -n 2 -f 'my hosts; it'\\''s' PROGRAM");
}

TEST(MakeProblem, RefusesWhatCannotBe) {
  const map::Inventory inventory = inventory_from("cluster:2(1ms) node:2(1us)");
  const Profile profile = *profile::make_workload("ep.S", 4);
  EXPECT_TRUE(make_problem(inventory, profile, {}).has_value());
  const std::string host = inventory.hosts[0].name;
  EXPECT_FALSE(make_problem(inventory, profile, {.exclude = {host}, .pins = {}}).has_value());
  EXPECT_FALSE(make_problem(inventory, profile, {.exclude = {"nobody"}, .pins = {}}).has_value());
  EXPECT_FALSE(make_problem(inventory, profile, {.exclude = {}, .pins = {{9, host}}}).has_value());
  EXPECT_FALSE(make_problem(inventory, profile, {.exclude = {}, .pins = {{0, host}, {1, host}}})
                   .has_value());
  EXPECT_FALSE(make_problem(inventory, profile, {.exclude = {}, .pins = {{0, host}, {0, host}}})
                   .has_value());
}

TEST(Inventory, ComesFromHostfilesSlurmAndJson) {
  const auto hosts =
      parse_inventory("n1 slots=2 max_slots=2\nn2:3 # two\nn3 priority=high\nn3\n", "hosts");
  ASSERT_TRUE(hosts.has_value()) << hosts.error();
  ASSERT_EQ(hosts->hosts.size(), 3U);
  EXPECT_EQ(hosts->hosts[1].slots, 3U);
  EXPECT_EQ(hosts->hosts[2].slots, 2U);
  EXPECT_EQ(hosts->machine.size(), 7U);
  const auto old = parse_inventory(
      R"({"nodes": [{"name": "a", "cpus": 8, "alloc_cpus": 2, "state": "mixed", "partitions": ["x"]},
          {"name": "b", "cpus": 4, "alloc_cpus": 0, "state": "down", "partitions": ["x"]},
          {"name": "c", "cpus": 4, "state": "idle", "state_flags": ["DRAIN"], "partitions": ["x"]}]})",
      "s");
  ASSERT_TRUE(old.has_value()) << old.error();
  EXPECT_EQ(old->hosts[0].slots, 6U);
  EXPECT_EQ(old->hosts[1].state, map::HostState::Down);
  EXPECT_EQ(old->hosts[2].state, map::HostState::Down);
  const auto later = parse_inventory(
      R"({"sinfo": [{"node": {"state": ["IDLE"]}, "nodes": {"nodes": ["a", "b"]},
          "cpus": {"total": 16, "allocated": 0}, "partition": {"name": "p"}}]})",
      "s");
  ASSERT_TRUE(later.has_value()) << later.error();
  EXPECT_EQ(later->hosts[1].slots, 8U);
  const auto switches = parse_inventory(
      "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\nSwitchName=s1 Level=0 LinkSpeed=1 "
      "Nodes=n[2-3]\nSwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]\n",
      "t");
  ASSERT_TRUE(switches.has_value()) << switches.error();
  EXPECT_EQ(switches->hosts[2].name, "n2");
  EXPECT_EQ(switches->hosts[2].cluster, "s1");
  for (const char* bad :
       {"", "n1 slots=0\n", "n1 what\n", "n1 slot=4\n", "n$\n", "{}",
        "{\"format\": \"espalier-inventory-1\"}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": []}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a b\"}]}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a;touch x\"}]}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a\", \"slots\": 0}]}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a\", \"speed\": 0}]}"}) {
    EXPECT_FALSE(parse_inventory(bad, "f").has_value()) << bad;
  }
}

constexpr const char* kPartitions = R"({"nodes": [
  {"name": "a", "cpus": 2, "state": "idle", "partitions": ["Fast"]},
  {"name": "b", "cpus": 2, "state": "IDLE", "partitions": ["fast"]}]})";

TEST(Inventory, NoNameOfAHostIsAnOption) {
  EXPECT_TRUE(is_host_name("n1-a.b_c"));
  for (const char* name : {"", "-x", "--map-by", "a b", "a/b"}) EXPECT_FALSE(is_host_name(name));
}

TEST(Inventory, PartitionsKeepTheirCase) {
  const auto inventory = parse_inventory(kPartitions, "s");
  ASSERT_TRUE(inventory.has_value()) << inventory.error();
  EXPECT_EQ(inventory->hosts[0].cluster, "Fast");
  EXPECT_EQ(inventory->hosts[1].cluster, "fast");
  EXPECT_EQ(inventory->hosts[1].state, map::HostState::Free);
}

TEST(Inventory, ForecastsAreLinksBetweenPartitionsToo) {
  const auto now = parse_inventory(kPartitions, "s", {{"w", "fast", "Fast", milliseconds(7)}});
  ASSERT_TRUE(now.has_value()) << now.error();
  EXPECT_EQ(now->machine.path(0, 2).latency, milliseconds(7));
  EXPECT_FALSE(parse_inventory(kPartitions, "s", {{"w", "x", "y", milliseconds(7)}}).has_value());
}

TEST(WriteHosts, NamesEveryRanksHost) {
  const auto inventory = parse_inventory("n1 slots=2\nn2 slots=2\n", "hosts");
  const Profile profile = *profile::make_workload("ep.S", 3);
  const auto problem = make_problem(*inventory, profile, {});
  const map::Placement placement{2, 0, 3};
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::OpenMpiRankfile),
            "rank 0=n2 slot=0\nrank 1=n1 slot=0\nrank 2=n2 slot=1\n");
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::OpenMpiHostfile), "n2\nn1\nn2\n");
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::MpichMachinefile), "n2:1\nn1:1\nn2:1\n");
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::SlurmHostfile), "n2\nn1\nn2\n");
  EXPECT_TRUE(note_on_hosts(*problem, placement, HostsForm::MpichMachinefile)
                  .starts_with("n2 comes again in the machinefile at rank 2, "));
  EXPECT_EQ(note_on_hosts(*problem, placement, HostsForm::OpenMpiRankfile), "");
  EXPECT_EQ(launch_line(*problem, placement, HostsForm::OpenMpiRankfile, "ranks"),
            "mpiexec -n 3 --host n2:2,n1:1 --rankfile ranks PROGRAM");
  EXPECT_EQ(launch_line(*problem, placement, HostsForm::OpenMpiHostfile, "hosts"),
            "mpiexec -n 3 --hostfile hosts --map-by seq:OVERSUBSCRIBE PROGRAM");
}

}  // namespace
}  // namespace espalier::place
