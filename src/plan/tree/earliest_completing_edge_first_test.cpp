#include "tree/earliest_completing_edge_first.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "model/node_costs.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Ranks = std::vector<Rank>;
using model::NodeInitiation;

constexpr Bytes kSize{100};

/// The paper's definition, word for word: every step looks at every pair.
CommTree by_definition(const model::CostModel& model, const Participants& who, bool look_ahead) {
  CommTree tree(who.machine_size, who.root);
  std::vector<Time> ready(who.machine_size);
  Ranks has{who.root};
  Ranks waiting = who.others;
  std::sort(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    std::sort(has.begin(), has.end());
    auto best = std::tuple{kForever, kNoRank, kForever, kNoRank};  // score, to, delivered, from
    for (const Rank j : waiting) {
      Time ahead = look_ahead && waiting.size() > 1 ? kForever : Time{0};
      for (const Rank k : waiting) {
        if (k != j && look_ahead) ahead = std::min(ahead, model.cost(j, k, kSize).delivered);
      }
      for (const Rank i : has) {
        const Time delivered = ready[i] + model.cost(i, j, kSize).delivered;
        best = std::min(best, std::tuple{delivered + ahead, j, delivered, i});
      }
    }
    const auto [score, to, delivered, from] = best;
    tree.append_child(from, to);
    ready[from] += model.cost(from, to, kSize).sender_busy;
    ready[to] = delivered;
    has.push_back(to);
    waiting.erase(std::find(waiting.begin(), waiting.end(), to));
  }
  return tree;
}

TEST(EarliestCompletingEdgeFirst, ForwardsBehindALinkThatKeepsItsSenderBusy) {
  TableModel model(4, {.send = 1});
  for (const Rank far : {1U, 2U, 3U}) model.link(0, far).send = 100;
  const CommTree tree = earliest_completing_edge_first(model, kSize, everybody(4, 0));
  EXPECT_EQ(tree.children(0), Ranks{1});
  EXPECT_EQ(tree.children(1), (Ranks{2, 3}));
}

TEST(EarliestCompletingEdgeFirst, CrossesALinkOfMereLatencyAgainAndAgain) {
  TableModel model(4, {.send = 1, .wire = 5});
  for (const Rank far : {1U, 2U, 3U}) model.link(0, far).wire = 100;
  const CommTree tree = earliest_completing_edge_first(model, kSize, everybody(4, 0));
  EXPECT_EQ(tree.children(0), (Ranks{1, 2, 3}));
}

TEST(EarliestCompletingEdgeFirst, LooksAheadToAReceiverThatForwardsWell) {
  // Rank 1 is the nearest and slow to forward; rank 2 a little farther and fast.
  TableModel model(4, {.send = 10});
  model.link(0, 1).send = 8;
  model.link(0, 2).send = 9;
  model.link(2, 1).send = model.link(2, 3).send = 1;
  const Participants who = everybody(4, 0);
  const CommTree plain = earliest_completing_edge_first(model, kSize, who);
  const CommTree ahead = earliest_completing_edge_first_look_ahead(model, kSize, who);
  EXPECT_EQ(plain.first_child(0), 1U);
  EXPECT_EQ(ahead.children(0), Ranks{2});
  EXPECT_EQ(broadcast_time(ahead, model, kSize), Time{11});
  EXPECT_EQ(broadcast_time(plain, model, kSize), Time{18});
}

TEST(EarliestCompletingEdgeFirst, RefusesAModelOfAnotherSize) {
  const TableModel model(3);
  EXPECT_THROW((void)earliest_completing_edge_first(model, kSize, everybody(4, 0)),
               ContractViolation);
}

TEST(EarliestCompletingEdgeFirstProperty, IsTheTreeOfThePapersDefinition) {
  for_all_seeds(400, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 24));
    const TableModel model =
        rng.chance(50) ? random_table(rng, ranks) : random_clusters(rng, ranks, 3);  // many ties
    const Participants who = random_participants(rng, ranks);
    ASSERT_EQ(earliest_completing_edge_first(model, kSize, who), by_definition(model, who, false));
    ASSERT_EQ(earliest_completing_edge_first_look_ahead(model, kSize, who),
              by_definition(model, who, true));
  });
}

TEST(EarliestCompletingEdgeFirstProperty, WithLookAheadIsFnfUnderNodeInitiationCosts) {
  for_all_seeds(400, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 60));
    const std::vector<Time> costs = random_times(rng, ranks, 1, rng.chance(50) ? 8 : 1000);
    const Participants who = random_participants(rng, ranks);
    ASSERT_EQ(earliest_completing_edge_first_look_ahead(NodeInitiation(costs), kSize, who),
              fastest_node_first(costs, who));
  });
}

TEST(EarliestCompletingEdgeFirstProperty, BeatsTheBinomialTreeOnScatteredClustersInTheMean) {
  Time binomial_sum, plain_sum, ahead_sum;
  const bool ran_all = for_all_seeds(100, [&](Random& rng) {
    const Participants who = everybody(40, static_cast<Rank>(rng.below(40)));
    const TableModel model = random_clusters(rng, 40, 4);
    binomial_sum += broadcast_time(binomial(who), model, kSize);
    plain_sum += broadcast_time(earliest_completing_edge_first(model, kSize, who), model, kSize);
    ahead_sum +=
        broadcast_time(earliest_completing_edge_first_look_ahead(model, kSize, who), model, kSize);
  });
  if (ran_all) {
    EXPECT_LT(2 * plain_sum, binomial_sum);
    EXPECT_LT(2 * ahead_sum, binomial_sum);
  }
}

}  // namespace
}  // namespace espalier::tree
