#include "select/rank_by_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "select/chooser.hpp"
#include "select/ranking.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

Collective replayed_call(Operation operation, Rank size, std::uint64_t bytes) {
  return {operation, size, 0, bytes, Bytes{1}, true, {}};
}

TEST(Replayed, PutsTheFastestPlayedFirstAndLosesNoPlan) {
  for_all_seeds(20, [](Random& random) {
    const auto machine = topology::random_machine(random.next(), {1, 12, 3, true});
    const Hierarchy hierarchy(machine);
    const CostView cost_view(machine);
    const auto operation = static_cast<Operation>(random.below(schedule::kOperationCount));
    const std::uint64_t bytes = std::uint64_t{1} << random.below(18);
    const Collective call = replayed_call(operation, machine.size(), bytes);
    const std::vector<Choice> ranked = ranking(hierarchy, cost_view, call);
    const SimulationBudget budget{without_connections(), 8, 1U << 16U};
    const std::vector<Choice> anew = ranked_by_simulation(ranked, hierarchy, call, budget);
    ASSERT_EQ(anew.size(), ranked.size());
    for (const Choice& choice : ranked) {
      EXPECT_TRUE(std::any_of(anew.begin(), anew.end(),
                              [&](const Choice& other) { return other.plan == choice.plan; }));
    }
    if (anew == ranked) return;  // too long to be simulated
    const std::size_t simulated = std::min<std::size_t>(8, ranked.size());
    const auto takes = [&](const Choice& choice) {
      return choice.over_roots *
             to_seconds(simulated_time(choice.plan, hierarchy, call, without_connections()));
    };
    EXPECT_NEAR(to_seconds(anew.front().predicted), takes(anew.front()), 1e-11);
    EXPECT_LE(to_seconds(anew.front().predicted), takes(ranked.front()) + 1e-11);
    EXPECT_EQ(anew, ranked_by_simulation(ranked, hierarchy, call, budget)) << simulated;
  });
}

TEST(Replayed, PlaysNothingThatTakesTooManyMessages) {
  const auto machine = *topology::parse_synthetic("site:2(1ms,1Gbit/s) proc:4(10us,1Gbit/s)");
  const Hierarchy hierarchy(machine);
  const Collective call = replayed_call(Operation::Alltoall, 8, 1024);
  const std::vector<Choice> ranked = ranking(hierarchy, CostView(machine), call);
  EXPECT_EQ(ranked_by_simulation(ranked, hierarchy, call, {without_connections(), 8, 3}), ranked);
  EXPECT_EQ(ranked_by_simulation(ranked, hierarchy, call, {without_connections(), 0, 1000}),
            ranked);
}

/// Parts one at a time wait for a latency each: over a long way longer ones are better, which the
/// closed forms, made for connections, do not see.
TEST(Replayed, MakesPartsLongerOverALongWay) {
  const auto machine = *topology::parse_synthetic("proc:6(2ms,1Gbit/s,send=1us,recv=1us)");
  const Hierarchy hierarchy(machine);
  const Collective call = replayed_call(Operation::Broadcast, 6, 1U << 20U);
  const SimulationBudget budget{without_connections(), 48, 1U << 20U};
  const std::vector<Choice> ranked = ranking(hierarchy, CostView(machine), call);
  const std::vector<Choice> anew = ranked_by_simulation(ranked, hierarchy, call, budget);
  EXPECT_LT(anew.front().predicted,
            simulated_time(ranked.front().plan, hierarchy, call, without_connections()));
}

TEST(Chooser, AsksOthersBeforeItLooksForItself) {
  const auto machine = *topology::parse_synthetic("site:2(1ms,1Gbit/s) proc:4(10us,1Gbit/s)");
  const Hierarchy hierarchy(machine);
  std::map<std::string, Decision> shared;
  int made = 0;
  const SharedDecisions share = [&](const std::string& name,
                                    const std::function<Decision()>& make) -> const Decision& {
    const auto it = shared.find(name);
    if (it != shared.end()) return it->second;
    ++made;
    return shared.emplace(name, make()).first->second;
  };
  Chooser alone(hierarchy);
  for (int rank = 0; rank < 3; ++rank) {
    Chooser chooser(hierarchy, {}, share);
    for (const Operation operation : {Operation::Broadcast, Operation::Allreduce}) {
      const Collective call = replayed_call(operation, 8, 4096);
      EXPECT_EQ(chooser.choose(call).plan, alone.choose(call).plan);
    }
  }
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace espalier::select
