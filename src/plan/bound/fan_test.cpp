#include <gtest/gtest.h>

#include <algorithm>

#include "bound/bound_kinds.hpp"
#include "bound/lower_bound.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

/// The least time of a broadcast of one message by trying every sender and receiver for each next
/// message; or of a reduction, which is a broadcast with time running backwards, receiving for
/// sending. Capacities are left out, which makes it no slower.
class EveryBroadcast {
 public:
  EveryBroadcast(const Machine& machine, bool backwards)
      : machine_(machine), backwards_(backwards) {}

  Time best(Rank root) {
    std::vector<Time> free(machine_.size(), kForever);
    free[root] = Time{0};
    best_ = kForever;
    search(free, 1, Time{0});
    return best_;
  }

 private:
  void search(const std::vector<Time>& free, Rank informed, Time last) {
    if (last >= best_) return;
    if (informed == machine_.size()) {
      best_ = last;
      return;
    }
    for (Rank from = 0; from < machine_.size(); ++from) {
      if (free[from] == kForever) continue;
      for (Rank to = 0; to < machine_.size(); ++to) {
        if (free[to] != kForever) continue;
        std::vector<Time> then = free;
        const auto& giver = machine_.costs(from);
        const auto& taker = machine_.costs(to);
        then[from] = free[from] + (backwards_ ? giver.recv.fixed : giver.send.fixed);
        const Time latency =
            backwards_ ? machine_.path(to, from).latency : machine_.path(from, to).latency;
        then[to] = then[from] + latency + (backwards_ ? taker.send.fixed : taker.recv.fixed);
        search(then, informed + 1, std::max(last, then[to]));
      }
    }
  }

  const Machine& machine_;
  bool backwards_;
  Time best_;
};

TEST(LowerBoundProperty, IsNoMoreThanTheBestBroadcastOrReductionOfAll) {
  int reached = 0, tried = 0;
  const bool ran_all = for_all_seeds(600, [&](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 5, 3, true});
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const bool reduces = rng.chance(50);
    const Time best = EveryBroadcast(machine, reduces).best(root);
    // Elements of no bytes: nothing but messages costs anything.
    const Collective call{reduces ? Operation::Reduce : Operation::Broadcast,
                          machine.size(),
                          root,
                          1,
                          Bytes{0},
                          true,
                          {}};
    const Time least = lower_bound(machine, call).value;
    ASSERT_LE(least, best);
    ++tried;
    reached += least == best ? 1 : 0;
  });
  if (ran_all) {
    EXPECT_GT(reached, tried / 4) << reached << " of " << tried;
  }
}

TEST(LowerBound, LeavesWaysOutOfVeryLargeMachines) {
  const Machine machine =
      *topology::parse_synthetic("site:2(10ms,8Mbit/s) node:40(1us) proc:32(1us,send=1us)");
  ASSERT_GT(machine.size(), kWaysUpTo);
  const Collective call{Operation::Broadcast, machine.size(), 0, 1000, Bytes{1}, true, {}};
  EXPECT_EQ(lower_bound(machine, call).value, milliseconds(1));
}

Time fan_time(Rank others, Time own, Time send, Time latency, Time recv) {
  return PostalFan(own, send, latency, recv).of(others);
}

TEST(PostalFan, IsThePostalModels) {
  // lambda = 2: 1, 1, 2, 3, 5, 8 ranks know it after 0, 1, 2, 3, 4, 5 units.
  EXPECT_EQ(fan_time(7, Time{1}, Time{1}, Time{1}, Time{0}), Time{5});
  EXPECT_EQ(fan_time(4, Time{1}, Time{1}, Time{1}, Time{0}), Time{4});
  EXPECT_EQ(fan_time(0, Time{1}, Time{1}, Time{1}, Time{1}), Time{0});
  EXPECT_EQ(fan_time(100, Time{0}, Time{0}, Time{9}, Time{1}), Time{10});
  EXPECT_EQ(fan_time(3, Time{7}, Time{1}, Time{0}, Time{0}), Time{9});  // a slow source
}

TEST(PostalFan, DoesNotDependOnWhatWasAskedBefore) {
  PostalFan times(Time{1}, Time{1}, Time{1}, Time{0});
  EXPECT_EQ(times.of(7), Time{5});
  EXPECT_EQ(times.of(4), Time{4});
  EXPECT_EQ(times.of(12), Time{6});
  EXPECT_EQ(times.of(0), Time{0});
  PostalFan at_once(Time{0}, Time{0}, Time{9}, Time{1});
  EXPECT_EQ(at_once.of(1), Time{10});
  EXPECT_EQ(at_once.of(100), Time{10});
}

}  // namespace
}  // namespace espalier::bound
