// The bound as it is defined, by looking at every pair of ranks and at all ranks for every part:
// lower_bound() goes along the tree of the machine instead, and must find the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bound/bound_kinds.hpp"
#include "bound/lower_bound.hpp"
#include "bound/needs.hpp"
#include "support/flat_calls.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;
using topology::Member;
using topology::PairLink;
using Direction = Witness::Direction;

class EveryPair {
 public:
  EveryPair(const Machine& machine, const Collective& call) : machine_(machine), call_(call) {}

  LowerBound bound() && {
    if (call_.size < 2) return best_;
    earliest_ = remaining_ = std::vector<Time>(call_.size, Time{0});
    ways();
    fans();
    borders();
    unions();
    backbones();
    processors();
    combining();
    return best_;
  }

 private:
  using Set = std::vector<bool>;

  void propose(Time value, const Witness& witness) {
    if (value > best_.value) best_ = {value, witness};
  }

  Time latency(Rank from, Rank to) const { return machine_.path(from, to).latency; }
  Time hop(Rank from, Rank to) const {
    return machine_.costs(from).send.fixed + latency(from, to) + machine_.costs(to).recv.fixed;
  }

  RelayPaths paths(Rank end, bool towards) const {
    RelayPaths ways{end, towards, std::vector<Time>(call_.size, kForever),
                    std::vector<Rank>(call_.size, kNoRank)};
    Set done(call_.size, false);
    ways.time[end] = Time{0};
    for (Rank round = 0; round < call_.size; ++round) {
      Rank next = kNoRank;
      for (Rank r = 0; r < call_.size; ++r) {
        if (!done[r] && (next == kNoRank || ways.time[r] < ways.time[next])) next = r;
      }
      done[next] = true;
      for (Rank r = 0; r < call_.size; ++r) {
        if (done[r]) continue;
        const Time time = ways.time[next] + (towards ? hop(r, next) : hop(next, r));
        if (time >= ways.time[r]) continue;
        ways.time[r] = time;
        ways.nearer[r] = next;
      }
    }
    return ways;
  }

  std::vector<Rank> ends() const {
    if (flows_from_root(call_.operation) || flows_to_root(call_.operation)) return {call_.root};
    std::vector<Rank> all(call_.size);
    std::iota(all.begin(), all.end(), Rank{0});
    if (call_.size <= kAllWaysUpTo) return all;
    all.clear();
    for (const Member& member : machine_.members(machine_.clusters()[0])) {
      all.push_back(machine_.rank_at(stretch_of(machine_, member).first));
    }
    return all;
  }

  void ways() {
    const bool towards = flows_to_root(call_.operation);
    for (const Rank end : ends()) {
      const RelayPaths ways = paths(end, towards);
      if (towards) remaining_ = ways.time;
      if (flows_from_root(call_.operation)) earliest_ = ways.time;
      Rank farthest = kNoRank;
      for (Rank r = 0; r < call_.size; ++r) {
        if (!(towards ? depends(call_, r, end) : depends(call_, end, r))) continue;
        if (farthest == kNoRank || ways.time[r] > ways.time[farthest]) farthest = r;
      }
      if (farthest == kNoRank) continue;
      Witness witness;
      witness.kind = Witness::Kind::Way;
      witness.path = ways.path(farthest);
      propose(ways.time[farthest], witness);
    }
  }

  void fans() {
    Witness w;
    w.kind = Witness::Kind::Fan;
    w.send = w.latency = w.recv = kForever;
    for (Rank i = 0; i < call_.size; ++i) {
      w.send = std::min(w.send, machine_.costs(i).send.fixed);
      w.recv = std::min(w.recv, machine_.costs(i).recv.fixed);
      for (Rank j = 0; j < call_.size; ++j) {
        if (i != j) w.latency = std::min(w.latency, latency(i, j));
      }
    }
    LowerBound best;
    for (Rank r = 0; r < call_.size; ++r) {
      for (const bool outwards : {true, false}) {
        const bool is_one_sided =
            outwards ? flows_to_root(call_.operation) : flows_from_root(call_.operation);
        const bool is_rooted =
            outwards ? flows_from_root(call_.operation) : flows_to_root(call_.operation);
        if (is_one_sided || (is_rooted && r != call_.root)) continue;
        w.direction = outwards ? Direction::Out : Direction::In;
        w.rank = r;
        w.own = outwards ? machine_.costs(r).send.fixed : machine_.costs(r).recv.fixed;
        w.reached = 0;
        for (Rank other = 0; other < call_.size; ++other) {
          w.reached += outwards ? depends(call_, r, other) : depends(call_, other, r);
        }
        const Time value =
            PostalFan(w.own, outwards ? w.send : w.recv, w.latency, outwards ? w.recv : w.send)
                .of(w.reached);
        if (value > best.value) best = {value, w};
      }
    }
    propose(best.value, best.witness);
  }

  Set set_of(const Member& member) const {
    Set inside(call_.size, false);
    add(member, inside);
    return inside;
  }
  void add(const Member& member, Set& inside) const {
    const Stretch stretch = stretch_of(machine_, member);
    for (Leaf leaf = stretch.first; leaf < stretch.first + stretch.count; ++leaf) {
      inside[machine_.rank_at(leaf)] = true;
    }
  }
  static bool is_border(const Set& inside) {
    return std::find(inside.begin(), inside.end(), false) != inside.end();
  }

  void add_hop(Passage& passage, Rank from, Rank to) const {
    passage.before = std::min(
        passage.before, earliest_[from] + machine_.costs(from).send.fixed + latency(from, to));
    passage.after = std::min(passage.after, machine_.costs(to).recv.fixed + remaining_[to]);
  }

  Passage across(const Set& inside, Direction direction) const {
    Passage passage;
    for (Rank i = 0; i < call_.size; ++i) {
      for (Rank j = 0; j < call_.size && inside[i]; ++j) {
        if (inside[j]) continue;
        if (direction != Direction::In) add_hop(passage, i, j);
        if (direction != Direction::Out) add_hop(passage, j, i);
      }
    }
    return passage;
  }

  static Bandwidth together(Bandwidth a, Bandwidth b) {
    return a.unlimited() || b.unlimited() ? kUnlimited
                                          : Bandwidth{a.bits_per_second + b.bits_per_second};
  }

  void cross(Witness witness, std::uint64_t elements, Bandwidth capacity, const Passage& passage) {
    witness.bytes = Bytes{elements * call_.element.value};
    witness.capacity = capacity;
    witness.before = passage.before;
    witness.after = passage.after;
    propose(passage.before + transfer_time(witness.bytes, capacity) + passage.after, witness);
  }

  void look(Witness witness, const Set& inside, Bandwidth out, Bandwidth in, bool half_duplex) {
    const Crossing need = crossing(call_, inside);
    const auto look_one = [&](Direction direction, std::uint64_t elements, Bandwidth capacity) {
      if (elements == 0 || capacity.unlimited()) return;
      witness.direction = direction;
      cross(witness, elements, capacity, across(inside, direction));
    };
    look_one(Direction::Out, need.out, out);
    look_one(Direction::In, need.in, in);
    if (half_duplex) {
      look_one(Direction::Both, need.both, out);
    } else if (need.both > need.out + need.in) {
      look_one(Direction::Both, need.both, together(out, in));
    }
  }

  /// The sum of the caps between each rank inside and each outside.
  Bandwidth flows(const Set& inside) const {
    Bandwidth sum{0};
    for (Rank i = 0; i < call_.size; ++i) {
      for (Rank j = 0; j < call_.size && inside[i]; ++j) {
        if (inside[j]) continue;
        ClusterId c = machine_.cluster_of(machine_.leaf_of(i));
        const Leaf other = machine_.leaf_of(j);
        const auto holds = [&](const Cluster& cluster) {
          return other >= cluster.first_leaf && other - cluster.first_leaf < cluster.leaf_count;
        };
        while (!holds(machine_.clusters()[c])) c = machine_.clusters()[c].parent;
        sum = together(sum, machine_.clusters()[c].channel.flow_cap);
      }
    }
    return sum;
  }

  void border(const Member& part, const topology::Uplink& uplink) {
    const Set inside = set_of(part);
    if (!is_border(inside)) return;
    Witness witness;
    witness.kind = Witness::Kind::Cut;
    witness.part_is_leaf = part.is_leaf;
    witness.part = part.id;
    look(witness, inside, uplink.out, uplink.in, uplink.half_duplex);
    witness.through = Witness::Through::Flows;
    const Bandwidth capacity = flows(inside);
    look(witness, inside, capacity, capacity, false);
  }

  void borders() {
    for (ClusterId c = 1; c < machine_.clusters().size(); ++c) {
      border({false, c}, machine_.clusters()[c].uplink);
    }
    for (Leaf leaf = 0; leaf < machine_.size(); ++leaf) {
      border({true, leaf}, machine_.leaf_uplink(leaf));
    }
  }

  void one_union(ClusterId id, const std::vector<std::uint32_t>& members) {
    const Cluster& cluster = machine_.clusters()[id];
    Set taken(cluster.member_count, false), inside(call_.size, false);
    for (const std::uint32_t m : members) {
      taken[m] = true;
      add(machine_.members(cluster)[m], inside);
    }
    std::uint64_t found = 0;
    Bandwidth links{0};
    for (const PairLink& pair : machine_.pairs(cluster)) {
      if (taken[pair.a] == taken[pair.b]) continue;
      ++found;
      links = together(links, pair.capacity);
    }
    if (found != members.size() * (cluster.member_count - members.size())) return;
    Witness witness;
    witness.kind = Witness::Kind::Cut;
    witness.through = Witness::Through::Pairs;
    witness.part = id;
    witness.members = members;
    look(witness, inside, id == 0 ? links : together(links, cluster.uplink.out),
         id == 0 ? links : together(links, cluster.uplink.in), false);
  }

  void unions() {
    for (ClusterId id = 0; id < machine_.clusters().size(); ++id) {
      const std::uint32_t n = machine_.clusters()[id].member_count;
      for (std::uint32_t m = 0; m < n && n > kUnionsUpTo; ++m) one_union(id, {m});
      for (std::uint32_t set = 1; n <= kUnionsUpTo && set + 1 < (1U << n); ++set) {
        std::vector<std::uint32_t> members;
        for (std::uint32_t m = 0; m < n; ++m) {
          if ((set >> m & 1U) != 0) members.push_back(m);
        }
        one_union(id, members);
      }
    }
  }

  Crossing crossing_of(const Member& member) const {
    const Set inside = set_of(member);
    return is_border(inside) ? crossing(call_, inside) : Crossing{};
  }

  void backbones() {
    for (ClusterId id = 0; id < machine_.clusters().size(); ++id) {
      const Cluster& cluster = machine_.clusters()[id];
      if (cluster.channel.backbone.unlimited()) continue;
      const Crossing own = crossing_of({false, id});
      Crossing sum;
      Passage passage;
      for (const Member& member : machine_.members(cluster)) {
        const Crossing need = crossing_of(member);
        sum = {sum.out + need.out, sum.in + need.in, sum.both + need.both};
        const Passage one = across(set_of(member), Direction::Both);
        passage = {std::min(passage.before, one.before), std::min(passage.after, one.after)};
      }
      const std::uint64_t elements =
          std::max({sum.in + own.out, sum.out + own.in, (sum.both + own.both + 1) / 2});
      if (elements == 0) continue;
      Witness witness;
      witness.kind = Witness::Kind::Backbone;
      witness.direction = Direction::Both;
      witness.part = id;
      cross(witness, elements, cluster.channel.backbone, passage);
    }
  }

  void processors() {
    for (Rank rank = 0; rank < call_.size; ++rank) {
      Set inside(call_.size, false);
      inside[rank] = true;
      const Crossing need = crossing(call_, inside);
      const Bytes out{need.out * call_.element.value};
      const Bytes in{need.in * call_.element.value};
      Time soonest_in = kForever, soonest_end = kForever;
      for (Rank other = 0; other < call_.size; ++other) {
        if (other == rank) continue;
        const auto& costs = machine_.costs(other);
        soonest_in =
            std::min(soonest_in, earliest_[other] + costs.send.fixed + latency(other, rank));
        soonest_end =
            std::min(soonest_end, latency(rank, other) + costs.recv.fixed + remaining_[other]);
      }
      const topology::NodeCosts& costs = machine_.costs(rank);
      Witness witness;
      witness.kind = Witness::Kind::Processor;
      witness.part_is_leaf = true;
      witness.part = machine_.leaf_of(rank);
      witness.rank = rank;
      const auto propose_one = [&](Direction direction, Time before, Time busy, Time after) {
        witness.direction = direction;
        witness.bytes = direction == Direction::In ? Bytes{0} : out;
        witness.bytes_in = direction == Direction::Out ? Bytes{0} : in;
        witness.before = before;
        witness.after = after;
        propose(before + busy + after, witness);
      };
      const Time send = costs.send.of(out), recv = costs.recv.of(in);
      if (out.value > 0) propose_one(Direction::Out, earliest_[rank], send, soonest_end);
      if (in.value > 0) propose_one(Direction::In, soonest_in, recv, remaining_[rank]);
      if (out.value > 0 && in.value > 0) {
        propose_one(Direction::Both, Time{0}, send + recv, Time{0});
      }
    }
  }

  void combining() {
    Witness witness;
    witness.kind = Witness::Kind::Combining;
    witness.bytes = Bytes{combinations(call_) * call_.element.value};
    if (witness.bytes.value == 0) return;
    witness.before = kForever;
    witness.capacity = Bandwidth{0};
    for (Rank i = 0; i < call_.size; ++i) {
      witness.capacity = together(witness.capacity, machine_.costs(i).reduce);
      for (Rank j = 0; j < call_.size; ++j) {
        if (i != j) witness.before = std::min(witness.before, hop(i, j));
      }
    }
    if (witness.capacity.unlimited()) return;
    propose(witness.before + transfer_time(witness.bytes, witness.capacity), witness);
  }

  const Machine& machine_;
  const Collective& call_;
  std::vector<Time> earliest_, remaining_;
  LowerBound best_;
};

Collective any_call(Random& rng, Rank size) {
  Collective call = testing_support::random_call(
      rng, static_cast<Operation>(rng.below(schedule::kOperationCount)));
  call.size = size;
  call.root = static_cast<Rank>(rng.below(size));
  call.element = Bytes{rng.chance(20) ? 0U : 8U};
  call.count = rng.below(rng.chance(50) ? 10 : 50'000);
  if (testing_support::has_blocks(call.operation) && rng.chance(50)) {
    const std::size_t n = size;
    call.counts.resize(call.operation == Operation::Alltoall ? n * n : n);
    for (std::uint64_t& count : call.counts) count = rng.chance(30) ? 0 : rng.below(20'000);
  }
  return call;
}

void expect_the_same(const Machine& machine, const Collective& call) {
  const LowerBound quick = lower_bound(machine, call);
  const LowerBound slow = EveryPair(machine, call).bound();
  ASSERT_EQ(quick.value, slow.value)
      << testing_support::name_of_call(call) << ": " << describe(quick.witness, machine) << ", not "
      << describe(slow.witness, machine);
  ASSERT_TRUE(quick.witness == slow.witness)
      << testing_support::name_of_call(call) << ": " << describe(quick.witness, machine) << ", not "
      << describe(slow.witness, machine);
}

TEST(LowerBoundProperty, IsThatOfEveryPair) {
  for_all_seeds(1500, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 40, 4, true});
    expect_the_same(machine, any_call(rng, machine.size()));
  });
}

TEST(LowerBoundProperty, IsThatOfEveryPairAboveTheRanksWhereAllWaysAreSearched) {
  for_all_seeds(40, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {kAllWaysUpTo + 1, 100, 4, true});
    expect_the_same(machine, any_call(rng, machine.size()));
  });
}

TEST(DistancesProperty, AreThoseOfPaths) {
  for_all_seeds(500, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next(), {2, 40, 5, true});
    const Distances distances(machine);
    for (Rank from = 0; from < machine.size(); ++from) {
      const std::vector<Time> latency = distances.from(from);
      for (Rank to = 0; to < machine.size(); ++to) {
        ASSERT_EQ(latency[to], machine.path(from, to).latency) << from << " to " << to;
      }
    }
  });
}

}  // namespace
}  // namespace espalier::bound
