#include "select/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "select/rank_by_simulation.hpp"
#include "select/ranking.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

TEST(Candidates, ThereIsOneForEveryOperation) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(10ms) proc:3(1us)");
  const collective::Hierarchy hierarchy(machine);
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const Collective call{static_cast<Operation>(o), 6, 0, 100, Bytes{8}, true, {}};
    std::set<std::string> names;
    for (const Candidate& c : candidates(hierarchy, call)) names.insert(c.name);
    EXPECT_FALSE(names.empty()) << name_of(call.operation);
    EXPECT_EQ(names.size(), candidates(hierarchy, call).size()) << name_of(call.operation);
  }
}

/// The candidates of a call that build the same schedule as one before them. Of
/// plans over levels; without levels, of trees by number too.
std::vector<std::string> repeated(const collective::Hierarchy& hierarchy, const Collective& call) {
  std::set<std::uint64_t> known;
  std::vector<std::string> found;
  for (const Candidate& candidate : candidates(hierarchy, call)) {
    const bool is_one_tree =
        std::holds_alternative<collective::LevelChoice>(candidate.plan.parameters) &&
        candidate.plan.algorithm->traits.by_number;
    const bool has_levels = hierarchy.machine().clusters().size() > 1;
    if (levels_of(candidate.plan) == nullptr && (has_levels || !is_one_tree)) continue;
    schedule::Schedule made = schedule_of(candidate, call);
    made.algorithm.clear();
    if (!known.insert(hash_of(made)).second) found.push_back(candidate.name);
  }
  return found;
}

void expect_schedules_of_their_own(Random& rng) {
  const topology::Machine machine = topology::random_machine(rng.next(), {2, 16, 4, true});
  // What of the others is the same is seen in the clusters of all ranks only.
  const Operation trees[] = {Operation::Broadcast,    Operation::Reduce, Operation::Allreduce,
                             Operation::Barrier,      Operation::Gather, Operation::Scatter,
                             Operation::ReduceScatter};
  const Operation operation = trees[rng.below(std::size(trees))];
  const Collective call{operation, machine.size(), 0, 5000, Bytes{8}, rng.chance(80), {}};
  const collective::Hierarchy hierarchy(machine);
  EXPECT_EQ(repeated(hierarchy, call), std::vector<std::string>{}) << name_of(operation);
}

TEST(CandidatesProperty, PlansOverLevelsBuildSchedulesOfTheirOwn) {
  for_all_seeds(150, expect_schedules_of_their_own);
}

// Seed 1026: ranks 1, 2, 0 on one level. From any root on they lie in order.
TEST(Candidates, TreesByNumberAreThoseOverOneLevelWhereRanksLieInTurn) {
  Random rng(1026);
  expect_schedules_of_their_own(rng);
  const topology::Machine machine = with_placement(*topology::parse_synthetic("proc:3(1us)"),
                                                   std::vector<topology::Leaf>{2, 0, 1});
  const collective::Hierarchy hierarchy(machine);
  for (Rank root = 0; root < 3; ++root) {
    const Collective call{Operation::Reduce, 3, root, 5000, Bytes{8}, true, {}};
    EXPECT_EQ(repeated(hierarchy, call), std::vector<std::string>{}) << "from " << root;
  }
}

// Seen from 512 nodes, an allgather would pass 512 bundles through every rank.
TEST(Candidates, SeenFromTooManyClustersThereIsNoAllgather) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:4(1ms) node:128(1us) proc:2(1us)");
  const collective::Hierarchy hierarchy(machine);
  const auto names = [&](Operation operation) {
    std::set<std::string> found;
    const Collective call{operation, machine.size(), 0, 8, Bytes{1}, true, {}};
    for (const Plan& plan : proposed_plans(hierarchy, call)) found.insert(name_of(plan, call));
    return found;
  };
  const auto has = [](const std::set<std::string>& all, const std::string& beginning) {
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& name) { return name.starts_with(beginning); });
  };
  EXPECT_TRUE(has(names(Operation::Allgather), "two-level at depth 1"));
  EXPECT_FALSE(has(names(Operation::Allgather), "two-level at depth 2"));
  EXPECT_TRUE(has(names(Operation::Gather), "two-level at depth 2"));
}

void expect_the_same_schedule(Random& rng) {
  const topology::Machine machine = topology::random_machine(rng.next(), {2, 20, 4, true});
  const collective::Hierarchy hierarchy(machine);
  const auto operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
  const Collective call{operation, machine.size(), 0, 100, Bytes{8}, rng.chance(70), {}};
  const char* name = reduces(operation) && rng.chance(30) ? "fixed order" : "multilevel";
  collective::MultilevelChoice choice;
  for (std::size_t l = 0; l < machine.levels().size(); ++l) {
    const auto shape = static_cast<collective::Shape>(rng.below(collective::kShapeCount));
    choice.levels.push_back({shape, 30 * rng.below(2)});
  }
  if (rng.chance(30)) choice.top = collective::Top::Exchange;
  if (rng.chance(50)) choice.carriers.leaders = static_cast<Rank>(1 + rng.below(6));
  const Plan plan{collective::find_algorithm(operation, name), choice};
  if (!can_do(plan, hierarchy, call)) return;
  const Plan form{plan.algorithm, collective::canonical(*plan.algorithm, hierarchy, call, choice)};
  const collective::PartOf one = parts_of(plan, hierarchy, call);
  const collective::PartOf other = parts_of(form, hierarchy, call);
  for (Rank r = 0; r < call.size; ++r) {
    ASSERT_EQ(one(r), other(r)) << name_of(operation) << ": " << name_of(plan, call) << " and "
                                << name_of(form, call);
  }
}

TEST(CanonicalProperty, BuildsTheSameSchedule) { for_all_seeds(300, expect_the_same_schedule); }

// Seed 1030: a reduce-scatter whose only outermost master exchanges with nobody, and packs.
TEST(Canonical, AMasterWithNobodyToExchangeWithStillPacks) {
  Random rng(1030);
  expect_the_same_schedule(rng);
}

TEST(Candidates, HaveNoLeadersWithNothingToCarry) {
  const topology::Machine machine = *topology::parse_synthetic("site:3(1ms) proc:6(1us)");
  const collective::Hierarchy hierarchy(machine);
  const Collective call{Operation::Alltoall, 18, 0, 100, Bytes{8}, true, {}};
  EXPECT_EQ(repeated(hierarchy, call), std::vector<std::string>{});
}

TEST(Candidates, OnOneLevelTreesAreProposedOnce) {
  const topology::Machine machine = *topology::parse_synthetic("proc:7(1us)");
  const collective::Hierarchy hierarchy(machine);
  for (const Operation operation : {Operation::Broadcast, Operation::Reduce}) {
    const Collective call{operation, 7, 3, 5000, Bytes{8}, true, {}};
    EXPECT_EQ(repeated(hierarchy, call), std::vector<std::string>{}) << name_of(operation);
    EXPECT_TRUE(candidate_called("binomial", hierarchy, call));
  }
}

TEST(Score, TakesAMultilevelPlanWhereTheWanIsSlow) {
  const topology::Machine machine = *topology::parse_synthetic(
      "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us,10Gbit/s,send=1us,recv=1us) "
      "placement=cyclic");
  const collective::Hierarchy hierarchy(machine);
  for (const Operation operation :
       {Operation::Broadcast, Operation::Reduce, Operation::Allreduce}) {
    const Collective call{operation, machine.size(), 5, 1U << 14U, Bytes{8}, true, {}};
    const auto scored = score(candidates(hierarchy, call), call, machine, {});
    EXPECT_TRUE(scored.front().candidate.knows_topology)
        << name_of(operation) << ": " << scored.front().candidate.name;
  }
}

TEST(Score, TakesFastestNodeFirstWhereSomeSendFaster) {
  // banikazemi1998, Figure 1: 400 us against 700 of the binomial tree.
  const topology::Machine machine =
      *topology::parse_synthetic("proc:8(send=100us|300us*4|100us|300us*2)");
  const collective::Hierarchy hierarchy(machine);
  const Collective call{Operation::Broadcast, 8, 0, 4, Bytes{1}, true, {}};
  std::map<std::string, Time> finish;
  for (const Scored& s : score(candidates(hierarchy, call), call, machine, {})) {
    finish[s.candidate.name] = s.result.finish;
  }
  EXPECT_EQ(finish.at("fnf"), microseconds(400));
  EXPECT_EQ(finish.at("spoc"), microseconds(500));
  EXPECT_EQ(finish.at("multilevel binomial"), microseconds(700));
  EXPECT_EQ(score(candidates(hierarchy, call), call, machine, {}).front().candidate.name, "fnf");
  const topology::Machine equal = *topology::parse_synthetic("proc:8(send=100us)");
  const collective::Hierarchy flat(equal);
  for (const Candidate& c : candidates(flat, call)) EXPECT_NE(c.name, "fnf");
  EXPECT_TRUE(candidate_called("fnf", flat, call).has_value());
  EXPECT_FALSE(candidate_called("fnfx", flat, call).has_value());
}

TEST(ScoreProperty, NoCandidateWaitsForEver) {
  for_all_seeds(40, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 12, 3, true});
    const collective::Hierarchy hierarchy(machine);
    const Collective call{static_cast<Operation>(rng.below(schedule::kOperationCount)),
                          machine.size(),
                          static_cast<Rank>(rng.below(machine.size())),
                          rng.below(3000),
                          Bytes{8},
                          rng.chance(70),
                          {}};
    for (const Scored& s : score(candidates(hierarchy, call), call, machine, {})) {
      ASSERT_LT(s.result.finish, kForever) << s.candidate.name << " " << name_of(call.operation);
      ASSERT_EQ(s.result.unmatched, 0u) << s.candidate.name;
    }
  });
}

// From root 0 a 4-nomial tree by number fits the sites; from another it crosses the WAN twice.
TEST(Ranking, ATreeByNumberIsNotTakenForWhatItIsFromRootZero) {
  const topology::Machine machine = *topology::parse_synthetic(
      "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us,10Gbit/s,send=1us,recv=1us)");
  const collective::Hierarchy hierarchy(machine);
  for (const Operation operation : {Operation::Broadcast, Operation::Reduce}) {
    const Collective call{operation, machine.size(), 0, 4096, Bytes{1}, true, {}};
    for (const Choice& choice :
         ranking(hierarchy, CostView(machine), call, Bits::Any, Roots::Any)) {
      const auto* tree = std::get_if<collective::LevelChoice>(&choice.plan.parameters);
      if (tree == nullptr || collective::radix_of(tree->shape) < 2) continue;
      EXPECT_GT(choice.predicted, predict(choice.plan, CostView(machine), hierarchy, call));
      EXPECT_GT(choice.over_roots, 1.1) << name_of(choice.plan, call);
    }
    const Choice first = ranking(hierarchy, CostView(machine), call, Bits::Any, Roots::Any).front();
    EXPECT_FALSE(first.plan.algorithm->traits.by_number) << name_of(first.plan, call);
  }
}

TEST(RankingProperty, AChoiceForARootIsNoLongerFromThereThanTheOneForAll) {
  for_all_seeds(20, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 20, 3, true});
    const collective::Hierarchy hierarchy(machine);
    const Predictor predictor(hierarchy);
    const CostView& cost_view = predictor.cost_view();
    for (const Operation operation :
         {Operation::Broadcast, Operation::Reduce, Operation::Gather, Operation::Scatter}) {
      Collective call{operation, machine.size(), 0, 4096, Bytes{1}, true, {}};
      call.root = static_cast<Rank>(rng.below(call.size));
      const Choice own = ranking(hierarchy, cost_view, call, Bits::Any, Roots::Own).front();
      Collective from_0 = call;
      from_0.root = 0;
      const Choice all = ranking(hierarchy, cost_view, from_0, Bits::Any, Roots::Any).front();
      // What copies nothing may go first, at half a percent more.
      EXPECT_LE(to_seconds(predictor(own.plan, call)), to_seconds(predictor(all.plan, call)) * 1.01)
          << name_of(own.plan, call) << " and " << name_of(all.plan, call);
    }
  });
}

TEST(Ranking, OfEquallyFastPlansTheOneThatCopiesNothingGoesFirst) {
  const topology::Machine few = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:4(1us)");
  const topology::Machine many = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:200(1us)");
  const auto first = [](const topology::Machine& machine, schedule::Operation operation,
                        std::uint64_t bytes) {
    const collective::Hierarchy hierarchy(machine);
    const schedule::Collective call{operation, machine.size(), 0, bytes, Bytes{1}, true, {}};
    return name_of(ranking(hierarchy, CostView(machine), call).front().plan, call);
  };
  EXPECT_EQ(first(few, schedule::Operation::Alltoall, 65536), "direct");
  EXPECT_EQ(first(few, schedule::Operation::Scatter, 16384), "linear");
  EXPECT_EQ(first(few, schedule::Operation::Gather, 16384), "linear");
  // So many messages cost something, whatever the machine says.
  EXPECT_NE(first(many, schedule::Operation::Gather, 8), "linear");
}

}  // namespace
}  // namespace espalier::select
