#include "sim/fair_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"

namespace espalier::sim {
namespace {

constexpr Time kStart{0};

std::vector<Resource> links(std::initializer_list<std::uint64_t> capacities) {
  std::vector<Resource> resources;
  for (const std::uint64_t c : capacities) {
    resources.push_back({Resource::Kind::Backbone, 0, 0, 0, bits_per_second(c)});
  }
  return resources;
}

TEST(FairShares, GivesAFlowAloneAllOfTheNarrowestLink) {
  FairShares shares(links({100, 30, 50}), 3);
  shares.begin(kStart, 7, 30, Route({0, 1, 2}));
  shares.settle(kStart);
  EXPECT_EQ(shares.rate_of(7), 30U);
  EXPECT_EQ(shares.next_end(), seconds(8));
  const FairShares::Ended ended = shares.end_first(seconds(8));
  EXPECT_EQ(ended.owner, 7U);
  EXPECT_EQ(ended.slowed_by, 1U);
}

TEST(FairShares, LeavesWhatACappedFlowDoesNotWantToTheOthers) {
  FairShares shares(links({90}), 1);
  shares.begin(kStart, 0, 1, Route({0}, bits_per_second(10)));
  shares.begin(kStart, 1, 1, Route({0}));
  shares.begin(kStart, 2, 1, Route({0}));
  shares.settle(kStart);
  EXPECT_EQ(shares.rate_of(0), 10U);
  EXPECT_EQ(shares.rate_of(1), 40U);
  EXPECT_EQ(shares.rate_of(2), 40U);
}

// The parking lot: one long flow beside one short flow on each link.
TEST(FairShares, LetsShortFlowsTakeWhatALongOneCannotUse) {
  FairShares shares(links({100, 60}), 2);
  shares.begin(kStart, 0, 1, Route({0, 1}));
  shares.begin(kStart, 1, 1, Route({0}));
  shares.begin(kStart, 2, 1, Route({1}));
  shares.settle(kStart);
  EXPECT_EQ(shares.rate_of(0), 30U);
  EXPECT_EQ(shares.rate_of(1), 70U);
  EXPECT_EQ(shares.rate_of(2), 30U);
}

TEST(FairShares, SpeedsUpWhoIsLeftWhenAFlowEnds) {
  FairShares shares(links({80}), 1);
  shares.begin(kStart, 0, 10, Route({0}));  // 80 bits at 40 bit/s
  shares.begin(kStart, 1, 30, Route({0}));  // 240 bits: 80 of them by then, then at 80 bit/s
  shares.settle(kStart);
  ASSERT_EQ(shares.next_end(), seconds(2));
  EXPECT_EQ(shares.end_first(seconds(2)).owner, 0U);
  shares.settle(seconds(2));
  EXPECT_EQ(shares.next_end(), seconds(4));
  EXPECT_EQ(shares.end_first(seconds(4)).owner, 1U);
  EXPECT_EQ(shares.busy(0), seconds(4));
  EXPECT_EQ(shares.next_end(), kForever);
}

TEST(FairShares, GiveByWeightWhatACapLeaves) {
  FairShares shares(links({100'000, 1'000'000}), 2, true);
  shares.begin(kStart, 0, 1, Route({0, 1}), 1);
  shares.begin(kStart, 1, 1, Route({0}), 3);
  shares.begin(kStart, 2, 1, Route({0}, bits_per_second(20'000)), 60'000);
  shares.settle(kStart);
  EXPECT_EQ(shares.rate_of(0), 20'000U);
  EXPECT_EQ(shares.rate_of(1), 60'000U);
  EXPECT_EQ(shares.rate_of(2), 20'000U);
}

TEST(FairShares, RefusesAWeightThatWasNotAnnounced) {
  FairShares shares(links({10}), 1);
  EXPECT_THROW(shares.begin(kStart, 0, 1, Route({0}), 2), ContractViolation);
}

TEST(FairShares, NeverStarvesAFlowForRounding) {
  FairShares shares(links({2}), 1);
  for (std::uint32_t i = 0; i < 5; ++i) shares.begin(kStart, i, 1, Route({0}));
  shares.settle(kStart);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(shares.rate_of(i), 1U);
}

TEST(FairShares, NeverEndsAFlowOverNothing) {
  FairShares shares(links({0}), 1);
  shares.begin(kStart, 0, 1, Route({0}));
  shares.settle(kStart);
  EXPECT_EQ(shares.next_end(), kForever);
}

TEST(FairShares, RefusesAFlowThatNothingLimits) {
  FairShares shares(links({10}), 1);
  EXPECT_THROW(shares.begin(kStart, 0, 1, Route(std::vector<ResourceId>{})), ContractViolation);
}

struct TestFlow {
  std::vector<ResourceId> route;
  std::uint64_t cap = 0;
  std::uint32_t weight = 1;
};
using Flows = std::map<std::uint32_t, TestFlow>;
using Rates = std::map<std::uint32_t, unsigned __int128>;

/// Progressive filling as the book has it, over all flows and links, nothing remembered. In units
/// of 1 / scale bit/s: with scale 1 our own rounding, with a large one nearly rational numbers.
Rates filled_from_scratch(const std::vector<Resource>& resources, const Flows& flows,
                          std::uint64_t scale) {
  using Wide = unsigned __int128;
  std::vector<Wide> left;
  for (const Resource& r : resources) left.push_back(Wide{r.capacity.bits_per_second} * scale);
  Rates rates;
  while (rates.size() < flows.size()) {
    std::vector<std::uint32_t> open(resources.size(), 0);
    for (const auto& [owner, flow] : flows) {
      if (rates.count(owner) != 0) continue;
      for (const ResourceId r : flow.route) ++open[r];
    }
    // The least level at which a link is full or a flow has all it wants; links first, lower first.
    Wide level = ~Wide{0};
    ResourceId full = kNoResource;
    for (ResourceId r = 0; r < resources.size(); ++r) {
      if (open[r] == 0) continue;
      const Wide share = std::max<Wide>(left[r] / open[r], 1);
      if (share < level) level = share, full = r;
    }
    std::uint32_t sated = ~std::uint32_t{0};
    for (const auto& [owner, flow] : flows) {
      if (rates.count(owner) == 0 && Wide{flow.cap} * scale < level) {
        level = Wide{flow.cap} * scale, sated = owner;
      }
    }
    std::vector<std::uint32_t> done;
    for (const auto& [owner, flow] : flows) {
      if (rates.count(owner) != 0) continue;
      const bool on_it = std::count(flow.route.begin(), flow.route.end(), full) != 0;
      if (sated != ~std::uint32_t{0} ? owner == sated : on_it) done.push_back(owner);
    }
    for (const std::uint32_t owner : done) {
      rates[owner] = level;
      for (const ResourceId r : flows.at(owner).route) left[r] -= std::min(left[r], level);
    }
  }
  return rates;
}

TEST(FairSharesProperty, AreThoseOfFillingFromScratchAfterEveryChange) {
  for_all_seeds(400, [](Random& rng) {
    std::vector<Resource> resources;
    const std::uint64_t count = 1 + rng.below(12);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t unit = rng.chance(50) ? 1000 : 1'000'000;
      resources.push_back(
          {Resource::Kind::Backbone, 0, 0, 0, bits_per_second(unit * (1 + rng.below(20)))});
    }
    FairShares shares(resources, count);
    Flows flows;
    Time now{0};
    std::uint32_t next_owner = 0;
    for (int change = 0; change < 60; ++change) {
      for (std::uint64_t i = rng.below(4); i > 0; --i) {
        TestFlow flow;
        for (ResourceId r = 0; r < count; ++r) {
          if (rng.chance(25)) flow.route.push_back(r);
        }
        if (flow.route.empty()) flow.route.push_back(static_cast<ResourceId>(rng.below(count)));
        flow.cap = rng.chance(30) ? 500 + rng.below(3'000'000) : kUnlimited.bits_per_second;
        shares.begin(now, next_owner, 1 + rng.below(100'000),
                     Route(flow.route, bits_per_second(flow.cap)));
        flows[next_owner++] = flow;
      }
      shares.settle(now);
      const Rates ours = filled_from_scratch(resources, flows, 1);
      const Rates exact = filled_from_scratch(resources, flows, 1 << 20);
      for (const auto& [owner, flow] : flows) {
        ASSERT_EQ(shares.rate_of(owner), static_cast<std::uint64_t>(ours.at(owner)));
        // Each resource on the way rounds by less than a bit a second for each of its flows.
        const double rational = static_cast<double>(exact.at(owner)) / (1 << 20);
        ASSERT_NEAR(static_cast<double>(shares.rate_of(owner)), rational,
                    2.0 * static_cast<double>(flows.size()));
      }
      if (flows.empty()) continue;
      now = shares.next_end();
      do {
        flows.erase(shares.end_first(now).owner);
      } while (shares.next_end() <= now);
    }
  });
}

/// The same with weights, in floating point.
std::map<std::uint32_t, double> weighted_from_scratch(const std::vector<Resource>& resources,
                                                      const Flows& flows) {
  std::vector<double> left;
  for (const Resource& r : resources) {
    left.push_back(static_cast<double>(r.capacity.bits_per_second));
  }
  std::map<std::uint32_t, double> rates;
  while (rates.size() < flows.size()) {
    std::vector<double> open(resources.size(), 0);
    double level = std::numeric_limits<double>::infinity();
    for (const auto& [owner, flow] : flows) {
      if (rates.count(owner) != 0) continue;
      level = std::min(level, static_cast<double>(flow.cap) / flow.weight);
      for (const ResourceId r : flow.route) open[r] += flow.weight;
    }
    for (ResourceId r = 0; r < resources.size(); ++r) {
      if (open[r] > 0) level = std::min(level, left[r] / open[r]);
    }
    level *= 1 + 1e-12;
    std::vector<std::uint32_t> done;
    for (const auto& [owner, flow] : flows) {
      if (rates.count(owner) != 0) continue;
      const bool is_full = static_cast<double>(flow.cap) <= level * flow.weight ||
                           std::any_of(flow.route.begin(), flow.route.end(),
                                       [&](ResourceId r) { return left[r] <= level * open[r]; });
      if (is_full) done.push_back(owner);
    }
    for (const std::uint32_t owner : done) {
      const TestFlow& flow = flows.at(owner);
      rates[owner] = level * flow.weight;
      for (const ResourceId r : flow.route) left[r] -= rates[owner];
    }
  }
  return rates;
}

TEST(FairSharesProperty, AreThoseOfFillingByWeightAfterEveryChange) {
  for_all_seeds(300, [](Random& rng) {
    std::vector<Resource> resources;
    const std::uint64_t count = 1 + rng.below(8);
    for (std::uint64_t i = 0; i < count; ++i) {
      resources.push_back(
          {Resource::Kind::Backbone, 0, 0, 0, bits_per_second(100'000'000 * (1 + rng.below(20)))});
    }
    FairShares shares(resources, count, true);
    Flows flows;
    Time now{0};
    std::uint32_t next_owner = 0;
    for (int change = 0; change < 40; ++change) {
      for (std::uint64_t i = rng.below(4); i > 0; --i) {
        TestFlow flow;
        for (ResourceId r = 0; r < count; ++r) {
          if (rng.chance(25)) flow.route.push_back(r);
        }
        if (flow.route.empty()) flow.route.push_back(static_cast<ResourceId>(rng.below(count)));
        flow.cap = rng.chance(30) ? 1'000'000 + rng.below(300'000'000) : kUnlimited.bits_per_second;
        flow.weight = static_cast<std::uint32_t>(1 + rng.below(rng.chance(50) ? 20 : 3000));
        shares.begin(now, next_owner, 1 + rng.below(100'000),
                     Route(flow.route, bits_per_second(flow.cap)), flow.weight);
        flows[next_owner++] = flow;
      }
      shares.settle(now);
      const auto exact = weighted_from_scratch(resources, flows);
      for (const auto& [owner, flow] : flows) {
        ASSERT_NEAR(static_cast<double>(shares.rate_of(owner)), exact.at(owner),
                    1000 + 1e-4 * exact.at(owner));
      }
      if (flows.empty()) continue;
      now = shares.next_end();
      do {
        flows.erase(shares.end_first(now).owner);
      } while (shares.next_end() <= now);
    }
  });
}

// Machines have doors behind doors: most of their resources are known to be wide enough.
TEST(FairSharesProperty, AreThoseOfFillingFromScratchOnMachines) {
  for_all_seeds(150, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {.max_processes = 24});
    const Network network(machine);
    const std::vector<Resource> resources(network.resources().begin(), network.resources().end());
    FairShares shares(resources, network.longest_route());
    Flows flows;
    Route route;
    Time now{0};
    std::uint32_t next_owner = 0;
    for (int change = 0; change < 40; ++change) {
      for (std::uint64_t i = rng.below(8); i > 0; --i) {
        network.find_route(static_cast<Rank>(rng.below(machine.size())),
                           static_cast<Rank>(rng.below(machine.size())), route);
        if (!route.limited()) continue;
        shares.begin(now, next_owner, 1 + rng.below(100'000), route);
        flows[next_owner++] = {{route.resources().begin(), route.resources().end()},
                               route.cap.bits_per_second};
      }
      shares.settle(now);
      const Rates ours = filled_from_scratch(resources, flows, 1);
      for (const auto& [owner, flow] : flows) {
        ASSERT_EQ(shares.rate_of(owner), static_cast<std::uint64_t>(ours.at(owner)));
      }
      if (flows.empty() || shares.next_end() == kForever) continue;
      now = shares.next_end();
      do {
        flows.erase(shares.end_first(now).owner);
      } while (shares.next_end() <= now);
    }
  });
}

TEST(LinkDemand, CountsWhatPassesOneNarrowDoorOnlyOnce) {
  LinkDemand demand;
  std::vector<LinkDemand::Slot> slots;
  for (int i = 0; i < 100; ++i) slots.push_back(demand.add(7, 1000, 1000));
  EXPECT_TRUE(demand.exceeds(1099));
  EXPECT_FALSE(demand.exceeds(1100));  // 1000 and a bit a second for each flow
  const LinkDemand::Slot own = demand.add(kNoResource, 0, 500);
  EXPECT_TRUE(demand.exceeds(1600));
  EXPECT_FALSE(demand.exceeds(1601));
  demand.remove(own, 500);
  for (const LinkDemand::Slot slot : slots) demand.remove(slot, 1000);
  EXPECT_FALSE(demand.exceeds(0));
}

TEST(LinkDemand, CountsFlowsByThemselvesWhereThereAreTooManyDoors) {
  LinkDemand demand;
  std::vector<LinkDemand::Slot> slots;
  for (ResourceId door = 0; door < 50; ++door) {
    for (int i = 0; i < 2; ++i) slots.push_back(demand.add(door, 1000, 1000));
  }
  EXPECT_TRUE(demand.exceeds(50'100));    // some doors count twice
  EXPECT_FALSE(demand.exceeds(100'000));  // never more than all of it
  for (const LinkDemand::Slot slot : slots) demand.remove(slot, 1000);
  EXPECT_FALSE(demand.exceeds(0));
}

}  // namespace
}  // namespace espalier::sim
