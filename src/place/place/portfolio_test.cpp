#include "place/portfolio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "map/mappings.hpp"
#include "map/replay.hpp"
#include "place/listed_order.hpp"
#include "place/load_inventory.hpp"
#include "profile/trace_writer.hpp"
#include "profile/workload.hpp"
#include "support/for_all_seeds.hpp"
#include "support/inventory_from.hpp"
#include "support/long_run.hpp"
#include "support/random_placements.hpp"

namespace espalier::place {
namespace {

using map::random_inventory;
using map::random_profile;
using profile::Profile;

TEST(MappingsProperty, PlaceEveryProcessOnceAndObeyPins) {
  for_all_seeds(100, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(12));
    const map::Inventory inventory = inventory_from(random_inventory(rng, size));
    const Profile profile = random_profile(rng, size);
    map::Constraints constraints;
    if (rng.chance(50)) constraints.pins.emplace_back(0, inventory.hosts.back().name);
    const auto problem = make_problem(inventory, profile, constraints);
    ASSERT_TRUE(problem.has_value()) << problem.error();
    const Selection s = select_topology(*problem, kFullSelection);
    EXPECT_TRUE(is_valid(*problem, s.placement));
    EXPECT_TRUE(is_valid(*problem, scotch_placement(*problem, s.sorted)));
    EXPECT_TRUE(is_valid(*problem, grouped_placement(*problem, s.sorted)));
    EXPECT_TRUE(is_valid(*problem, greedy_placement(*problem, s.sorted)));
    EXPECT_EQ(scotch_placement(*problem, s.sorted), scotch_placement(*problem, s.sorted));
  });
}

const Candidate& named(const Answer& answer, const std::string& name) {
  return *std::find_if(answer.candidates.begin(), answer.candidates.end(),
                       [&](const Candidate& c) { return c.name == name; });
}

TEST(PortfolioProperty, IsAtLeastAsGoodAsScotchAndTreematchAloneOn200Machines) {
  for_all_seeds(200, [](Random& rng) {
    const auto size = static_cast<Rank>(4 + rng.below(20));
    const map::Inventory inventory = inventory_from(random_inventory(rng, size));
    const Profile profile = random_profile(rng, size);
    const auto problem = make_problem(inventory, profile, {});
    const Answer answer = place_processes(*problem, {.search_steps = 100'000});
    const Candidate& chosen = answer.candidates[answer.chosen];
    // Predicted anew, by replays of their own.
    const std::vector<std::uint32_t>& slots = answer.paper.sorted;
    const Time ours = predict(*problem, chosen.placement);
    EXPECT_LE(ours, predict(*problem, scotch_placement(*problem, slots)));
    EXPECT_LE(ours, predict(*problem, grouped_placement(*problem, slots)));
    EXPECT_LE(ours, named(answer, "full").predicted);
    EXPECT_LE(ours, named(answer, "sequential").predicted);
  });
}

TEST(Replay, TakesTheSpeedOfANodeIntoAccount) {
  const map::Inventory inventory = inventory_from("node:2(1us,speed=1|2)");
  Profile one = profile::silent_profile("one", 1);
  profile::TraceWriter(one.processes[0].actions).compute(seconds(3));
  const auto problem = make_problem(inventory, one, {});
  EXPECT_EQ(predict(*problem, {0}), seconds(3));
  EXPECT_EQ(predict(*problem, {1}), milliseconds(1500));
  EXPECT_EQ(place_processes(*problem).candidates[place_processes(*problem).chosen].placement,
            map::Placement{1});
}

/// Ranks 0 and 2 talk, and 1 and 3.
Profile two_pairs() {
  Profile pairs = profile::silent_profile("pairs", 4);
  for (const Rank p : {Rank{0}, Rank{1}}) {
    profile::TraceWriter(pairs.processes[p].actions).send(p + 2, 1'000'000);
    profile::TraceWriter(pairs.processes[p + 2].actions).recv(p, 1'000'000);
  }
  return pairs;
}

TEST(InListedOrder, GivesTheFirstOfAlikeHostsTheLowestRankAndLeavesTheLastIdle) {
  const map::Inventory inventory = inventory_from("host:4(50us,1Gbit/s) slot:2(1us)");
  const Profile pairs = two_pairs();
  const auto problem = make_problem(inventory, pairs, {});
  ASSERT_TRUE(problem.has_value()) << problem.error();
  // 0 and 2 on the last host, 1 and 3 on the second: slots 2h and 2h + 1 are those of host h.
  EXPECT_EQ(in_listed_order(*problem, {6, 2, 7, 3}), (map::Placement{0, 2, 1, 3}));
  const auto pinned = make_problem(inventory, pairs, {.exclude = {}, .pins = {{1, "host1"}}});
  ASSERT_TRUE(pinned.has_value()) << pinned.error();
  EXPECT_EQ(in_listed_order(*pinned, {6, 2, 7, 3}), (map::Placement{0, 2, 1, 3}));
}

TEST(InListedOrder, KeepsHostsApartThatDiffer) {
  const map::Inventory inventory = inventory_from("host:2(50us,1Gbit/s|2Gbit/s) slot:2(1us)");
  const Profile pairs = two_pairs();
  const auto problem = make_problem(inventory, pairs, {});
  ASSERT_TRUE(problem.has_value()) << problem.error();
  EXPECT_EQ(in_listed_order(*problem, {2, 0, 3, 1}), (map::Placement{2, 0, 3, 1}));
}

TEST(Portfolio, TakesAlikeHostsInTheOrderOfTheInventory) {
  const map::Inventory inventory = inventory_from("host:4(50us,1Gbit/s) slot:2(1us)");
  const Profile pairs = two_pairs();
  const auto problem = make_problem(inventory, pairs, {});
  ASSERT_TRUE(problem.has_value()) << problem.error();
  const Answer answer = place_processes(*problem);
  const map::Placement& chosen = answer.candidates[answer.chosen].placement;
  EXPECT_EQ(chosen, in_listed_order(*problem, chosen));
  EXPECT_EQ(problem->slots[chosen[0]].host, 0U);
}

/// The best of all placements, slots of equal hosts told apart by nothing.
Time brute_force(const map::Problem& problem) {
  const map::ReadyTrace trace(*problem.profile, 2'000'000);
  map::Replayer replayer(problem, trace, sharing_for(problem));
  std::vector<std::uint32_t> slots(problem.slots.size());
  std::iota(slots.begin(), slots.end(), 0U);
  Time best = kForever;
  do {
    const map::Placement placement(slots.begin(),
                                   slots.begin() + static_cast<std::ptrdiff_t>(problem.size()));
    best = std::min(best, replayer.finish(placement));
    // Only the first `size` matter: skip permutations of the rest.
    std::reverse(slots.begin() + static_cast<std::ptrdiff_t>(problem.size()), slots.end());
  } while (std::next_permutation(slots.begin(), slots.end()));
  return best;
}

TEST(PortfolioProperty, HasAMedianGapOfZeroToBruteForce) {
  std::vector<double> gaps;
  bool is_first = true;
  const bool ran_all = for_all_seeds(31, [&](Random& rng) {
    // One of many processes; the others on few enough slots to try them all quickly.
    const Rank most = is_long_run() ? 9 : 8;
    const auto size = static_cast<Rank>(is_first ? most : 3 + rng.below(4));
    const std::string clusters =
        is_long_run() ? "cluster:3(9ms,9Mbit/s) node:3" : "cluster:2(9ms,9Mbit/s) node:4";
    const map::Inventory inventory = inventory_from(
        is_first ? clusters + "(50us,100Mbit/s,send=5us,recv=5us)" : random_inventory(rng, size));
    const Profile profile = random_profile(rng, size);
    const auto problem = make_problem(inventory, profile, {});
    if (!is_first && problem->slots.size() > 8) return;
    is_first = false;
    const Answer answer = place_processes(*problem, {.search_steps = 1'000'000});
    const Time ours = answer.candidates[answer.chosen].predicted;
    const Time best = brute_force(*problem);
    EXPECT_GE(ours, best);
    gaps.push_back(static_cast<double>(ours.picoseconds) / static_cast<double>(best.picoseconds) -
                   1);
  });
  ASSERT_FALSE(gaps.empty());
  std::sort(gaps.begin(), gaps.end());
  std::printf("optimality gap over %zu cases: median %.3f %%, worst %.3f %%\n", gaps.size(),
              100 * gaps[gaps.size() / 2], 100 * gaps.back());
  if (ran_all) {
    EXPECT_EQ(gaps[gaps.size() / 2], 0);
  }
}

}  // namespace
}  // namespace espalier::place
