#include "report/timed_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "model/node_costs.hpp"
#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"
#include "support/random_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::report {
namespace {

using topology::Machine;
using tree::CommTree;

/// Sending takes 2 us, the way 10, receiving 3.
class Slow : public model::CostModel {
 public:
  explicit Slow(Rank size) : size_(size) {}
  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] model::MessageCost cost(Rank, Rank, Bytes) const override {
    return {microseconds(2), microseconds(3), microseconds(15)};
  }
  [[nodiscard]] std::string name() const override { return "slow"; }

 private:
  Rank size_;
};

CommTree any_tree(Random& rng, const Machine& machine) {
  return random_tree(rng, random_participants(rng, machine.size()));
}

TEST(TimeTree, SpellsOutTheMessagesOfABroadcast) {
  const Machine machine = grid();
  CommTree tree(12, 0);
  tree.append_child(0, 4);
  tree.append_child(0, 1);
  const TimedTree timed =
      time_tree(machine, "test", tree, Slow(12), Bytes{1}, schedule::Operation::Broadcast);
  ASSERT_EQ(timed.transfers.size(), 2u);
  const Transfer& second = timed.transfers[1];
  EXPECT_EQ(second.to, 1u);
  EXPECT_EQ(second.level, 2u);
  EXPECT_EQ(second.start, microseconds(2));
  EXPECT_EQ(second.sender_free, microseconds(4));
  EXPECT_EQ(second.receive_start, microseconds(14));
  EXPECT_EQ(second.delivered, microseconds(17));
  EXPECT_EQ(timed.finish, microseconds(17));
  EXPECT_EQ(messages_per_level(timed, machine), (std::vector<std::uint64_t>{1, 0, 1}));
  EXPECT_EQ(mean_done(timed), microseconds(16));
}

TEST(TimeTree, HearsTheChildrenOfAReductionOneByOneLastFirst) {
  CommTree tree(3, 0);
  tree.append_child(0, 1);
  tree.append_child(0, 2);
  const TimedTree timed = time_tree(workstations(3, {Time{}}), "test", tree, Slow(3), Bytes{1},
                                    schedule::Operation::Reduce);
  EXPECT_EQ(timed.transfers[1].from, 2u);
  EXPECT_EQ(timed.transfers[1].delivered, microseconds(15));
  EXPECT_EQ(timed.transfers[0].receive_start, microseconds(15));  // it was there at 12
  EXPECT_EQ(timed.finish, microseconds(18));
  EXPECT_EQ(critical_path(timed), (std::vector<Rank>{0, 1}));
}

TEST(TimeTree, AddsTheTimeOfCombining) {
  topology::MachineSpec spec;
  spec.whole.members = {processes(2)};
  spec.whole.costs.reduce = bytes_per_second(1'000'000);  // a byte in 1 us
  CommTree tree(2, 0);
  tree.append_child(0, 1);
  const TimedTree timed =
      time_tree(*build_machine(spec), "test", tree, Slow(2), Bytes{4}, schedule::Operation::Reduce);
  EXPECT_EQ(timed.transfers[0].delivered, microseconds(15));
  EXPECT_EQ(timed.finish, microseconds(19));
}

TEST(TimeTree, RefusesATreeOfAnotherMachine) {
  EXPECT_THROW((void)time_tree(grid(), "test", CommTree(3, 0), Slow(12), Bytes{1},
                               schedule::Operation::Broadcast),
               ContractViolation);
}

TEST(TimeTreeProperty, AgreesWithTheTreesOwnTimes) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = any_machine(rng);
    const CommTree tree = any_tree(rng, machine);
    const model::NodeInitiation initiation(model::send_costs(machine, Bytes{1}));
    const Slow slow(machine.size());
    for (const model::CostModel* model : {static_cast<const model::CostModel*>(&initiation),
                                          static_cast<const model::CostModel*>(&slow)}) {
      const TimedTree timed =
          time_tree(machine, "test", tree, *model, Bytes{1}, schedule::Operation::Broadcast);
      ASSERT_EQ(timed.done, tree::broadcast_times(tree, *model, Bytes{1}));
      ASSERT_EQ(timed.finish, tree::broadcast_time(tree, *model, Bytes{1}));
      const TimedTree reduced =
          time_tree(machine, "test", tree, *model, Bytes{1}, schedule::Operation::Reduce);
      const std::vector<Time> combine = model::combine_costs(machine, Bytes{1});
      ASSERT_EQ(reduced.done, tree::reduce_times(tree, *model, Bytes{1}, combine));
      ASSERT_EQ(reduced.finish, tree::reduce_time(tree, *model, Bytes{1}, combine));
    }
  });
}

TEST(TimeTreeProperty, NobodyIsBusyTwiceAtATime) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = any_machine(rng);
    const CommTree tree = any_tree(rng, machine);
    const auto operation =
        rng.chance(50) ? schedule::Operation::Broadcast : schedule::Operation::Reduce;
    const TimedTree timed =
        time_tree(machine, "test", tree, Slow(machine.size()), Bytes{1}, operation);
    std::vector<std::vector<std::pair<Time, Time>>> busy(machine.size());
    for (const Transfer& t : timed.transfers) {
      busy[t.from].emplace_back(t.start, t.sender_free);
      busy[t.to].emplace_back(t.receive_start, t.delivered);
      ASSERT_LE(t.delivered, timed.finish);
    }
    for (auto& spans : busy) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) {
        ASSERT_LE(spans[i - 1].second, spans[i].first);
      }
    }
  });
}

TEST(CriticalPathProperty, LeadsFromTheRootToTheLastRank) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = any_machine(rng);
    const CommTree tree = any_tree(rng, machine);
    const TimedTree timed = time_tree(machine, "test", tree, Slow(machine.size()), Bytes{1},
                                      schedule::Operation::Broadcast);
    const std::vector<Rank> path = critical_path(timed);
    ASSERT_EQ(path.front(), tree.root());
    for (std::size_t i = 1; i < path.size(); ++i) ASSERT_EQ(tree.parent(path[i]), path[i - 1]);
    ASSERT_EQ(timed.done[path.back()], timed.finish);
  });
}

}  // namespace
}  // namespace espalier::report
