#include "discover/seen_machine.hpp"

#include <gtest/gtest.h>

namespace espalier::discover {
namespace {

using Ranks = std::vector<std::vector<Rank>>;
constexpr Bandwidth kFastWan{940'000'000};

PeerSeen peer(Time round_trip, Bandwidth rate = Bandwidth{0}) { return {0, round_trip, rate}; }

/// Node 0 at one site, nodes 1 and 2 at another, 10 ms away.
NodesSeen two_sites(Bandwidth wan = Bandwidth{0}) {
  NodesSeen seen(3);
  seen.add(0, 1, peer(microseconds(20'200), wan));
  seen.add(2, 0, peer(microseconds(20'400)));
  seen.add(1, 2, peer(microseconds(540)));
  return seen;
}

TEST(MachineSeen, FindsTheSitesOfConnections) {
  const auto found = machine_seen(two_sites(), Ranks{{0, 1}, {2, 3}, {4, 5}});
  ASSERT_TRUE(found);
  const topology::Machine& machine = found->machine;
  EXPECT_EQ(machine.size(), 6U);
  EXPECT_EQ(machine.levels().size(), 3U);
  EXPECT_EQ(machine.path(0, 2).latency, microseconds(10'100));
  EXPECT_EQ(machine.path(2, 4).latency, microseconds(270));
  EXPECT_EQ(machine.path(0, 2).level, machine.path(1, 5).level);
}

TEST(MachineSeen, AssumesRatesUnlessAConnectionShowedMore) {
  const Ranks ranks{{0}, {1}, {2}};
  const auto slow = machine_seen(two_sites(Bandwidth{20'000'000}), ranks);
  const auto fast = machine_seen(two_sites(kFastWan), ranks);
  ASSERT_TRUE(slow && fast);
  EXPECT_EQ(slow->machine.path(0, 1).bandwidth, Bandwidth{100'000'000});
  EXPECT_EQ(fast->machine.path(0, 1).bandwidth, kFastWan);
}

TEST(MachineSeen, WaitsForConnectionsThatTellClustersApart) {
  NodesSeen seen(3);
  seen.add(0, 1, peer(microseconds(20'200)));
  EXPECT_FALSE(machine_seen(seen, Ranks{{0}, {1}, {2}}));  // nobody is connected with node 2
  seen.add(0, 2, peer(microseconds(20'300)));
  EXPECT_FALSE(machine_seen(seen, Ranks{{0}, {1}, {2}}));  // are 1 and 2 neighbours?
}

TEST(MachineSeen, IsTheSameWhoeverSawIt) {
  NodesSeen one(3), other(3);
  one.add(0, 1, peer(microseconds(20'200), kFastWan));
  other.add(2, 0, peer(microseconds(20'400)));
  other.add(1, 2, peer(microseconds(540)));
  std::vector<double> largest = one.numbers();
  for (std::size_t i = 0; i < largest.size(); ++i) {
    largest[i] = std::max(largest[i], other.numbers()[i]);
  }
  NodesSeen all(3);
  all.take(largest);
  const auto wanted = machine_seen(two_sites(kFastWan), Ranks{{0}, {1}, {2}});
  const auto found = machine_seen(all, Ranks{{0}, {1}, {2}});
  ASSERT_TRUE(found && wanted);
  EXPECT_EQ(found->words, wanted->words);
  EXPECT_EQ(found->machine.path(0, 1).latency, wanted->machine.path(0, 1).latency);
}

}  // namespace
}  // namespace espalier::discover
