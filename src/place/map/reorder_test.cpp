#include "map/reorder.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "map/mappings.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/load_machine.hpp"

namespace espalier::map {
namespace {

topology::Machine machine_of(const std::string& text) {
  auto loaded = topology::load_machine(text);
  EXPECT_TRUE(loaded.has_value()) << to_string(loaded.error());
  return std::move(loaded->machine);
}

std::vector<Rank> all_of(const topology::Machine& machine) {
  std::vector<Rank> ranks(machine.size());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

/// Edges between clusters of the outermost level, or of one further in.
std::size_t crossings(const topology::Machine& machine, const std::vector<Rank>& order,
                      const std::vector<profile::Pair>& pairs, std::size_t level = 0) {
  std::size_t count = 0;
  for (const profile::Pair& p : pairs) {
    const auto cluster = [&](Rank node) { return machine.clusters_of(order[node])[level]; };
    count += cluster(p.from) != cluster(p.to) ? 1 : 0;
  }
  return count;
}

std::vector<profile::Pair> grid(Rank rows, Rank columns) {
  std::vector<profile::Pair> pairs;
  for (Rank r = 0; r < rows; ++r) {
    for (Rank c = 0; c < columns; ++c) {
      const Rank me = r * columns + c;
      if (c + 1 < columns) pairs.push_back({me, me + 1, 1, 1024});
      if (r + 1 < rows) pairs.push_back({me, me + columns, 1, 1024});
    }
  }
  return pairs;
}

TEST(Reorder, BringsNeighboursTogetherThatWereDealtOut) {
  const auto machine = machine_of("site:2(10ms) proc:8(1us) placement=cyclic");
  const auto pairs = grid(4, 4);
  const auto order = reorder(machine, all_of(machine), 16, pairs);
  EXPECT_EQ(crossings(machine, order, pairs), 4U);  // one cut through the middle
  EXPECT_GT(crossings(machine, all_of(machine), pairs), 4U);
}

/// Dealt out to four machines, a grid's columns are together: the sites are cut best already, the
/// machines are not. Squares have 8 edges between machines, columns 12.
TEST(Reorder, FindsTheBestCutsOfTwoLevels) {
  for (const char* text :
       {"site:2(10ms) machine:2(500us) proc:4(1us) placement=cyclic",
        "site:2(10ms,100Mbit/s) machine:2(500us,1Gbit/s) proc:4(1us,send=1us,recv=1us) "
        "placement=cyclic"}) {
    const auto machine = machine_of(text);
    const auto pairs = grid(4, 4);
    const auto order = reorder(machine, all_of(machine), 16, pairs);
    EXPECT_EQ(crossings(machine, order, pairs), 4U) << text;
    EXPECT_EQ(crossings(machine, order, pairs, 1), 8U) << text;
    EXPECT_EQ(crossings(machine, all_of(machine), pairs, 1), 12U);
  }
}

TEST(Reorder, LeavesWhatFitsAsItIs) {
  const auto machine = machine_of("site:2(10ms) proc:8(1us)");
  EXPECT_EQ(reorder(machine, all_of(machine), 16, grid(4, 4)), all_of(machine));
  const auto flat = machine_of("proc:6(1us)");
  EXPECT_EQ(reorder(flat, all_of(flat), 6, grid(2, 3)), all_of(flat));
}

TEST(Reorder, ChoosesAmongMoreProcessesThanNodes) {
  const auto machine = machine_of("site:2(10ms) proc:4(1us) placement=cyclic");
  const auto pairs = grid(1, 4);
  EXPECT_EQ(crossings(machine, reorder(machine, all_of(machine), 4, pairs), pairs), 0U);
}

std::vector<profile::Pair> everybody_with_everybody(Rank size) {
  std::vector<profile::Pair> pairs;
  for (Rank a = 0; a < size; ++a) {
    for (Rank b = 0; b < size; ++b) {
      if (a != b) pairs.push_back({a, b, 1, 1024 + a * b % 7});
    }
  }
  return pairs;
}

/// A problem and what it refers to.
struct Asked {
  Asked(const std::string& machine, Rank size, std::vector<profile::Pair> pairs)
      : inventory(inventory_of(machine_of(machine))),
        profile(profile::silent_profile("graph", size)) {
    profile.pairs = profile::merged(std::move(pairs));
    problem = *make_problem(inventory, profile, {});
    for (Rank p = 0; p < size; ++p) placement.push_back(p);
  }
  Inventory inventory;
  profile::Profile profile;
  Problem problem;
  Placement placement;
};

TEST(Refine, EndsWhenEdgesWereLookedAtOftenEnough) {
  const auto looks = [](std::uint64_t most) {
    Asked asked("site:4(10ms) proc:16(1us)", 64, everybody_with_everybody(64));
    return refine(asked.problem, asked.placement, 200'000, most);
  };
  EXPECT_GT(looks(~std::uint64_t{0}), 100'000U);
  EXPECT_LE(looks(10'000), 10'000U + 4 * 63);
  EXPECT_EQ(looks(0), 0U);
}

TEST(Refine, IsTheSameAsEverWhereEdgesAreFew) {
  Asked few("site:4(10ms) proc:16(1us) placement=cyclic", 64, grid(8, 8));
  Asked bounded = few;
  bounded.problem.inventory = &bounded.inventory;
  bounded.problem.profile = &bounded.profile;
  refine(few.problem, few.placement, 2000);
  refine(bounded.problem, bounded.placement, 2000, 2000 * 4 * 4);
  EXPECT_EQ(few.placement, bounded.placement);
}

TEST(SharingFor, IsExactUnlessThereAreManyProcessesOrEdges) {
  const std::string machine = "site:2(10ms) proc:200(1us)";
  const auto sharing = [&](Rank size, const std::vector<profile::Pair>& pairs) {
    return sharing_for(Asked(machine, size, pairs).problem);
  };
  EXPECT_EQ(sharing(256, grid(16, 16)), sim::Sharing::ExactMaxMin);
  EXPECT_EQ(sharing(128, everybody_with_everybody(128)), sim::Sharing::ExactMaxMin);
  EXPECT_EQ(sharing(192, everybody_with_everybody(192)), sim::Sharing::OneBottleneck);
  EXPECT_EQ(sharing(272, grid(16, 17)), sim::Sharing::OneBottleneck);
}

TEST(Reorder, TakesMoreProcessesThanCommandsPlace) {
  const auto machine = machine_of("node:1025(5us) proc:16(1us)");
  std::vector<profile::Pair> ring;
  for (Rank r = 0; r < machine.size(); ++r) ring.push_back({r, (r + 1) % machine.size(), 1, 8});
  const auto order = reorder(machine, all_of(machine), machine.size(), std::move(ring));
  EXPECT_EQ(std::set<Rank>(order.begin(), order.end()).size(), machine.size());
}

TEST(Reorder, RefusesMoreNodesThanProcesses) {
  const auto machine = machine_of("proc:2(1us)");
  EXPECT_THROW((void)reorder(machine, all_of(machine), 3, {}), ContractViolation);
}

TEST(ReorderProperty, GivesEachNodeAnotherProcessAndTheSameAgain) {
  for_all_seeds(60, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(20));
    const auto machine =
        machine_of("random:" + std::to_string(rng.below(1000)) + ":" + std::to_string(size));
    std::vector<Rank> ranks = all_of(machine);
    rng.shuffle<Rank>(ranks);
    ranks.resize(1 + rng.below(size));
    const auto nodes = static_cast<Rank>(1 + rng.below(ranks.size()));
    std::vector<profile::Pair> pairs;
    for (std::uint64_t i = rng.below(40); i > 0; --i) {
      pairs.push_back({static_cast<Rank>(rng.below(nodes)), static_cast<Rank>(rng.below(nodes)), 1,
                       rng.below(100'000)});
    }
    const auto order = reorder(machine, ranks, nodes, pairs);
    EXPECT_EQ(order.size(), nodes);
    EXPECT_EQ(std::set<Rank>(order.begin(), order.end()).size(), nodes);
    for (const Rank member : order) EXPECT_LT(member, ranks.size());
    EXPECT_EQ(reorder(machine, ranks, nodes, pairs), order);
  });
}

}  // namespace
}  // namespace espalier::map
