// Machines of several sites whose nodes differ in speed: the choice beside the trees of the papers.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "collective/whole_trees.hpp"
#include "model/machine_models.hpp"
#include "select/chooser.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"
#include "tree/earliest_completing_edge_first.hpp"
#include "tree/exact_optimum.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;
using topology::Machine;

topology::MemberSpec random_node(Random& rng) {
  constexpr std::int64_t kFactors[] = {1, 1, 2, 4, 8, 16};
  const std::int64_t factor = kFactors[rng.below(std::size(kFactors))];
  topology::MemberSpec node;
  const Bandwidth copies{static_cast<std::uint64_t>(8'000'000'000 / factor)};
  node.costs.send = topology::Cost{Time{microseconds(20).picoseconds * factor}, copies};
  node.costs.recv = topology::Cost{Time{microseconds(10).picoseconds * factor}, copies};
  node.costs.reduce = copies;
  return node;
}

/// @param sites one: nodes beside each other, where links and receiving cost nothing
Machine random_mixed(Random& rng, Rank sites, Rank most_nodes) {
  topology::MachineSpec spec;
  const auto level = [&](Time latency, std::uint64_t megabits) {
    topology::LevelSpec made;
    made.channel.latency = latency;
    made.uplink.out = made.uplink.in = Bandwidth{megabits * 1'000'000};
    return made;
  };
  if (sites == 1) {
    spec.levels.emplace_back();
    const auto nodes = rng.between(2, most_nodes);
    for (std::int64_t n = 0; n < nodes; ++n) {
      spec.whole.members.push_back(random_node(rng));
      spec.whole.members.back().costs.recv = topology::Cost{};
    }
    return *topology::build_machine(spec);
  }
  spec.levels.push_back(level(microseconds(rng.between(50, 5000)), 100));
  spec.levels.push_back(level(microseconds(rng.between(5, 100)), 1000));
  for (Rank s = 0; s < sites; ++s) {
    topology::MemberSpec site;
    const auto nodes = rng.between(1, most_nodes);
    for (std::int64_t n = 0; n < nodes; ++n) site.members.push_back(random_node(rng));
    spec.whole.members.push_back(site);
  }
  return *topology::build_machine(spec);
}

Time simulated(const Plan& plan, const Hierarchy& hierarchy, const Collective& call) {
  return sim::simulate(call, parts_of(plan, hierarchy, call), hierarchy.machine()).finish;
}

Time of_the_choice(const Hierarchy& hierarchy, const Collective& call) {
  Chooser chooser(hierarchy);
  const PlanChoice choice = chooser.choose(call, WhichPlan::Best);
  return simulated(*choice.plan, hierarchy, call);
}

constexpr std::uint64_t kLongSearch = 400'000;

double ratio(Time a, Time b) { return to_seconds(a) / to_seconds(b); }

TEST(MixedSpeedProperty, ChoiceIsNeverMuchSlowerThanTreesByLinksBySpeedOrByLevel) {
  for_all_seeds(200, [](Random& rng) {
    const Machine machine = random_mixed(rng, static_cast<Rank>(rng.between(2, 4)), 8);
    if (machine.size() < 2) return;
    const Operation rooted[] = {Operation::Broadcast, Operation::Broadcast, Operation::Reduce,
                                Operation::Scatter, Operation::Gather};
    const Operation operation = rooted[rng.below(std::size(rooted))];
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const std::uint64_t bytes = std::uint64_t{1} << rng.between(0, 17);
    const Collective call{operation, machine.size(), root, bytes, Bytes{1}, true, {}};
    const Hierarchy hierarchy(machine);
    const Time chosen = of_the_choice(hierarchy, call);
    for (const Plan& plan : proposed_plans(hierarchy, call)) {
      const std::string name = name_of(plan, call);
      const bool is_compared =
          name.starts_with("ecef-la") || name == "fnf" || name.starts_with("multilevel");
      if (!is_compared) continue;
      ASSERT_LE(ratio(chosen, simulated(plan, hierarchy, call)), 1.03)
          << name << " " << schedule::name_of(operation) << " " << bytes;
    }
  });
}

TEST(MixedSpeed, TreesByLinksServeEveryRootedCallAndGoInSegmentsWhereAVectorMoves) {
  const Machine machine = *topology::parse_synthetic(
      "site:2(5ms,100Mbit/s) node:3(50us,1Gbit/s,send=10us|200us|50us|10us|100us|10us)");
  const Hierarchy hierarchy(machine);
  for (const Operation operation :
       {Operation::Broadcast, Operation::Reduce, Operation::Gather, Operation::Scatter}) {
    const Collective call{operation, machine.size(), 0, 1U << 20U, Bytes{1}, true, {}};
    Time whole = kForever, in_segments = kForever;
    for (const Plan& plan : proposed_plans(hierarchy, call)) {
      const std::string name = name_of(plan, call);
      if (!name.starts_with("ecef-la")) continue;
      Time& least = name.ends_with("KiB") ? in_segments : whole;
      least = std::min(least, simulated(plan, hierarchy, call));
    }
    EXPECT_LT(whole, kForever) << schedule::name_of(operation);
    if (operation == Operation::Broadcast || operation == Operation::Reduce) {
      // A long message crosses while what came before is passed on.
      EXPECT_LT(in_segments, whole) << schedule::name_of(operation);
    } else {
      EXPECT_EQ(in_segments, kForever) << schedule::name_of(operation);
    }
  }
}

TEST(MixedSpeedProperty, ChoiceIsWithinATenthOfTheOptimumOfTenNodes) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_mixed(rng, 1, 10);
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const Collective call{Operation::Broadcast, machine.size(), root, 256, Bytes{1}, true, {}};
    std::vector<Time> costs(machine.size());
    for (Rank r = 0; r < machine.size(); ++r) costs[r] = machine.costs(r).send.of(Bytes{256});
    const auto best = tree::exact_optimum(costs, tree::everybody(machine.size(), root));
    ASSERT_TRUE(best.proven());
    ASSERT_LE(ratio(of_the_choice(Hierarchy(machine), call), best.value), 1.10);
  });
}

/// Every order in which somebody who has the message sends it to somebody who has not.
void for_all_trees(tree::CommTree& tree, std::vector<Rank>& has, Rank size,
                   const std::function<void(const tree::CommTree&)>& look) {
  if (has.size() == size) return look(tree);
  for (std::size_t s = 0; s < has.size(); ++s) {
    for (Rank to = 0; to < size; ++to) {
      if (tree.contains(to)) continue;
      tree::CommTree longer = tree;
      longer.append_child(has[s], to);
      has.push_back(to);
      for_all_trees(longer, has, size, look);
      has.pop_back();
    }
  }
}

TEST(MixedSpeedProperty, ChoiceIsWithinATenthOfTheBestOfAllTreesOverLinks) {
  for_all_seeds(40, [](Random& rng) {
    const Machine machine = random_mixed(rng, 2, 2);
    const Hierarchy hierarchy(machine);
    const Collective call{Operation::Broadcast, machine.size(), 0, 1024, Bytes{1}, true, {}};
    const Time chosen = of_the_choice(hierarchy, call);
    Time best = kForever;
    tree::CommTree only_root(machine.size(), 0);
    std::vector<Rank> has{0};
    for_all_trees(only_root, has, machine.size(), [&](const tree::CommTree& tree) {
      const auto parts = collective::parts_along(tree, 0, call);
      best = std::min(best, sim::simulate(call, parts, machine).finish);
    });
    ASSERT_LE(ratio(chosen, best), 1.10);
  });
}

/// The search that plans have a small budget for, with a hundred times as much.
TEST(MixedSpeedProperty, ChoiceOverLinksIsWithinATenthOfWhatALongSearchFinds) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = random_mixed(rng, static_cast<Rank>(rng.between(2, 3)), 4);
    if (machine.size() > 10) return;
    const Hierarchy hierarchy(machine);
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const std::uint64_t bytes = std::uint64_t{1} << rng.between(0, 14);
    const Collective call{Operation::Broadcast, machine.size(), root, bytes, Bytes{1}, true, {}};
    const tree::CommTree best = tree::searched_tree(
        model::Levels(machine), Bytes{bytes}, tree::everybody(machine.size(), root), kLongSearch);
    const Time found = sim::simulate(call, collective::parts_along(best, 0, call), machine).finish;
    ASSERT_LE(ratio(of_the_choice(hierarchy, call), found), 1.10) << machine.size() << " " << bytes;
  });
}

}  // namespace
}  // namespace espalier::select
