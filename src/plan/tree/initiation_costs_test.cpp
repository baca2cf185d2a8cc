#include <gtest/gtest.h>

#include "model/node_costs.hpp"
#include "model/time_reversed.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "topology/readers.hpp"
#include "tree/algorithm.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

/// Each rank's own sending cost and nothing else.
TableModel initiation_only(const std::vector<Time>& costs) {
  const auto ranks = static_cast<Rank>(costs.size());
  TableModel model(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    for (Rank j = 0; j < ranks; ++j) model.link(i, j) = {.send = costs[i].picoseconds};
  }
  return model;
}

TEST(InitiationCosts, AreThoseOfTheNodeInitiationModel) {
  const std::vector<Time> costs{{3}, {1}, {4}};
  const auto found = initiation_costs_of(model::NodeInitiation(costs), {}, everybody(3, 1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, costs);
}

TEST(InitiationCosts, AreFoundInAnyModelInWhichTheSenderAloneCounts) {
  TableModel model = initiation_only({{3}, {1}, {4}, {1}});
  model.link(0, 1).wire = 7;  // rank 0 takes no part
  const std::vector<Rank> to{1, 3};
  const auto found = initiation_costs_of(model, Bytes{8}, multicast(4, 2, to));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::vector<Time>{{0}, {1}, {4}, {1}}));
}

TEST(InitiationCosts, RefuseALinkThatTakesTimeNamingIt) {
  TableModel model = initiation_only({{3}, {1}, {4}});
  model.link(2, 1).wire = 5;
  const auto found = initiation_costs_of(model, {}, everybody(3, 0));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().where, "model table");
  EXPECT_EQ(found.error().what,
            "a message from rank 2 to rank 1 keeps its sender for 4 ps but takes 9 ps");
  EXPECT_NE(found.error().hint.find("node-initiation"), std::string::npos);
}

TEST(InitiationCosts, RefuseAReceiverThatIsKeptBusy) {
  TableModel model = initiation_only({{3}, {1}, {4}});
  model.link(0, 2).receive = 5;
  const auto found = initiation_costs_of(model, {}, everybody(3, 1));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "rank 2 is busy for 5 ps with receiving from rank 0");
}

TEST(InitiationCosts, OfAReductionAreRefusedByTheWayItsMessagesGo) {
  const auto machine = topology::parse_synthetic("proc:3(1us)");
  ASSERT_TRUE(machine);
  const auto refused = [&](const TableModel& model) {
    return initiation_costs_of(model::TimeReversedReduction(model, *machine), {}, everybody(3, 0))
        .error();
  };
  TableModel model(3);
  model.link(1, 0).wire = 5;
  EXPECT_EQ(refused(model).what,
            "a message from rank 1 to rank 0 keeps its receiver for 0 s but takes 5 ps");
  EXPECT_NE(refused(model).hint.find("costs its receiver alone"), std::string::npos);
  model.link(1, 0) = {.send = 7};
  EXPECT_EQ(refused(model).what, "rank 1 is busy for 7 ps with sending to rank 0");
  model.link(1, 0) = {.receive = 3};
  EXPECT_EQ(refused(model).what, "rank 0 receives from rank 2 in 0 s but from another in 3 ps");
}

TEST(InitiationCosts, RefuseASenderThatIsSlowerToSomeThanToOthers) {
  TableModel model = initiation_only({{3}, {1}, {4}});
  model.link(1, 2).send_per_byte = 1;
  EXPECT_TRUE(initiation_costs_of(model, Bytes{0}, everybody(3, 1)).has_value());
  const auto found = initiation_costs_of(model, Bytes{8}, everybody(3, 1));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "rank 1 sends to rank 0 in 1 ps but to another in 9 ps");
}

TEST(InitiationCosts, RefuseMoreParticipantsThanPairsCanBeAskedFor) {
  class Alike : public TableModel {
   public:
    Alike() : TableModel(0) {}
    [[nodiscard]] Rank size() const override { return kMostPairsAsked + 1; }
    [[nodiscard]] model::MessageCost cost(Rank, Rank, Bytes) const override { return {}; }
  };
  const auto found = initiation_costs_of(Alike(), {}, everybody(kMostPairsAsked + 1, 0));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "8193 participants are too many to ask for the cost of every pair");
}

TEST(InitiationCostsProperty, TheOptimumIsRefusedWhereverLinksMatterAndNowhereElse) {
  const Algorithm* optimal = find_algorithm("optimal");
  ASSERT_NE(optimal, nullptr);
  for_all_seeds(200, [&](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(2, 9));
    const Participants who = random_participants(rng, ranks);
    const std::vector<Time> costs = random_times(rng, ranks, 1, 8);
    TableModel model = initiation_only(costs);
    ASSERT_FALSE(optimal->refusal({who, costs, model, Bytes{1}}).has_value());
    if (who.count() < 2) return;
    const Rank from = who.root, to = who.others[rng.below(who.others.size())];
    const bool forth = rng.chance(50);
    (forth ? model.link(from, to) : model.link(to, from)).wire = 1;
    ASSERT_TRUE(optimal->refusal({who, costs, model, Bytes{1}}).has_value());
  });
}

}  // namespace
}  // namespace espalier::tree
