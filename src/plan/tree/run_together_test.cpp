#include "tree/run_together.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/check_shared_run.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Ranks = std::vector<Rank>;
using Trees = std::vector<CommTree>;

TEST(RunTogether, LetsABusyNodeBeBusyForAllMulticasts) {
  const TableModel model(4, {.send = 10});
  const Trees trees{flat(multicast(4, 0, Ranks{1, 2})), flat(multicast(4, 0, Ranks{3}))};
  const SharedRun run = run_together(trees, model, Bytes{0});
  EXPECT_EQ(run.finish, (std::vector<Time>{Time{20}, Time{30}}));
}

TEST(RunTogether, ServesFirstComeFirstServed) {
  // Rank 1 has multicast 1's message at 5, multicast 0's at 10, and forwards both to rank 3.
  TableModel model(4, {.send = 10});
  model.link(2, 1).send = 5;
  CommTree first(4, 0), second(4, 2);
  first.append_child(0, 1);
  first.append_child(1, 3);
  second.append_child(2, 1);
  second.append_child(1, 3);
  const SharedRun run = run_together(Trees{first, second}, model, Bytes{0});
  EXPECT_EQ(run.finish, (std::vector<Time>{Time{25}, Time{15}}));
}

TEST(RunTogether, LetsAMessageWaitForAReceiverThatIsReceiving) {
  const TableModel model(3, {.send = 1, .wire = 1, .receive = 10});
  const Trees trees{flat(multicast(3, 0, Ranks{2})), flat(multicast(3, 1, Ranks{2}))};
  const SharedRun run = run_together(trees, model, Bytes{0});
  EXPECT_EQ(run.finish, (std::vector<Time>{Time{12}, Time{22}}));
}

TEST(RunTogether, OfNothingIsOverAtOnce) {
  EXPECT_EQ(last_finish(run_together(Trees{}, TableModel(3), Bytes{0})), Time{0});
  EXPECT_EQ(last_finish(run_together(Trees{CommTree(3, 1)}, TableModel(3), Bytes{0})), Time{0});
}

TEST(RunTogether, RefusesATreeOfAnotherSize) {
  EXPECT_THROW((void)run_together(Trees{CommTree(4, 1)}, TableModel(3), Bytes{0}),
               ContractViolation);
}

TEST(RunTogetherProperty, OfOneTreeIsItsBroadcast) {
  for_all_seeds(200, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 30));
    const TableModel model = random_table(rng, ranks);
    const CommTree tree = random_tree(rng, random_participants(rng, ranks));
    const SharedRun run = run_together(Trees{tree}, model, Bytes{9});
    const std::vector<Time> times = broadcast_times(tree, model, Bytes{9});
    ASSERT_EQ(last_finish(run), broadcast_time(tree, model, Bytes{9}));
    for (const SharedSend& s : run.sends) ASSERT_EQ(s.delivered, times[s.to]);
  });
}

TEST(RunTogetherProperty, KeepsTheRulesOfASharedMachine) {
  for_all_seeds(200, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 20));
    const TableModel model = random_table(rng, ranks);
    std::vector<Participants> multicasts;
    SharedPlan plan;
    for (std::uint64_t m = rng.below(12); m > 0; --m) {
      multicasts.push_back(random_participants(rng, ranks));
      plan.trees.push_back(random_tree(rng, multicasts.back()));
    }
    plan.run = run_together(plan.trees, model, Bytes{9});
    ASSERT_EQ(complaint_about(plan, multicasts, model, Bytes{9}), "");
    ASSERT_TRUE(std::is_sorted(plan.run.sends.begin(), plan.run.sends.end(), by_start));
    ASSERT_EQ(plan.run, run_together(plan.trees, model, Bytes{9}));
  });
}

}  // namespace
}  // namespace espalier::tree
