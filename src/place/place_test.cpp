#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "place/load_inventory.hpp"
#include "place/mappings.hpp"
#include "place/portfolio.hpp"
#include "place/replay.hpp"
#include "place/write_hosts.hpp"
#include "profile/trace_writer.hpp"
#include "profile/workload.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_placements.hpp"
#include "topology/load_machine.hpp"

namespace espalier::place {
namespace {

using profile::Profile;

Inventory inventory_from(const std::string& text) {
  auto inventory = load_inventory(text);
  EXPECT_TRUE(inventory.has_value()) << inventory.error();
  return std::move(*inventory);
}

/// Five clusters of four nodes; C is nearest to the others, then A, E, D, B.
const char* const kFigure4 = R"({"format": "espalier-inventory-1",
"inside": {"latency": "100 us", "bandwidth": "100 Mbit/s"},
"between": {"latency": "10 ms", "bandwidth": "20 Mbit/s"},
"links": [
{"between": ["C", "A"], "latency": "2 ms"}, {"between": ["C", "E"], "latency": "3 ms"},
{"between": ["C", "D"], "latency": "4 ms"}, {"between": ["C", "B"], "latency": "9 ms"},
{"between": ["A", "E"], "latency": "4 ms"}, {"between": ["A", "D"], "latency": "5 ms"},
{"between": ["A", "B"], "latency": "10 ms"}, {"between": ["E", "D"], "latency": "6 ms"},
{"between": ["E", "B"], "latency": "11 ms"}, {"between": ["D", "B"], "latency": "12 ms"}],
"hosts": [{"name": "a[1-4]", "cluster": "A"}, {"name": "b[1-4]", "cluster": "B"},
{"name": "c[1-4]", "cluster": "C"}, {"name": "d[1-4]", "cluster": "D"},
{"name": "e[1-4]", "cluster": "E"}]})";

std::string cluster_of(const Problem& problem, const Placement& placement, Rank p) {
  return problem.clusters[problem.slots[placement[p]].cluster];
}

TEST(Inventory, HostsOfAMachineHaveTheNamesOfALabIfTheirOwnAreNotUnique) {
  const Inventory same = inventory_from("site:2(5ms) machine:1|2(1ms) proc:2");
  std::vector<std::string> names;
  for (const Host& host : same.hosts) names.push_back(host.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"site0-machine0", "site1-machine0", "site1-machine1"}));
  EXPECT_EQ(inventory_from("node:2(1ms) proc:2").hosts[1].name, "node1");
}

TEST(SelectTopology, DoesFigure4OfThePaper) {
  const auto inventory = parse_inventory(kFigure4, "f");
  ASSERT_TRUE(inventory.has_value()) << inventory.error();
  for (const std::uint64_t heavy : {1U, 2U, 4U, 16U}) {
    const auto lu = profile::make_workload("lu.W", 16, {.heavy_factor = heavy});
    const auto problem = make_problem(*inventory, *lu, {});
    ASSERT_TRUE(problem.has_value()) << problem.error();
    const Selection s = select_topology(*problem, kFullSelection);
    std::string order;
    for (const RankedCluster& c : s.clusters) order += problem->clusters[c.cluster];
    EXPECT_EQ(order, "CAEDB");
    EXPECT_EQ(s.explanation.size(), 6U);
    ASSERT_EQ(s.heavy.size(), 2U);
    for (const Rank p : {5U, 6U, 9U, 10U}) EXPECT_EQ(cluster_of(*problem, s.placement, p), "C");
    EXPECT_EQ(cluster_of(*problem, s.placement, 4), cluster_of(*problem, s.placement, 8));
    EXPECT_EQ(cluster_of(*problem, s.placement, 7), cluster_of(*problem, s.placement, 11));
    for (Rank p = 0; p < 16; ++p) EXPECT_NE(cluster_of(*problem, s.placement, p), "B");
  }
}

TEST(SelectTopology, ObeysEachPrincipleAlone) {
  const auto inventory = parse_inventory(kFigure4, "f");
  const auto lu = profile::make_workload("lu.W", 16, {.heavy_factor = 4});
  const auto problem = make_problem(*inventory, *lu, {});
  const Selection none = select_topology(*problem, kNoPolicy);
  for (Rank p = 0; p < 16; ++p) EXPECT_EQ(none.placement[p], p);
  const Selection b = select_topology(*problem, {false, true, false, false});
  EXPECT_EQ(cluster_of(*problem, b.placement, 0), "C");
  EXPECT_EQ(cluster_of(*problem, b.placement, 15), "D");
  const Selection d = select_topology(*problem, {false, false, false, true});
  EXPECT_EQ(cluster_of(*problem, d.placement, 4), cluster_of(*problem, d.placement, 8));
  const Selection c = select_topology(*problem, {true, true, true, false});
  EXPECT_EQ(cluster_of(*problem, c.placement, 5), "C");
  EXPECT_TRUE(c.heavy.empty());
}

TEST(SelectTopology, KeepsAHeavyPairTogetherIfOneOfItIsPinned) {
  const auto inventory = parse_inventory(kFigure4, "f");
  const auto lu = profile::make_workload("lu.W", 16, {.heavy_factor = 4});
  for (const char* host : {"b1", "d2", "c4"}) {
    Constraints constraints;
    constraints.pins = {{4, host}, {0, "b4"}};
    const auto problem = make_problem(*inventory, *lu, constraints);
    ASSERT_TRUE(problem.has_value()) << problem.error();
    const Selection s = select_topology(*problem, kFullSelection);
    EXPECT_TRUE(is_valid(*problem, s.placement));
    EXPECT_EQ(cluster_of(*problem, s.placement, 4), cluster_of(*problem, s.placement, 8));
    EXPECT_EQ(cluster_of(*problem, s.placement, 7), cluster_of(*problem, s.placement, 11));
  }
}

TEST(SelectTopology, TakesTheFewestClustersEvenIfOthersAreNearer) {
  const Inventory inventory = inventory_from("cluster:3(1ms) node:2|2|4(10us)");
  const Profile four = *profile::make_workload("ep.S", 4);
  const auto problem = make_problem(inventory, four, {});
  ASSERT_TRUE(problem.has_value());
  const Selection s = select_topology(*problem, kSortedList);
  for (Rank p = 0; p < 4; ++p) EXPECT_EQ(problem->slots[s.placement[p]].cluster, 2U);
  const Selection without = select_topology(*problem, {false, true, false, false});
  EXPECT_EQ(problem->slots[without.placement[0]].cluster, 0U);
}

/// The trace as a schedule, message by message, for the simulator.
schedule::Schedule as_schedule(const Profile& profile) {
  schedule::Schedule schedule;
  schedule.call.operation = schedule::Operation::Unknown;
  schedule.call.size = profile.size();
  std::map<std::pair<Rank, Rank>, std::uint32_t> sent, received;
  for (Rank r = 0; r < profile.size(); ++r) {
    schedule::Program program;
    program.rank = r;
    program.scratch_units = 1U << 20;
    for (const profile::Action& a : profile.processes[r].actions) {
      if (a.kind == profile::ActionKind::Sent) continue;  // its sends block anyway
      schedule::Op op;
      if (!program.ops.empty()) {
        op.first_dep = static_cast<std::uint32_t>(program.deps.size());
        op.dep_count = 1;
        program.deps.push_back(static_cast<std::uint32_t>(program.ops.size() - 1));
      }
      const schedule::Region region{schedule::Buffer::Scratch, 0, a.bytes, {}, {}};
      if (a.kind == profile::ActionKind::Compute) {
        op.kind = schedule::OpKind::Compute;
        op.takes = a.takes;
      } else {
        const bool is_send = a.kind == profile::ActionKind::Send;
        op.kind = is_send ? schedule::OpKind::Send : schedule::OpKind::Recv;
        op.peer = a.peer;
        op.tag = is_send ? sent[{r, a.peer}]++ : received[{a.peer, r}]++;
        (is_send ? op.from : op.to) = region;
      }
      program.ops.push_back(op);
    }
    schedule.programs.push_back(std::move(program));
  }
  return schedule;
}

/// What both come to: the replay of a placement, and the simulator on a machine so placed.
void expect_agreement(const Profile& profile, const std::string& machine, Bytes eager_limit,
                      Random& rng) {
  const Inventory inventory = inventory_from(machine);
  const auto problem = make_problem(inventory, profile, {});
  Placement placement(problem->slots.size());
  std::iota(placement.begin(), placement.end(), 0U);
  rng.shuffle(std::span(placement));
  std::vector<topology::Leaf> leaves;
  for (const std::uint32_t s : placement) leaves.push_back(problem->slots[s].leaf);
  placement.resize(profile.size());
  Profile filled = profile;  // the simulator wants a process on every leaf
  filled.processes.resize(problem->slots.size());
  const auto placed = topology::with_placement(inventory.machine, leaves);
  for (const auto sharing : {sim::Sharing::ExactMaxMin, sim::Sharing::OneBottleneck}) {
    sim::SimOptions options;
    options.sharing = sharing;
    options.eager_limit = eager_limit;
    options.ordered_pairs = sharing == sim::Sharing::OneBottleneck;
    options.shares_by_latency = true;
    const ReadyTrace trace(profile, 2'000'000, eager_limit);
    // Shares with weights are rounded, and depend a little on the order of what happens at once.
    const Time off = Replayer(*problem, trace, sharing).finish(placement) -
                     sim::simulate(as_schedule(filled), placed, options).finish;
    EXPECT_LE(std::abs(off.picoseconds), sharing == sim::Sharing::ExactMaxMin ? 10'000 : 0);
  }
}

/// The simulator shares no code with the replay but the links: both have to come to the same
/// time, with long messages that wait for their receivers and without.
TEST(ReplayProperty, AgreesWithTheSimulator) {
  for_all_seeds(200, [](Random& rng) {
    const auto size = static_cast<Rank>(2 + rng.below(8));
    const Bytes eager_limit{rng.chance(50) ? 1U << 30 : 8192U};
    Profile profile = random_profile(rng, size);
    for (profile::Process& process : profile.processes) {
      std::vector<profile::Action> blocking;
      for (const profile::Action& a : process.actions) {
        blocking.push_back(a);
        if (a.kind == profile::ActionKind::Send) {
          profile::TraceWriter(blocking).sent(a.peer, a.bytes);
        }
      }
      process.actions = std::move(blocking);
    }
    const std::string nodes = " node:" + std::to_string(size) + "(50us";
    const std::string costs = "send=10us+1Gbit/s,recv=7us)";
    expect_agreement(profile, "cluster:2(5ms)" + nodes + "," + costs, eager_limit, rng);
    expect_agreement(profile, "cluster:2(5ms,9Mbit/s)" + nodes + ",100Mbit/s," + costs, eager_limit,
                     rng);
  });
}

/// Two processes, a message of a megabyte that takes 80 ms.
Problem two_on(const Inventory& inventory, const Profile& profile) {
  return *make_problem(inventory, profile, {});
}

TEST(Replay, LetsALongMessageWaitUntilItsReceiverIsReady) {
  const Inventory inventory = inventory_from("node:2(0us,100Mbit/s)");
  for (const bool posts : {false, true}) {
    Profile profile = profile::silent_profile("late", 2);
    profile::TraceWriter sender(profile.processes[0].actions);
    profile::TraceWriter receiver(profile.processes[1].actions);
    sender.blocking_send(1, 1'000'000);
    if (posts) receiver.post(0, 1'000'000);
    receiver.compute(milliseconds(50));
    receiver.recv(0, 1'000'000);
    const Problem problem = two_on(inventory, profile);
    const ReadyTrace waits(profile, 1000), never(profile, 1000, {1U << 30});
    Replayer replayer(problem, waits);
    EXPECT_EQ(replayer.finish({0, 1}), milliseconds(posts ? 80 : 130));
    EXPECT_EQ(replayer.clocks()[0], milliseconds(posts ? 80 : 130));  // it waits too
    EXPECT_EQ(Replayer(problem, never).finish({0, 1}), milliseconds(80));
  }
}

TEST(Replay, EndsEvenIfAllWaitForEachOther) {
  const Inventory inventory = inventory_from("node:2(0us,100Mbit/s)");
  Profile profile = profile::silent_profile("circle", 2);
  for (Rank p = 0; p < 2; ++p) {
    profile::TraceWriter writer(profile.processes[p].actions);
    writer.blocking_send(1 - p, 1'000'000);
    writer.recv(1 - p, 1'000'000);
  }
  const Problem problem = two_on(inventory, profile);
  const ReadyTrace trace(profile, 1000);
  for (const auto sharing : {sim::Sharing::ExactMaxMin, sim::Sharing::OneBottleneck}) {
    EXPECT_EQ(Replayer(problem, trace, sharing).finish({0, 1}), milliseconds(80));
  }
}

/// A link serves what comes to it first: a message that is still on a long way holds nobody up.
TEST(Replay, DoesNotKeepAShortWayWaitingForAMessageOnALongOne) {
  const Inventory inventory =
      inventory_from("cluster:2(1s,1Gbit/s) node:2(1ms,1Gbit/s) proc:2(1us)");
  Profile profile = profile::silent_profile("fork", 8);
  std::vector<profile::Process>& p = profile.processes;
  profile::TraceWriter(p[0].actions).send(4, 100);  // to the other cluster
  profile::TraceWriter(p[4].actions).recv(0, 100);
  profile::TraceWriter(p[1].actions).compute(microseconds(1));
  profile::TraceWriter(p[1].actions).send(2, 100);  // to the next node, over the same uplink
  profile::TraceWriter(p[2].actions).recv(1, 100);
  count_pairs(profile);
  const auto problem = make_problem(inventory, profile, {});
  ASSERT_TRUE(problem.has_value()) << problem.error();
  Placement placement(8);
  std::iota(placement.begin(), placement.end(), 0U);
  const ReadyTrace trace(profile, 1000);
  Replayer replayer(*problem, trace);
  EXPECT_GE(replayer.finish(placement), seconds(1));
  EXPECT_LT(replayer.clocks()[2], milliseconds(3));
}

TEST(Replay, TakesTheSpeedOfANodeIntoAccount) {
  const Inventory inventory = inventory_from("node:2(1us,speed=1|2)");
  Profile one = profile::silent_profile("one", 1);
  profile::TraceWriter(one.processes[0].actions).compute(seconds(3));
  const auto problem = make_problem(inventory, one, {});
  EXPECT_EQ(predict(*problem, {0}), seconds(3));
  EXPECT_EQ(predict(*problem, {1}), milliseconds(1500));
  EXPECT_EQ(place_processes(*problem).candidates[place_processes(*problem).chosen].placement,
            Placement{1});
}

TEST(Replay, OfACutLoopComesCloseToAllOfIt) {
  for (const char* name : {"lu.S", "mg.W", "cg.S", "is.S"}) {
    const auto profile = profile::make_workload(name, 16, {.heavy_factor = 2});
    const Inventory inventory = inventory_from("cluster:4(5ms,50Mbit/s) node:4(100us,100Mbit/s)");
    const auto problem = make_problem(inventory, *profile, {});
    Placement placement(16);
    std::iota(placement.begin(), placement.end(), 0U);
    const ReadyTrace all(*profile, 50'000'000), brief(*profile, 20'000);
    EXPECT_FALSE(all.is_cut()) << name;
    const auto exact = to_seconds(Replayer(*problem, all).finish(placement));
    const auto close = to_seconds(Replayer(*problem, brief).finish(placement));
    EXPECT_NEAR(close / exact, 1, 0.02) << name << ": " << brief.steps() << " of " << all.steps();
  }
}

TEST(MappingsProperty, PlaceEveryProcessOnceAndObeyPins) {
  for_all_seeds(100, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(12));
    const Inventory inventory = inventory_from(random_inventory(rng, size));
    const Profile profile = random_profile(rng, size);
    Constraints constraints;
    if (rng.chance(50)) constraints.pins.emplace_back(0, inventory.hosts.back().name);
    const auto problem = make_problem(inventory, profile, constraints);
    ASSERT_TRUE(problem.has_value()) << problem.error();
    const Selection s = select_topology(*problem, kFullSelection);
    EXPECT_TRUE(is_valid(*problem, s.placement));
    EXPECT_TRUE(is_valid(*problem, scotch_placement(*problem, s.sorted)));
    EXPECT_TRUE(is_valid(*problem, grouped_placement(*problem, s.sorted)));
    EXPECT_TRUE(is_valid(*problem, greedy_placement(*problem, s.sorted)));
    EXPECT_EQ(scotch_placement(*problem, s.sorted), scotch_placement(*problem, s.sorted));
  });
}

const Candidate& named(const Answer& answer, const std::string& name) {
  return *std::find_if(answer.candidates.begin(), answer.candidates.end(),
                       [&](const Candidate& c) { return c.name == name; });
}

TEST(PortfolioProperty, IsAtLeastAsGoodAsScotchAndTreematchAloneOn200Machines) {
  for_all_seeds(200, [](Random& rng) {
    const auto size = static_cast<Rank>(4 + rng.below(20));
    const Inventory inventory = inventory_from(random_inventory(rng, size));
    const Profile profile = random_profile(rng, size);
    const auto problem = make_problem(inventory, profile, {});
    const Answer answer = place_processes(*problem, {.search_steps = 100'000});
    const Candidate& chosen = answer.candidates[answer.chosen];
    // Predicted anew, by replays of their own.
    const std::vector<std::uint32_t>& slots = answer.paper.sorted;
    const Time ours = predict(*problem, chosen.placement);
    EXPECT_LE(ours, predict(*problem, scotch_placement(*problem, slots)));
    EXPECT_LE(ours, predict(*problem, grouped_placement(*problem, slots)));
    EXPECT_LE(ours, named(answer, "full").predicted);
    EXPECT_LE(ours, named(answer, "sequential").predicted);
  });
}

/// The best of all placements, slots of equal hosts told apart by nothing.
Time brute_force(const Problem& problem) {
  const ReadyTrace trace(*problem.profile, 2'000'000);
  Replayer replayer(problem, trace);
  std::vector<std::uint32_t> slots(problem.slots.size());
  std::iota(slots.begin(), slots.end(), 0U);
  Time best = kForever;
  do {
    const Placement placement(slots.begin(),
                              slots.begin() + static_cast<std::ptrdiff_t>(problem.size()));
    best = std::min(best, replayer.finish(placement));
    // Only the first `size` matter: skip permutations of the rest.
    std::reverse(slots.begin() + static_cast<std::ptrdiff_t>(problem.size()), slots.end());
  } while (std::next_permutation(slots.begin(), slots.end()));
  return best;
}

TEST(PortfolioProperty, HasAMedianGapOfZeroToBruteForce) {
  std::vector<double> gaps;
  bool is_first = true;
  for_all_seeds(31, [&](Random& rng) {
    // One of nine processes on nine nodes; the others on few enough slots to try them all quickly.
    const auto size = static_cast<Rank>(is_first ? 9 : 3 + rng.below(4));
    const Inventory inventory = inventory_from(
        is_first ? std::string("cluster:3(9ms,9Mbit/s) node:3(50us,100Mbit/s,send=5us,recv=5us)")
                 : random_inventory(rng, size));
    const Profile profile = random_profile(rng, size);
    const auto problem = make_problem(inventory, profile, {});
    if (!is_first && problem->slots.size() > 8) return;
    is_first = false;
    const Answer answer = place_processes(*problem, {.search_steps = 1'000'000});
    const Time ours = answer.candidates[answer.chosen].predicted;
    const Time best = brute_force(*problem);
    EXPECT_GE(ours, best);
    gaps.push_back(static_cast<double>(ours.picoseconds) / static_cast<double>(best.picoseconds) -
                   1);
  });
  ASSERT_FALSE(gaps.empty());
  std::sort(gaps.begin(), gaps.end());
  std::printf("optimality gap over %zu cases: median %.3f %%, worst %.3f %%\n", gaps.size(),
              100 * gaps[gaps.size() / 2], 100 * gaps.back());
  EXPECT_EQ(gaps[gaps.size() / 2], 0);
}

TEST(MakeProblem, RefusesWhatCannotBe) {
  const Inventory inventory = inventory_from("cluster:2(1ms) node:2(1us)");
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
  const auto hosts = parse_inventory("n1 slots=2\nn2:3 # two\nn3\nn3\n", "hosts");
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
  EXPECT_EQ(old->hosts[1].state, HostState::Down);
  EXPECT_EQ(old->hosts[2].state, HostState::Down);
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
       {"", "n1 slots=0\n", "n1 what\n", "n$\n", "{}", "{\"format\": \"espalier-inventory-1\"}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": []}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a\", \"slots\": 0}]}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
        "{\"format\": \"espalier-inventory-1\", \"hosts\": [{\"name\": \"a\", \"speed\": 0}]}"}) {
    EXPECT_FALSE(parse_inventory(bad, "f").has_value()) << bad;
  }
}

TEST(WriteHosts, NamesEveryRanksHost) {
  const auto inventory = parse_inventory("n1 slots=2\nn2 slots=2\n", "hosts");
  const Profile profile = *profile::make_workload("ep.S", 3);
  const auto problem = make_problem(*inventory, profile, {});
  const Placement placement{2, 0, 3};
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::OpenMpiRankfile),
            "rank 0=n2 slot=0\nrank 1=n1 slot=0\nrank 2=n2 slot=1\n");
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::OpenMpiHostfile), "n2\nn1\nn2\n");
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::MpichMachinefile), "n2:1\nn1:1\nn2:1\n");
  EXPECT_EQ(write_hosts(*problem, placement, HostsForm::SlurmHostfile), "n2\nn1\nn2\n");
}

}  // namespace
}  // namespace espalier::place
