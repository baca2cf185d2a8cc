#include "map/replay.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "profile/trace_writer.hpp"
#include "profile/workload.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_placements.hpp"
#include "topology/load_machine.hpp"

namespace espalier::map {
namespace {

using profile::Profile;

Inventory inventory_from(const std::string& machine) {
  auto loaded = topology::load_machine(machine);
  EXPECT_TRUE(loaded.has_value()) << to_string(loaded.error());
  return inventory_of(std::move(loaded->machine));
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
  const Inventory inventory = inventory_from("node:2(100Mbit/s)");
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
    Replayer replayer(problem, waits, sharing_for(problem));
    EXPECT_EQ(replayer.finish({0, 1}), milliseconds(posts ? 80 : 130));
    EXPECT_EQ(replayer.clocks()[0], milliseconds(posts ? 80 : 130));  // it waits too
    EXPECT_EQ(Replayer(problem, never, sharing_for(problem)).finish({0, 1}), milliseconds(80));
  }
}

TEST(Replay, EndsEvenIfAllWaitForEachOther) {
  const Inventory inventory = inventory_from("node:2(100Mbit/s)");
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

/// Such a trace is no program's, but a file may have it: what comes behind the circle counts too.
TEST(Replay, PassesOverReceivesThatAllWaitIn) {
  const Inventory inventory = inventory_from("node:2(100Mbit/s)");
  Profile profile = profile::silent_profile("circle", 2);
  for (Rank p = 0; p < 2; ++p) {
    profile::TraceWriter writer(profile.processes[p].actions);
    writer.recv(1 - p, 100);
    writer.send(1 - p, 100);
    writer.compute(milliseconds(50));
  }
  const Problem problem = two_on(inventory, profile);
  const ReadyTrace trace(profile, 1000);
  for (const auto sharing : {sim::Sharing::ExactMaxMin, sim::Sharing::OneBottleneck}) {
    EXPECT_EQ(Replayer(problem, trace, sharing).finish({0, 1}), milliseconds(50));
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
  Replayer replayer(*problem, trace, sharing_for(*problem));
  EXPECT_GE(replayer.finish(placement), seconds(1));
  EXPECT_LT(replayer.clocks()[2], milliseconds(3));
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
    const sim::Sharing sharing = sharing_for(*problem);
    const auto exact = to_seconds(Replayer(*problem, all, sharing).finish(placement));
    const auto close = to_seconds(Replayer(*problem, brief, sharing).finish(placement));
    EXPECT_NEAR(close / exact, 1, 0.02) << name << ": " << brief.steps() << " of " << all.steps();
  }
}

}  // namespace
}  // namespace espalier::map
