#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/plans.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::sim {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Schedule;
using schedule::slice;
using topology::Cluster;
using topology::Machine;

/// Messages between random pairs, of random sizes, some waiting for others.
Schedule random_traffic(Random& rng, Rank size) {
  struct Message {
    Rank from, to;
    std::uint64_t bytes;
  };
  std::vector<Message> messages(rng.below(60));
  for (Message& m : messages) {
    m = {static_cast<Rank>(rng.below(size)), static_cast<Rank>(rng.below(size)),
         rng.chance(10) ? 0 : rng.below(rng.chance(30) ? 1'000'000 : 3000)};
  }
  // Every rank goes through the messages in the same order, so nobody waits in a circle.
  return plans::make(Operation::Barrier, size, 0, "traffic", [&](ProgramBuilder& b) {
    Random own(messages.size() * 1000 + b.rank());
    std::uint32_t tag = 0;
    for (const Message& m : messages) {
      if (m.from == b.rank()) b.send(m.to, slice(Buffer::In, 0, m.bytes), tag);
      if (m.to == b.rank()) b.recv(m.from, slice(Buffer::Out, own.below(5000), m.bytes), tag);
      if (own.chance(15)) b.fence();
      ++tag;
    }
  });
}

Schedule random_plan(Random& rng, Rank size) {
  const std::uint64_t bytes = rng.below(rng.chance(30) ? 300'000 : 2000);
  switch (rng.below(8)) {
    case 0:
      return plans::chain_broadcast(size, bytes, 1 + bytes / (1 + rng.below(9)));
    case 1:
      return plans::binomial_broadcast(size, bytes, 1 + bytes / (1 + rng.below(3)));
    case 2:
      return plans::flat_gather(size, bytes);
    case 3:
      return plans::ring_allgather(size, bytes);
    case 4:
      return plans::pairwise_alltoall(size, bytes);
    case 5:
      return plans::doubling_allreduce(size, bytes);
    default:
      return random_traffic(rng, size);
  }
}

SimOptions random_options(Random& rng, Rank size) {
  SimOptions options;
  options.sharing = rng.chance(60) ? Sharing::ExactMaxMin : Sharing::OneBottleneck;
  options.eager_limit = Bytes{rng.chance(30) ? 0 : rng.below(500'000)};
  for (std::uint64_t l = rng.below(4); l > 0; --l) {
    options.handshake.push_back(static_cast<std::uint32_t>(rng.below(5)));
  }
  options.header = Bytes{rng.chance(50) ? 0 : rng.below(100)};
  if (rng.chance(30)) options.copy = bytes_per_second(1'000'000'000);
  if (rng.chance(30)) {
    for (Rank r = 0; r < size; ++r) options.skew.push_back(nanoseconds(rng.between(0, 3'000'000)));
  }
  options.ordered_pairs = rng.chance(70);
  options.trace = true;
  return options;
}

struct Case {
  Machine machine;
  Schedule plan;
  SimOptions options;
  SimResult result;
};

Case random_case(Random& rng, std::uint64_t max_processes = 24) {
  Machine machine = topology::random_machine(rng.next(), {1, max_processes, 4, true});
  Schedule plan = random_plan(rng, machine.size());
  SimOptions options = random_options(rng, machine.size());
  SimResult result = simulate(plan, machine, options);
  return {std::move(machine), std::move(plan), std::move(options), std::move(result)};
}

bool inside(const Machine& machine, std::uint32_t cluster, Rank rank) {
  const Cluster& c = machine.clusters()[cluster];
  const topology::Leaf leaf = machine.leaf_of(rank);
  return leaf >= c.first_leaf && leaf < c.first_leaf + c.leaf_count;
}

/// Whether a message crosses a resource, from what the resource is, not from routes.
bool crosses(const Machine& machine, const Resource& resource, Rank from, Rank to) {
  using Kind = Resource::Kind;
  if (from == to) return false;
  const auto starts_in = [&](auto where) { return inside(machine, where, from); };
  const auto ends_in = [&](auto where) { return inside(machine, where, to); };
  const auto in_member = [&](std::uint32_t index, Rank rank) {
    const topology::Member m = machine.members(machine.clusters()[resource.id])[index];
    return m.is_leaf ? machine.leaf_of(rank) == m.id : inside(machine, m.id, rank);
  };
  switch (resource.kind) {
    case Kind::LeafOut:
      return machine.leaf_of(from) == resource.id;
    case Kind::LeafIn:
      return machine.leaf_of(to) == resource.id;
    case Kind::LeafBoth:
      return machine.leaf_of(from) == resource.id || machine.leaf_of(to) == resource.id;
    case Kind::ClusterOut:
      return starts_in(resource.id) && !ends_in(resource.id);
    case Kind::ClusterIn:
      return !starts_in(resource.id) && ends_in(resource.id);
    case Kind::ClusterBoth:
      return starts_in(resource.id) != ends_in(resource.id);
    case Kind::Backbone: {
      if (starts_in(resource.id) != ends_in(resource.id)) return true;
      return starts_in(resource.id) &&
             machine.path(from, to).level == machine.clusters()[resource.id].depth;
    }
    case Kind::PairForth:
      return in_member(resource.a, from) && in_member(resource.b, to);
    case Kind::PairBack:
      return in_member(resource.b, from) && in_member(resource.a, to);
  }
  return false;
}

TEST(SimulateProperty, EndsEveryPlanThatCanEnd) {
  for_all_seeds(600, [](Random& rng) {
    const Case c = random_case(rng);
    ASSERT_EQ(c.result.unmatched, 0U);
    ASSERT_LT(c.result.finish, kForever);
    for (Rank r = 0; r < c.machine.size(); ++r) {
      ASSERT_GE(c.result.rank_finish[r], c.options.skew.empty() ? Time{0} : c.options.skew[r]);
    }
  });
}

TEST(SimulateProperty, AccountsForEveryByteOnEveryResourceAndLevel) {
  for_all_seeds(400, [](Random& rng) {
    const Case c = random_case(rng);
    std::vector<LevelUse> levels(c.result.levels.size());
    for (const MessageTrace& m : c.result.timeline) {
      LevelUse& level = levels[c.machine.path(m.from, m.to).level];
      ++level.messages;
      level.bytes.value += m.bytes.value;
    }
    ASSERT_EQ(c.result.levels, levels);
    for (const ResourceUse& use : c.result.resources) {
      std::uint64_t bytes = 0;
      for (const MessageTrace& m : c.result.timeline) {
        if (crosses(c.machine, use.resource, m.from, m.to)) bytes += m.bytes.value;
      }
      ASSERT_EQ(use.bytes, Bytes{bytes}) << describe(use.resource, c.machine);
    }
  });
}

TEST(SimulateProperty, IsNeverFasterThanAMessageAloneOrAResourceAtWork) {
  for_all_seeds(400, [](Random& rng) {
    const Case c = random_case(rng);
    for (const MessageTrace& m : c.result.timeline) {
      const topology::Path path = c.machine.path(m.from, m.to);
      const topology::NodeCosts& sender = c.machine.costs(m.from);
      ASSERT_EQ(m.send_end - m.send_begin, sender.send.of(m.bytes));
      ASSERT_GE(m.flows, m.send_end + path.latency);
      ASSERT_GE(m.arrived, m.flows + transfer_time(m.bytes, path.bandwidth));
      ASSERT_GE(m.recv_begin, m.arrived);
      ASSERT_EQ(m.recv_end - m.recv_begin, c.machine.costs(m.to).recv.of(m.bytes));
    }
    for (const ResourceUse& use : c.result.resources) {
      // Rates are rounded down, so a resource is never overbooked while it has a bit for each.
      ASSERT_GE(use.busy, transfer_time(use.bytes, use.resource.capacity));
      ASSERT_GE(c.result.finish, transfer_time(use.bytes, use.resource.capacity));
    }
  });
}

TEST(SimulateProperty, KeepsEachProcessorToOneThingAtATime) {
  for_all_seeds(200, [](Random& rng) {
    const Case c = random_case(rng);
    std::map<Rank, std::vector<std::pair<Time, Time>>> busy;
    for (const MessageTrace& m : c.result.timeline) {
      if (m.send_end > m.send_begin) busy[m.from].emplace_back(m.send_begin, m.send_end);
      if (m.recv_end > m.recv_begin) busy[m.to].emplace_back(m.recv_begin, m.recv_end);
    }
    for (const StepTrace& s : c.result.steps) {
      if (s.end > s.begin) busy[s.rank].emplace_back(s.begin, s.end);
    }
    for (auto& [rank, spans] : busy) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) {
        ASSERT_LE(spans[i - 1].second, spans[i].first) << "rank " << rank;
      }
    }
  });
}

TEST(SimulateProperty, KeepsMessagesOfAPairInOrder) {
  for_all_seeds(200, [](Random& rng) {
    Case c = random_case(rng);
    c.options.ordered_pairs = true;
    c.options.eager_limit = Bytes{10'000'000};
    std::map<std::pair<Rank, Rank>, std::vector<std::pair<Time, Time>>> pairs;
    for (const MessageTrace& m : simulate(c.plan, c.machine, c.options).timeline) {
      pairs[{m.from, m.to}].emplace_back(m.send_end, m.arrived);
    }
    for (auto& [pair, messages] : pairs) {
      std::sort(messages.begin(), messages.end());
      for (std::size_t i = 1; i < messages.size(); ++i) {
        ASSERT_LE(messages[i - 1].second, messages[i].second);
      }
    }
  });
}

TEST(SimulateProperty, ExplainsTheFinishWithoutAGap) {
  for_all_seeds(400, [](Random& rng) {
    const Case c = random_case(rng);
    Time at{0};
    for (const CriticalStep& step : c.result.critical_path) {
      ASSERT_EQ(step.begin, at);
      ASSERT_GT(step.end, step.begin);
      at = step.end;
    }
    ASSERT_EQ(at, c.result.finish);
  });
}

TEST(SimulateProperty, SaysTheSameWithAndWithoutATrace) {
  for_all_seeds(100, [](Random& rng) {
    Case c = random_case(rng);
    ASSERT_EQ(simulate(c.plan, c.machine, c.options), c.result);
    c.options.trace = false;
    c.result.timeline.clear();
    c.result.steps.clear();
    c.result.critical_path.clear();
    ASSERT_EQ(simulate(c.plan, c.machine, c.options), c.result);
  });
}

// A message that meets no other is charged alike by both ways of sharing.
TEST(SimulateProperty, SharesNothingWhereOneMessageFollowsAnother) {
  for_all_seeds(150, [](Random& rng) {
    Case c = random_case(rng);
    c.plan = plans::chain_broadcast(c.machine.size(), 100'000, 100'000);
    c.options.sharing = Sharing::ExactMaxMin;
    const SimResult exact = simulate(c.plan, c.machine, c.options);
    c.options.sharing = Sharing::OneBottleneck;
    ASSERT_EQ(simulate(c.plan, c.machine, c.options).rank_finish, exact.rank_finish);
  });
}

// Whatever the sharing, one link that is never idle is done when its work is done.
TEST(SimulateProperty, EndsABusyLinkWhenItsWorkIsDone) {
  for_all_seeds(150, [](Random& rng) {
    const auto size = static_cast<Rank>(2 + rng.below(30));
    const Machine machine =
        *topology::parse_synthetic("proc:" + std::to_string(size) + "(1ms,1Gbit/s)");
    const std::uint64_t bytes = 1 + rng.below(1'000'000);
    const Schedule gather = plans::flat_gather(size, bytes);
    const Time work = transfer_time({bytes * (size - 1)}, bits_per_second(1'000'000'000));
    for (const Sharing sharing : {Sharing::ExactMaxMin, Sharing::OneBottleneck}) {
      SimOptions options;
      options.sharing = sharing;
      const Time finish = simulate(gather, machine, options).finish;
      ASSERT_GE(finish, milliseconds(1) + work);
      // Rounding rates down costs less than a bit a second of some 30 million.
      ASSERT_LE(finish, milliseconds(1) + work + Time{work.picoseconds / 10'000'000 + 100});
    }
  });
}

}  // namespace
}  // namespace espalier::sim
