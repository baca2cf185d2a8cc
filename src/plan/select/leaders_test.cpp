#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "select/ranking.hpp"
#include "select/segments.hpp"
#include "support/for_all_seeds.hpp"
#include "support/long_run.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

Collective some_call(Random& rng, Rank size) {
  const auto operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
  Collective call{operation, size, 0, 0, Bytes{1}, true, {}};
  if (operation != Operation::Barrier) call.count = rng.below(std::uint64_t{1} << rng.below(21));
  if (schedule::has_root(operation)) call.root = static_cast<Rank>(rng.below(size));
  return call;
}

/// Compares bounds and estimates of all plans of a call. Returns how many bounds were above 0.
std::uint64_t compare(const topology::Machine& machine, const Collective& call) {
  const Hierarchy hierarchy(machine);
  const CostView cost_view(machine);
  const Predictor predictor(hierarchy);
  std::uint64_t bounds = 0;
  for (const Plan& plan : proposed_plans(hierarchy, call)) {
    const Time bound = predictor.at_least(plan, call);
    if (bound == Time{0} || plan.algorithm->estimate == nullptr) continue;
    EXPECT_LE(bound, predict(plan, cost_view, hierarchy, call))
        << name_of(plan, call) << ", " << schedule::name_of(call.operation) << " of " << call.count
        << " bytes from " << call.root << " among " << machine.size();
    ++bounds;
  }
  return bounds;
}

TEST(AtLeast, IsNotMoreThanTheEstimateOnAnyMachine) {
  std::uint64_t bounds = 0;
  const bool all = for_all_seeds(400, [&](Random& rng) {
    topology::RandomMachineOptions options;
    options.min_processes = 2;
    options.max_processes = rng.chance(10) ? 200 : 40;
    options.shuffle_ranks = rng.chance(50);
    const topology::Machine machine = topology::random_machine(rng.below(1U << 30U), options);
    bounds += compare(machine, some_call(rng, machine.size()));
  });
  if (all) {
    EXPECT_GT(bounds, 1000U);
  }
}

std::string one_of(Random& rng, std::initializer_list<const char*> all) {
  return *(all.begin() + rng.below(all.size()));
}

/// Powers of two and other counts, links that are shared by many.
std::string some_equal_machine(Random& rng) {
  std::string text;
  const std::uint64_t levels = 1 + rng.below(3);
  for (std::uint64_t l = 0; l < levels; ++l) {
    text += (l == 0 ? "" : " ") + ("l" + std::to_string(l)) + ":";
    text += rng.chance(60) ? one_of(rng, {"2", "4", "8"}) : std::to_string(1 + rng.below(7));
    text += "(" + one_of(rng, {"1us", "20us", "2ms"}) + ",";
    text += one_of(rng, {"1Gbit/s", "25Gbit/s", "10Mbit/s"});
    if (rng.chance(30)) text += ",duplex=half";
    if (rng.chance(20)) text += ",backbone=100Mbit/s";
    if (l + 1 == levels) text += ",send=400ns,recv=500ns,reduce=8Gbit/s";
    text += ")";
  }
  return text + (rng.chance(30) ? " placement=cyclic" : "");
}

TEST(AtLeast, IsNotMoreThanTheEstimateOnMachinesOfEqualParts) {
  for_all_seeds(400, [&](Random& rng) {
    const std::string text = some_equal_machine(rng);
    SCOPED_TRACE(text);
    const auto machine = topology::parse_synthetic(text);
    ASSERT_TRUE(machine);
    (void)compare(*machine, some_call(rng, machine->size()));
  });
}

/// The first plan of a ranking, and the first that differs from it in more than its segments.
std::string first_two(const std::vector<Choice>& ranked, const Collective& call) {
  const Choice& first = ranked.front();
  const auto told = [&](const Choice& choice) {
    return name_of(choice.plan, call) + " " + std::to_string(choice.predicted.picoseconds) + "\n";
  };
  for (const Choice& choice : ranked) {
    if (!are_alike(choice.plan, first.plan)) return told(first) + told(choice);
  }
  return told(first);
}

TEST(Leaders, AreTheFirstOfTheRanking) {
  constexpr std::array kMachines{
      "site:2(10ms,1Gbit/s) node:16(20us,25Gbit/s) proc:17(1us,80Gbit/s,send=400ns,recv=400ns)",
      "site:4(300us,1Gbit/s) node:4(20us,1Gbit/s) proc:36(1us,80Gbit/s,send=400ns,recv=400ns)",
      "node:64(20us,10Gbit/s) proc:9(1us,80Gbit/s,send=1us,reduce=8Gbit/s) placement=cyclic",
      "site:2(50us,1Gbit/s,backbone=1Gbit/s) node:16|18(20us,25Gbit/s,duplex=half) proc:16(1us)",
      "proc:520(3us,10Gbit/s,send=1us,recv=1us)",
  };
  for (const char* text : kMachines) {
    const auto machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    const Predictor predictor(hierarchy);
    for (int o = 0; o < schedule::kOperationCount; ++o) {
      const auto operation = static_cast<Operation>(o);
      if (operation == Operation::Alltoall) continue;  // takes a second each
      const bool is_scan = operation == Operation::Scan || operation == Operation::Exscan;
      if (is_scan && !is_long_run()) continue;
      for (const std::uint64_t count : {std::uint64_t{8}, std::uint64_t{65536}}) {
        const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
        const auto any = [](const Plan&) { return true; };
        std::vector<Choice> all = ranking(predictor, call, Bits::Any, Roots::Any);
        std::erase_if(all, [&](const Choice& choice) {
          const bool by_number = choice.plan.algorithm->traits.by_number;
          return predictor.is_thrifty() && !predictor.may_walk(choice.plan, call) &&
                 ((schedule::has_root(operation) && by_number) ||
                  !predictor.by_shape(choice.plan, call));
        });
        const auto found = leaders(predictor, call, Bits::Any, Roots::Any, algorithms(), any);
        const std::string what = std::string(schedule::name_of(operation)) + " of " +
                                 std::to_string(count) + " bytes on " + text;
        if (!predictor.is_thrifty()) {
          EXPECT_EQ(first_two(found, call), first_two(all, call)) << what;
          continue;
        }
        // A walk over all ranks must promise 3 %.
        EXPECT_LE(to_seconds(found.front().predicted), to_seconds(all.front().predicted) / 0.97)
            << what << ": " << name_of(found.front().plan, call) << " instead of "
            << name_of(all.front().plan, call);
      }
    }
  }
}

TEST(Affordable, AreNoWalksOverManyRanks) {
  const auto machine = *topology::parse_synthetic(
      "site:2(10ms,1Gbit/s) node:18|20(20us,25Gbit/s) proc:32(1us,80Gbit/s,send=400ns)");
  const Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  const Collective call{Operation::Allreduce, machine.size(), 0, 1024, Bytes{1}, true, {}};
  const Plan ring = *plan_named("ring", hierarchy, call);
  const Plan levels = *plan_named("multilevel exchange/flat/binomial", hierarchy, call);
  EXPECT_TRUE(predictor.is_thrifty());
  EXPECT_FALSE(predictor.affordable(ring, call));
  EXPECT_EQ(predictor.affordable(levels, call), predictor(levels, call));
  EXPECT_GE(predictor.told(ring, call), predictor.at_least(ring, call));
  EXPECT_GT(predictor(ring, call), predictor.at_least(ring, call));
  EXPECT_FALSE(predictor.affordable(ring, call));  // whatever was asked before
}

TEST(Affordable, AreNoWalksWhereManyRanksAreDealtOut) {
  const auto machine = *topology::parse_synthetic(
      "site:4(1ms,10Gbit/s) node:64(20us,25Gbit/s) proc:32(1us,80Gbit/s,send=400ns,recv=400ns) "
      "placement=cyclic");
  const Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  EXPECT_TRUE(predictor.is_thrifty());
  struct Told {
    Operation operation;
    const char* name;
    bool by_shape;
  };
  constexpr Told kAll[]{{Operation::Allreduce, "recursive-doubling", false},
                        {Operation::Allreduce, "rabenseifner", false},
                        {Operation::Allreduce, "rabenseifner along the machine", true},
                        {Operation::Allreduce, "striped ring/ring", true},
                        {Operation::Barrier, "dissemination", false},
                        {Operation::Allgather, "bruck", false},
                        {Operation::Allgather, "ring", false},
                        {Operation::Allgather, "ring along the machine", true},
                        {Operation::ReduceScatter, "recursive-halving", false},
                        {Operation::Scan, "recursive-doubling", false}};
  for (const auto& [operation, name, by_shape] : kAll) {
    const std::uint64_t count = operation == Operation::Barrier ? 0 : 1024;
    const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
    const auto plan = plan_named(name, hierarchy, call);
    ASSERT_TRUE(plan) << name;
    EXPECT_EQ(predictor.affordable(*plan, call).has_value(), by_shape) << name;
    const double told = to_seconds(predictor.told(*plan, call));
    const double walked = to_seconds(predictor(*plan, call));
    EXPECT_NEAR(told, walked, 0.25 * walked) << schedule::name_of(operation) << " " << name;
  }
}

TEST(Leaders, AreToldWhereManyRanksAreDealtOut) {
  const auto machine = *topology::parse_synthetic(
      "site:4(1ms,10Gbit/s) node:40(20us,25Gbit/s) proc:32(1us,80Gbit/s,send=400ns,recv=400ns) "
      "placement=cyclic");
  const Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  const auto any = [](const Plan&) { return true; };
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    const Collective call{operation, machine.size(), 0, 1024, Bytes{1}, true, {}};
    const auto found = leaders(predictor, call, Bits::Any, Roots::Any, algorithms(), any);
    ASSERT_FALSE(found.empty()) << schedule::name_of(operation);
  }
}

TEST(Affordable, IsEverythingAmongFewRanks) {
  const auto machine = *topology::parse_synthetic("site:4(1ms) node:16(20us) proc:8(1us)");
  const Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  EXPECT_EQ(machine.size(), kNumbersWalkedUpTo);
  EXPECT_FALSE(predictor.is_thrifty());
}

TEST(Leaders, GoAlongLevelsWhereReductionsDoNotCommute) {
  const auto machine = *topology::parse_synthetic(
      "site:4(10ms,10Gbit/s) node:64(20us,25Gbit/s) proc:32(1us,80Gbit/s,send=400ns,recv=400ns)");
  const Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  const Collective call{Operation::Allreduce, machine.size(), 0, 8, Bytes{1}, false, {}};
  const auto any = [](const Plan&) { return true; };
  const auto found = leaders(predictor, call, Bits::Any, Roots::Any, algorithms(), any);
  EXPECT_FALSE(found.front().plan.algorithm->traits.by_number) << name_of(found.front().plan, call);
}

TEST(ByShape, DoesNotFlatterStripesAmongSitesOfUnequalSize) {
  constexpr std::array kMachines{
      "site:2(10ms,100Gbit/s|1Gbit/s) node:256|16(20us,25Gbit/s) proc:32(1us,send=400ns)",
      "site:2(10ms,1Gbit/s|100Gbit/s) node:16|256(20us,25Gbit/s) proc:32(1us,send=400ns)",
  };
  for (const char* text : kMachines) {
    const auto machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    const CostView cost_view(machine);
    const Predictor predictor(hierarchy);
    for (const Operation operation : {Operation::Allgather, Operation::ReduceScatter}) {
      const Collective call{operation, machine.size(), 0, 1024, Bytes{1}, true, {}};
      const Plan plan = *plan_named("striped ring", hierarchy, call);
      const auto told = predictor.by_shape(plan, call);
      ASSERT_TRUE(told) << text;
      EXPECT_GE(*told, predict(plan, cost_view, hierarchy, call)) << text;
    }
  }
}

TEST(ByShape, OfStripesIsTheSameWhicheverSiteComesFirst) {
  const auto time_on = [](const char* text) {
    const auto machine = *topology::parse_synthetic(text);
    const Hierarchy hierarchy(machine);
    const Collective call{Operation::Allreduce, machine.size(), 0, 1 << 20, Bytes{1}, true, {}};
    return *Predictor(hierarchy).by_shape(*plan_named("striped direct/ring", hierarchy, call),
                                          call);
  };
  const Time large_first = time_on("site:2(10ms,1Gbit/s) node:128|32(20us,1Gbit/s) proc:32(1us)");
  const Time small_first = time_on("site:2(10ms,1Gbit/s) node:32|128(20us,1Gbit/s) proc:32(1us)");
  EXPECT_EQ(large_first, small_first);
}

TEST(ByShape, TellsNoStripesWhereOneSiteIsLater) {
  const auto machine = *topology::parse_synthetic(
      "site:3(10ms,1Gbit/s,hop=0us|50ms|0us) node:64|65|64(20us,25Gbit/s) proc:32(1us)");
  const Hierarchy hierarchy(machine);
  const Collective call{Operation::Allgather, machine.size(), 0, 1024, Bytes{1}, true, {}};
  EXPECT_FALSE(Predictor(hierarchy).by_shape(*plan_named("striped ring", hierarchy, call), call));
}

}  // namespace
}  // namespace espalier::select
