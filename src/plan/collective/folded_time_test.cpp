#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "collective/algorithm.hpp"
#include "collective/folded_machine.hpp"
#include "collective/multilevel_time.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;

std::string one_of(Random& rng, std::initializer_list<const char*> all) {
  return *(all.begin() + rng.below(all.size()));
}

/// Two to four levels of mostly equal parts.
std::string some_equal_machine(Random& rng) {
  std::string text;
  const std::uint64_t levels = 2 + rng.below(3);
  for (std::uint64_t l = 0; l < levels; ++l) {
    const bool is_last = l + 1 == levels;
    text += (l == 0 ? "" : " ") + ("l" + std::to_string(l)) + ":";
    text += std::to_string(1 + rng.below(6));
    if (rng.chance(20)) text += "|" + std::to_string(1 + rng.below(6));
    text += "(" + (rng.chance(8) ? "10us|30us" : one_of(rng, {"1us", "20us", "2ms"}));
    text += "," + one_of(rng, {"1Gbit/s", "25Gbit/s", "10Mbit/s"});
    if (rng.chance(30)) text += ",duplex=half";
    if (l == 0 && rng.chance(40)) text += ",backbone=100Mbit/s";
    if (is_last)
      text += ",send=" + std::string(rng.chance(10) ? "1us|3us" : "400ns") + ",recv=500ns";
    if (is_last && rng.chance(50)) text += ",reduce=8Gbit/s";
    text += ")";
  }
  if (rng.chance(40)) text += " placement=cyclic";
  return text;
}

MultilevelChoice some_trees(Random& rng, std::size_t levels, const Collective& call) {
  MultilevelChoice choice;
  const std::uint64_t segment = 1 + call.count / (2 + rng.below(30));
  const bool is_cut = rng.chance(50);
  for (std::size_t l = 0; l < levels; ++l) {
    choice.levels.push_back({static_cast<Shape>(rng.below(kShapeCount)),
                             is_cut && rng.chance(80) ? segment : std::uint64_t{0}});
  }
  const bool can_exchange = !schedule::has_root(call.operation);
  choice.top = can_exchange && rng.chance(50) ? Top::Exchange : Top::Tree;
  return choice;
}

/// Both estimates of some multilevel plans.
void compare(Random& rng, const topology::Machine& machine, const Collective& call) {
  const Hierarchy hierarchy(machine);
  const cost::CostView cost_view(machine);
  const FoldedMachine folded(hierarchy, schedule::has_root(call.operation) ? call.root : 0, {});
  for (int i = 0; i < 12; ++i) {
    const MultilevelChoice choice = some_trees(rng, machine.levels().size(), call);
    std::vector<double> segments;
    std::string trees = choice.top == Top::Exchange ? "exchange" : "tree";
    for (const LevelChoice& level : choice.levels) {
      segments.push_back(static_cast<double>(level.segment));
      trees +=
          " " + std::to_string(static_cast<int>(level.shape)) + ":" + std::to_string(level.segment);
    }
    const double whole =
        multilevel_time(choice, segments, cost_view, hierarchy, call, Partials::One);
    const auto by_parts = folded_multilevel_time(choice, segments, folded, call);
    const bool scans = call.operation == Operation::Scan || call.operation == Operation::Exscan;
    if (scans && !hierarchy.shape().in_order) continue;
    ASSERT_TRUE(by_parts.has_value());
    EXPECT_NEAR(*by_parts, whole, 1e-9 * whole + 1)
        << schedule::name_of(call.operation) << " of " << call.count << " from " << call.root << " "
        << trees;
  }
}

constexpr Operation kTold[]{Operation::Broadcast,     Operation::Reduce,    Operation::Allreduce,
                            Operation::Barrier,       Operation::Gather,    Operation::Scatter,
                            Operation::ReduceScatter, Operation::Allgather, Operation::Scan,
                            Operation::Exscan};

TEST(FoldedTimeProperty, IsTheTimeOfTheWholeTree) {
  int folded = 0;
  const bool all = for_all_seeds(150, [&](Random& rng) {
    const std::string text = some_equal_machine(rng);
    SCOPED_TRACE(text);
    const auto machine = topology::parse_synthetic(text);
    if (!machine || !Hierarchy(*machine).shape().can_fold) return;  // a list may fit no level
    ++folded;
    Collective call{kTold[rng.below(std::size(kTold))], machine->size(), 0, 0, Bytes{1}, true, {}};
    call.count = rng.chance(10) ? 0 : std::uint64_t{1} << rng.below(21);
    if (schedule::has_root(call.operation)) call.root = static_cast<Rank>(rng.below(call.size));
    compare(rng, *machine, call);
  });
  if (all) {
    EXPECT_GT(folded, 50);
  }
}

TEST(FoldedTime, IsTheTimeOfAllRanksOnALargerMachine) {
  const auto machine = topology::parse_synthetic(
      "site:3(10ms,1Gbit/s) node:7(20us,25Gbit/s) proc:9(1us,80Gbit/s,send=400ns,recv=400ns)");
  Random rng(1);
  for (const Operation operation : kTold) {
    compare(rng, *machine, {operation, machine->size(), 0, 65536, Bytes{1}, true, {}});
  }
}

/// All parts of a level alike, ranks in order or dealt out; mostly powers of two.
std::string some_regular_machine(Random& rng) {
  std::string text;
  const std::uint64_t levels = 2 + rng.below(3);
  for (std::uint64_t l = 0; l < levels; ++l) {
    text += (l == 0 ? "" : " ") + ("l" + std::to_string(l)) + ":";
    text += rng.chance(80) ? one_of(rng, {"2", "4", "4", "8"}) : std::to_string(1 + rng.below(6));
    text += "(" + one_of(rng, {"1us", "20us", "500us", "2ms"});
    text += "," + one_of(rng, {"1Gbit/s", "25Gbit/s", "10Mbit/s", "100Gbit/s"});
    if (rng.chance(15)) text += ",duplex=half";
    if (l == 0 && rng.chance(30)) text += ",backbone=100Mbit/s";
    if (l + 1 == levels) {
      text += ",send=" + one_of(rng, {"400ns", "5us"}) + ",recv=500ns";
      if (rng.chance(50)) text += ",reduce=8Gbit/s";
    }
    text += ")";
  }
  return text + (rng.chance(30) ? " placement=cyclic" : "");
}

/// Both estimates of all plans that have two. Returns how many.
std::uint64_t compare_all(const topology::Machine& machine, const Collective& call) {
  const Hierarchy hierarchy(machine);
  if (!hierarchy.shape().can_fold) return 0;
  const cost::CostView cost_view(machine);
  const FoldedMachine folded(hierarchy, schedule::has_root(call.operation) ? call.root : 0, {});
  std::uint64_t compared = 0;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->estimate_folded == nullptr) continue;
    for (const Parameters& parameters : proposals(*algorithm, hierarchy, call)) {
      const auto by_parts = algorithm->estimate_folded(folded, call, parameters);
      if (!by_parts) continue;
      const double whole = algorithm->estimate(cost_view, hierarchy, call, parameters);
      EXPECT_NEAR(*by_parts, whole, 1e-9 * whole + 1)
          << schedule::name_of(call.operation) << " of " << call.count << " from " << call.root
          << ": " << name_of(*algorithm, call, parameters);
      ++compared;
    }
  }
  return compared;
}

TEST(FoldedTimeProperty, IsTheEstimateOfEveryPlan) {
  std::uint64_t compared = 0;
  const bool all = for_all_seeds(300, [&](Random& rng) {
    const std::string text = some_regular_machine(rng);
    SCOPED_TRACE(text);
    const auto machine = topology::parse_synthetic(text);
    ASSERT_TRUE(machine);
    if (machine->size() > 300) return;
    Collective call{Operation::Broadcast, machine->size(), 0, 0, Bytes{1}, true, {}};
    call.operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
    call.count = rng.chance(10) ? 0 : std::uint64_t{1} << rng.below(17);
    if (schedule::has_root(call.operation) && rng.chance(30)) {
      call.root = static_cast<Rank>(rng.below(call.size));
    }
    compared += compare_all(*machine, call);
  });
  if (all) {
    EXPECT_GT(compared, 1000U);
  }
}

TEST(FoldedMachine, IsAsLargeAsItsDifferentParts) {
  const auto size = [](const char* text) {
    const auto machine = topology::parse_synthetic(text);
    const Hierarchy hierarchy(*machine);
    return FoldedMachine(hierarchy, 0, {}).hierarchy().machine().size();
  };
  // Of the first site all of its first node and of another one, and the masters of 30. Of the
  // second, which is equal, the first node and the masters of 31. Of all others the master.
  EXPECT_EQ(size("site:8(1ms,1Gbit/s) node:32(20us,1Gbit/s) proc:16(1us)"), 62U + 47 + 6);
  EXPECT_EQ(size("site:8(1ms,1Gbit/s) node:32(20us,1Gbit/s) proc:16(1us) placement=cyclic"),
            62U + 47 + 6);
}

TEST(FoldedMachine, RefusesInnerBackbones) {
  const auto machine = topology::parse_synthetic("a:2(1ms) b:3(1us,backbone=1Gbit/s)");
  EXPECT_FALSE(Hierarchy(*machine).shape().can_fold);
}

}  // namespace
}  // namespace espalier::collective
