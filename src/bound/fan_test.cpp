#include "bound/fan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bound/lower_bound.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/machine_spec.hpp"
#include "topology/random_machine.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

/// The least time of a broadcast of one message by trying every sender and receiver for each next
/// message. Capacities are left out, which makes it no slower.
class EveryBroadcast {
 public:
  explicit EveryBroadcast(const Machine& machine) : machine_(machine) {}

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
        then[from] = free[from] + machine_.costs(from).send.fixed;
        then[to] = then[from] + machine_.path(from, to).latency + machine_.costs(to).recv.fixed;
        search(then, informed + 1, std::max(last, then[to]));
      }
    }
  }

  const Machine& machine_;
  Time best_;
};

TEST(LowerBoundProperty, IsNoMoreThanTheBestBroadcastOfAll) {
  int reached = 0, tried = 0;
  for_all_seeds(600, [&](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 5, 3, true});
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const Time best = EveryBroadcast(machine).best(root);
    // Nothing to carry but the fact: a barrier's messages, from the root alone.
    const Collective call{Operation::Broadcast, machine.size(), root, 1, Bytes{0}, true, {}};
    const Time least = lower_bound(machine, call).value;
    ASSERT_LE(least, best);
    ++tried;
    reached += least == best ? 1 : 0;
  });
  EXPECT_GT(reached, tried / 4) << reached << " of " << tried;
}

TEST(FanTime, IsThePostalModels) {
  // lambda = 2: 1, 1, 2, 3, 5, 8 ranks know it after 0, 1, 2, 3, 4, 5 units.
  EXPECT_EQ(fan_time(7, Time{1}, Time{1}, Time{1}, Time{0}), Time{5});
  EXPECT_EQ(fan_time(4, Time{1}, Time{1}, Time{1}, Time{0}), Time{4});
  EXPECT_EQ(fan_time(0, Time{1}, Time{1}, Time{1}, Time{1}), Time{0});
  EXPECT_EQ(fan_time(100, Time{0}, Time{0}, Time{9}, Time{1}), Time{10});
  EXPECT_EQ(fan_time(3, Time{7}, Time{1}, Time{0}, Time{0}), Time{9});  // a slow source
}

}  // namespace
}  // namespace espalier::bound
