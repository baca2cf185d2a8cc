#include "model/cost_model.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "base/contract.hpp"
#include "model/logp_models.hpp"
#include "model/machine_models.hpp"
#include "model/node_costs.hpp"
#include "model/pair_models.hpp"
#include "model/parse_model.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/machine_spec.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::model {
namespace {

using topology::Machine;

Machine two_sites() {
  return *topology::parse_synthetic(
      "site:2(10ms,8Mbit/s) proc:2(1us,80Mbit/s,send=20us|30us|40us|50us,recv=5us)");
}

TEST(CostModel, NodeInitiationKnowsOnlyTheSender) {
  const NodeInitiation m(send_costs(two_sites(), Bytes{100}));
  EXPECT_EQ(m.cost(1, 0, Bytes{9}), m.cost(1, 3, Bytes{9000}));
  EXPECT_EQ(m.cost(2, 0, Bytes{0}), (MessageCost{microseconds(40), Time{0}, microseconds(40)}));
}

TEST(CostModel, HockneyIsAlphaPlusBytesOverBandwidth) {
  const Hockney m(4, microseconds(50), bytes_per_second(1'000'000));
  EXPECT_EQ(m.cost(0, 1, Bytes{100}).delivered, microseconds(150));
  const Machine machine = two_sites();
  EXPECT_EQ(MachineHockney(machine).cost(0, 2, Bytes{1000}).delivered,
            microseconds(20) + milliseconds(10) + milliseconds(1) + microseconds(5));
}

TEST(CostModel, LogGPKeepsTheSenderForTheGapAndTheBytes) {
  const LogGP m(4,
                {microseconds(10), microseconds(2), microseconds(3), bytes_per_second(1'000'000)});
  EXPECT_EQ(m.cost(0, 1, Bytes{101}),
            (MessageCost{microseconds(103), microseconds(2), microseconds(114)}));
  EXPECT_EQ(m.cost(0, 1, Bytes{0}),
            (MessageCost{microseconds(3), microseconds(2), microseconds(14)}));
}

TEST(CostModel, LmoFreesTheSenderBeforeTheWireIsDone) {
  const Machine machine = two_sites();
  const MessageCost cost = MachineLmo(machine).cost(0, 2, Bytes{1000});
  EXPECT_EQ(cost.sender_busy, microseconds(20));
  EXPECT_EQ(cost.receiver_busy, microseconds(5));
  EXPECT_EQ(cost.delivered, microseconds(20) + milliseconds(11) + microseconds(5));
}

TEST(CostModel, LevelsKeepTheSenderUntilItsLastByteIsOut) {
  const Machine machine = two_sites();
  const MessageCost cost = Levels(machine).cost(0, 2, Bytes{1000});
  EXPECT_EQ(cost.sender_busy, microseconds(1020));
  EXPECT_EQ(cost.delivered, microseconds(1020) + milliseconds(10) + microseconds(5));
}

TEST(CostModel, MatricesAgreeWithTheMachineTheyWereTakenFrom) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 12, 3, true});
    const Rank n = machine.size();
    PairMatrix<Time> latency(n);
    PairMatrix<Bandwidth> bandwidth(n);
    std::vector<topology::Cost> send, recv;
    for (Rank i = 0; i < n; ++i) {
      send.push_back(machine.costs(i).send);
      recv.push_back(machine.costs(i).recv);
      for (Rank j = 0; j < n; ++j) {
        latency(i, j) = machine.path(i, j).latency;
        bandwidth(i, j) = machine.path(i, j).bandwidth;
      }
    }
    const Lmo lmo(send, recv, latency, bandwidth);
    const MachineLmo from_machine(machine);
    const Bytes size{rng.below(100'000)};
    for (Rank i = 0; i < n; ++i) {
      for (Rank j = 0; j < n; ++j) {
        if (i == j) continue;
        ASSERT_EQ(lmo.cost(i, j, size), from_machine.cost(i, j, size));
      }
    }
  });
}

TEST(CostModelProperty, NobodyIsBusyBeyondDelivery) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 40, 4, true});
    const Bytes size{rng.below(1'000'000)};
    for (const char* name :
         {"levels", "node-initiation", "hockney", "lmo", "loggp:L=1us,o=2us,g=90us",
          "postal:lambda=1", "postal:lambda=7.25,unit=3us"}) {
      const auto model = parse_model(name, machine, size);
      ASSERT_TRUE(model) << model.error();
      const auto i = static_cast<Rank>(rng.below(machine.size()));
      const auto j = static_cast<Rank>((i + 1 + rng.below(machine.size() - 1)) % machine.size());
      const MessageCost cost = (*model)->cost(i, j, size);
      ASSERT_LE(cost.sender_busy, cost.delivered) << name;
      ASSERT_LE(cost.receiver_busy, cost.delivered) << name;
      ASSERT_GE(cost.delivered, Time{0}) << name;
    }
  });
}

TEST(ParseModel, RefusesWhatIsNoModel) {
  const Machine machine = two_sites();
  for (const char* name : {"", "newton", "postal", "postal:lambda=0.5", "postal:lambda=x",
                           "postal:lambda=2,mu=3", "loggp", "loggp:L=1us", "hockney:alpha=1us",
                           "levels:x=1", "lmo:L=1us", "postal:lambda=999999999"}) {
    const auto model = parse_model(name, machine, Bytes{1});
    ASSERT_FALSE(model) << name;
    EXPECT_FALSE(model.error().hint.empty()) << name;
  }
}

LogGPParameters latency(int us) { return {microseconds(us), nanoseconds(100), Time{}, kUnlimited}; }

TEST(LevelLogGP, TakesTheInnermostLevelThatJoinsTwoRanks) {
  const LevelLogGP model(64, {{4, latency(1)}, {16, latency(5)}, {64, latency(30)}});
  EXPECT_EQ(model.cost(0, 3, Bytes{1}), LogGP(64, latency(1)).cost(0, 3, Bytes{1}));
  EXPECT_EQ(model.cost(3, 4, Bytes{1}), LogGP(64, latency(5)).cost(3, 4, Bytes{1}));
  EXPECT_EQ(model.cost(15, 16, Bytes{9}), LogGP(64, latency(30)).cost(15, 16, Bytes{9}));
}

TEST(LevelLogGP, RefusesSpansThatDoNotGrow) {
  EXPECT_THROW(LevelLogGP(4, {}), ContractViolation);
  EXPECT_THROW(LevelLogGP(4, {{4, {}}, {4, {}}}), ContractViolation);
}

void expect_alike_where_told(const CostModel& model, const std::vector<Rank>& kinds, Random& rng) {
  for (Rank a = 0; a < model.size(); ++a) {
    for (Rank b = 0; b < a; ++b) {
      if (kinds[a] != kinds[b]) continue;
      const auto third = static_cast<Rank>(rng.below(model.size()));
      if (third == a || third == b) continue;
      const Bytes size{rng.below(1'000'000)};
      ASSERT_EQ(model.cost(a, third, size), model.cost(b, third, size)) << a << ' ' << b;
      ASSERT_EQ(model.cost(third, a, size), model.cost(third, b, size)) << a << ' ' << b;
    }
  }
}

TEST(AlikeProperty, MeansTheSameCostsToAndFromAnyThirdRank) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next());
    expect_alike_where_told(Levels(machine), kinds_of(machine), rng);
    expect_alike_where_told(MachineHockney(machine), kinds_of(machine), rng);
  });
}

TEST(CombineCosts, FollowEachRanksReductionSpeed) {
  topology::MachineSpec spec;
  spec.whole.members.resize(2);
  spec.whole.members[0].costs.reduce = bytes_per_second(1'000'000'000);
  const topology::Machine machine = *topology::build_machine(spec);
  EXPECT_EQ(combine_costs(machine, Bytes{500}), (std::vector<Time>{nanoseconds(500), Time{0}}));
}

}  // namespace
}  // namespace espalier::model
