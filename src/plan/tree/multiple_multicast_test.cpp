#include "tree/multiple_multicast.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "model/node_costs.hpp"
#include "support/check_shared_run.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/earliest_completing_edge_first.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

using Costs = std::vector<Time>;
using model::NodeInitiation;

constexpr Bytes kMulticastSize{9};

std::vector<CommTree> fnf_trees(const Costs& costs, std::span<const Participants> multicasts) {
  std::vector<CommTree> trees;
  for (const Participants& who : multicasts) trees.push_back(fastest_node_first(costs, who));
  return trees;
}

/// So many fast nodes (400) first, then slow ones (1600).
Costs two_speeds(Rank ranks, Rank fast) {
  Costs costs(ranks, Time{1600});
  std::fill_n(costs.begin(), fast, Time{400});
  return costs;
}

std::vector<Participants> broadcasts_from_all(Rank ranks) {
  std::vector<Participants> multicasts;
  for (Rank root = 0; root < ranks; ++root) multicasts.push_back(everybody(ranks, root));
  return multicasts;
}

/// No machine does `sends` of them in less: every node sends without a pause.
Time capacity_bound(const Costs& costs, std::int64_t sends) {
  Time bound;
  while (true) {
    std::int64_t done = 0;
    for (const Time c : costs) done += bound.picoseconds / c.picoseconds;
    if (done >= sends) return bound;
    bound += Time{100};
  }
}

TEST(MultipleMulticast, SpreadsTheLoadThatSeparateTreesPutOnTheFastNodes) {
  const Costs costs = two_speeds(64, 16);
  const std::vector<Participants> multicasts = broadcasts_from_all(64);
  const NodeInitiation model(costs);
  const MultipleMulticast found =
      multiple_multicast(multicasts, fnf_trees(costs, multicasts), model, kMulticastSize);
  EXPECT_TRUE(found.joint);
  EXPECT_EQ(complaint_about(found.plan, multicasts, model, kMulticastSize), "");
  EXPECT_EQ(found.separate_time, Time{173'200});
  EXPECT_EQ(found.joint_time, Time{57'600});
  EXPECT_EQ(capacity_bound(costs, 64 * 63), Time{57'600});  // so no plan is faster
}

TEST(MultipleMulticast, SaysWhenTheSeparateTreesAreBetter) {
  // Greedy's nearest first is wrong here: rank 1 is a step farther and forwards at once.
  TableModel model(4, {.send = 100});
  model.link(0, 2).send = 9;
  model.link(0, 1).send = 10;
  model.link(1, 2).send = model.link(1, 3).send = 1;
  const std::vector<Participants> multicasts{everybody(4, 0)};
  const std::vector<CommTree> separate{
      earliest_completing_edge_first_look_ahead(model, kMulticastSize, multicasts[0])};
  const MultipleMulticast found = multiple_multicast(multicasts, separate, model, kMulticastSize);
  EXPECT_FALSE(found.joint);
  EXPECT_EQ(found.plan.trees, separate);
  EXPECT_EQ(found.separate_time, Time{12});
  EXPECT_GT(found.joint_time, Time{12});
}

TEST(MultipleMulticast, RefusesTreesThatDoNotMatchTheMulticasts) {
  const TableModel model(4);
  const std::vector<Participants> multicasts{everybody(4, 0)};
  EXPECT_THROW((void)multiple_multicast(multicasts, {}, model, kMulticastSize), ContractViolation);
  EXPECT_THROW((void)schedule_together(broadcasts_from_all(5), model, kMulticastSize),
               ContractViolation);
}

TEST(MultipleMulticastProperty, IsNeverWorseThanTheSeparateTreesAndKeepsTheRules) {
  for_all_seeds(200, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 20));
    const TableModel model =
        rng.chance(50) ? random_table(rng, ranks) : random_clusters(rng, ranks, 3);
    std::vector<Participants> multicasts;
    std::vector<CommTree> separate;
    for (std::uint64_t m = rng.below(12); m > 0; --m) {
      multicasts.push_back(random_participants(rng, ranks));
      separate.push_back(
          earliest_completing_edge_first_look_ahead(model, kMulticastSize, multicasts.back()));
    }
    const MultipleMulticast found = multiple_multicast(multicasts, separate, model, kMulticastSize);
    ASSERT_EQ(complaint_about(found.plan, multicasts, model, kMulticastSize), "");
    ASSERT_EQ(complaint_about(schedule_together(multicasts, model, kMulticastSize), multicasts,
                              model, kMulticastSize),
              "");
    ASSERT_LE(last_finish(found.plan.run),
              last_finish(run_together(separate, model, kMulticastSize)));
    for (std::size_t m = 0; m < multicasts.size(); ++m) {
      ASSERT_TRUE(spans(found.plan.trees[m], multicasts[m]));
    }
    ASSERT_EQ(found.plan, multiple_multicast(multicasts, separate, model, kMulticastSize).plan);
  });
}

TEST(MultipleMulticastProperty, OfOneUnderInitiationCostsIsFnf) {
  for_all_seeds(200, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 50));
    const Costs costs = random_times(rng, ranks, 1, 1000);
    const std::vector<Participants> multicasts{random_participants(rng, ranks)};
    const SharedPlan plan = schedule_together(multicasts, NodeInitiation(costs), kMulticastSize);
    const auto fnf =
        run_together(fnf_trees(costs, multicasts), NodeInitiation(costs), kMulticastSize);
    ASSERT_EQ(last_finish(plan.run), last_finish(fnf));
  });
}

/// The checker itself must be able to say no.
TEST(CheckSharedRun, FindsEachKindOfMistake) {
  const TableModel model(3, {.send = 10, .receive = 2});
  const std::vector<Participants> multicasts{everybody(3, 0), everybody(3, 1)};
  const SharedPlan good = schedule_together(multicasts, model, kMulticastSize);
  ASSERT_EQ(complaint_about(good, multicasts, model, kMulticastSize), "");

  SharedPlan bad = good;
  bad.run.sends.push_back(bad.run.sends.front());
  EXPECT_EQ(complaint_about(bad, multicasts, model, kMulticastSize), "a rank is served twice");
  bad = good;
  bad.run.sends.pop_back();
  EXPECT_EQ(complaint_about(bad, multicasts, model, kMulticastSize),
            "not as many served as participate");
  bad = good;
  bad.run.sends.back().delivered = Time{0};
  EXPECT_EQ(complaint_about(bad, multicasts, model, kMulticastSize), "a message arrives too early");
  bad = good;
  bad.run.sends.back().sender_free += Time{1};
  EXPECT_EQ(complaint_about(bad, multicasts, model, kMulticastSize),
            "a send is not as long as it costs");
  bad = good;
  bad.run.finish[0] += Time{1};
  EXPECT_EQ(complaint_about(bad, multicasts, model, kMulticastSize),
            "a multicast does not finish with its last delivery");
}

TEST(CheckSharedRun, FindsANodeThatSendsTwiceAtOnceOrTooEarly) {
  const TableModel model(3, {.send = 10});
  const std::vector<Participants> multicasts{everybody(3, 0)};
  SharedPlan star{{flat(multicasts[0])}, {}};
  star.run = run_together(star.trees, model, kMulticastSize);
  star.run.sends[1].start = Time{5};
  star.run.sends[1].sender_free = Time{15};
  EXPECT_EQ(complaint_about(star, multicasts, model, kMulticastSize),
            "a node does two things at once");

  SharedPlan line{{chain(multicasts[0])}, {}};
  line.run = run_together(line.trees, model, kMulticastSize);
  line.run.sends[1].start = Time{5};
  line.run.sends[1].sender_free = Time{15};
  EXPECT_EQ(complaint_about(line, multicasts, model, kMulticastSize),
            "a send starts before its sender has the message");
}

}  // namespace
}  // namespace espalier::tree
