#include <algorithm>

#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;
using topology::Member;
using Direction = Witness::Direction;

/// Leaves first .. first + count of a member.
struct Stretch {
  Leaf first = 0;
  std::uint32_t count = 0;
};

Stretch stretch_of(const Machine& machine, const Member& member) {
  if (member.is_leaf) return {member.id, 1};
  const Cluster& cluster = machine.clusters()[member.id];
  return {cluster.first_leaf, cluster.leaf_count};
}

void mark(const Machine& machine, const Stretch& stretch, std::vector<bool>& inside) {
  for (Leaf leaf = stretch.first; leaf < stretch.first + stretch.count; ++leaf) {
    inside[machine.rank_at(leaf)] = true;
  }
}

Bandwidth together(Bandwidth a, Bandwidth b) {
  if (a.unlimited() || b.unlimited()) return kUnlimited;
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a.bits_per_second, b.bits_per_second, &sum) ? kUnlimited
                                                                            : Bandwidth{sum};
}

Bandwidth times(std::uint64_t n, Bandwidth rate) {
  std::uint64_t product = 0;
  const bool over = __builtin_mul_overflow(n, rate.bits_per_second, &product);
  return rate.unlimited() || over ? kUnlimited : Bandwidth{product};
}

struct Passage {
  Time before = kForever;
  Time after = kForever;
  void add(Time sent, Time remains) {
    before = std::min(before, sent);
    after = std::min(after, remains);
  }
};

struct Capacities {
  Bandwidth out, in;
  bool half_duplex = false;
};

class Cuts {
 public:
  Cuts(const Machine& machine, const Collective& call, const Reach& reach, const Propose& propose)
      : machine_(machine), call_(call), reach_(reach), propose_(propose) {}

  void border(bool is_leaf, std::uint32_t part, const Stretch& stretch,
              const topology::Uplink& uplink) {
    if (stretch.count == call_.size) return;
    std::vector<bool> inside(call_.size, false);
    mark(machine_, stretch, inside);
    Witness witness;
    witness.kind = Witness::Kind::Cut;
    witness.part_is_leaf = is_leaf;
    witness.part = part;
    look(witness, inside, {uplink.out, uplink.in, uplink.half_duplex});
    witness.through = Witness::Through::Flows;
    const Bandwidth flows = flows_of(stretch);
    look(witness, inside, {flows, flows});
  }

  void unions(ClusterId id) {
    const Cluster& cluster = machine_.clusters()[id];
    const auto pairs = machine_.pairs(cluster);
    const bool limited = std::any_of(pairs.begin(), pairs.end(),
                                     [](const auto& pair) { return !pair.capacity.unlimited(); });
    if (!limited) return;
    const std::uint32_t n = cluster.member_count;
    if (n > kUnionsUpTo) {
      for (std::uint32_t m = 0; m < n; ++m) look_at_union(id, {m});
      return;
    }
    for (std::uint32_t set = 1; set + 1 < (1U << n); ++set) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t m = 0; m < n; ++m) {
        if ((set >> m & 1U) != 0) members.push_back(m);
      }
      look_at_union(id, members);
    }
  }

  void backbone(ClusterId id) {
    const Cluster& cluster = machine_.clusters()[id];
    const Bandwidth capacity = cluster.channel.backbone;
    if (capacity.unlimited() || call_.size < 2) return;
    const Crossing own = crossing_of({cluster.first_leaf, cluster.leaf_count});
    Crossing sum;
    for (const Member& member : machine_.members(cluster)) {
      const Crossing need = crossing_of(stretch_of(machine_, member));
      sum.out += need.out;
      sum.in += need.in;
      sum.both += need.both;
    }
    const std::uint64_t elements =
        std::max({sum.in + own.out, sum.out + own.in, (sum.both + own.both + 1) / 2});
    Witness witness;
    witness.kind = Witness::Kind::Backbone;
    witness.direction = Direction::Both;
    witness.part = id;
    if (elements == 0) return;
    propose(witness, elements, capacity, across_backbone(cluster));
  }

 private:
  void propose(Witness witness, std::uint64_t elements, Bandwidth capacity,
               const Passage& passage) {
    witness.bytes = Bytes{elements * call_.element.value};
    witness.capacity = capacity;
    witness.before = passage.before;
    witness.after = passage.after;
    propose_(passage.before + transfer_time(witness.bytes, capacity) + passage.after, witness);
  }

  void look(Witness& witness, const std::vector<bool>& inside, const Capacities& capacities) {
    if (capacities.out.unlimited() && capacities.in.unlimited()) return;
    const Crossing need = crossing(call_, inside);
    const auto look_one = [&](Direction direction, std::uint64_t elements, Bandwidth capacity) {
      if (elements == 0 || capacity.unlimited()) return;
      witness.direction = direction;
      propose(witness, elements, capacity, across(inside, direction));
    };
    look_one(Direction::Out, need.out, capacities.out);
    look_one(Direction::In, need.in, capacities.in);
    if (capacities.half_duplex) {
      look_one(Direction::Both, need.both, capacities.out);
    } else if (need.both > need.out + need.in) {
      look_one(Direction::Both, need.both, together(capacities.out, capacities.in));
    }
  }

  void look_at_union(ClusterId id, const std::vector<std::uint32_t>& members) {
    const Cluster& cluster = machine_.clusters()[id];
    std::vector<bool> taken(cluster.member_count, false);
    std::vector<bool> inside(call_.size, false);
    for (const std::uint32_t m : members) {
      taken[m] = true;
      mark(machine_, stretch_of(machine_, machine_.members(cluster)[m]), inside);
    }
    // Every pair across needs a link with a capacity, or there is no limit.
    std::uint64_t found = 0;
    Bandwidth links{0};
    for (const topology::PairLink& pair : machine_.pairs(cluster)) {
      if (taken[pair.a] == taken[pair.b]) continue;
      ++found;
      links = together(links, pair.capacity);
    }
    if (found != members.size() * (cluster.member_count - members.size())) return;
    const bool whole = id == 0;
    Witness witness;
    witness.kind = Witness::Kind::Cut;
    witness.through = Witness::Through::Pairs;
    witness.part = id;
    witness.members = members;
    look(witness, inside,
         {whole ? links : together(links, cluster.uplink.out),
          whole ? links : together(links, cluster.uplink.in)});
  }

  [[nodiscard]] Crossing crossing_of(const Stretch& stretch) const {
    if (stretch.count == call_.size) return {};
    std::vector<bool> inside(call_.size, false);
    mark(machine_, stretch, inside);
    return crossing(call_, inside);
  }

  /// From each rank inside to each outside, by the caps of the channels where they meet.
  [[nodiscard]] Bandwidth flows_of(const Stretch& stretch) const {
    Bandwidth sum{0};
    std::uint32_t below = stretch.count;
    ClusterId c = machine_.cluster_of(stretch.first);
    while (machine_.clusters()[c].leaf_count < stretch.count ||
           (machine_.clusters()[c].leaf_count == stretch.count && c != 0)) {
      c = machine_.clusters()[c].parent;
    }
    for (;; c = machine_.clusters()[c].parent) {
      const Cluster& cluster = machine_.clusters()[c];
      const std::uint64_t pairs = std::uint64_t{stretch.count} * (cluster.leaf_count - below);
      if (pairs > 0) sum = together(sum, times(pairs, cluster.channel.flow_cap));
      below = cluster.leaf_count;
      if (c == 0) return sum;
    }
  }

  void add_hop(Passage& passage, Rank from, Rank to) const {
    const Time sent =
        reach_.earliest[from] + machine_.costs(from).send.fixed + machine_.path(from, to).latency;
    passage.add(sent, machine_.costs(to).recv.fixed + reach_.remaining[to]);
  }

  [[nodiscard]] Passage across(const std::vector<bool>& inside, Direction direction) const {
    if (call_.size > kWaysUpTo) return {Time{0}, Time{0}};
    Passage passage;
    for (Rank i = 0; i < call_.size; ++i) {
      if (!inside[i]) continue;
      for (Rank j = 0; j < call_.size; ++j) {
        if (inside[j]) continue;
        if (direction != Direction::In) add_hop(passage, i, j);
        if (direction != Direction::Out) add_hop(passage, j, i);
      }
    }
    return passage;
  }

  [[nodiscard]] Passage across_backbone(const Cluster& cluster) const {
    if (call_.size > kWaysUpTo) return {Time{0}, Time{0}};
    Passage passage;
    for (const Member& member : machine_.members(cluster)) {
      const Stretch own = stretch_of(machine_, member);
      for (Leaf leaf = own.first; leaf < own.first + own.count; ++leaf) {
        for (Leaf other = 0; other < call_.size; ++other) {
          if (other >= own.first && other - own.first < own.count) continue;
          add_hop(passage, machine_.rank_at(leaf), machine_.rank_at(other));
          add_hop(passage, machine_.rank_at(other), machine_.rank_at(leaf));
        }
      }
    }
    return passage;
  }

  const Machine& machine_;
  const Collective& call_;
  const Reach& reach_;
  const Propose& propose_;
};

}  // namespace

void look_at_borders(const Machine& machine, const Collective& call, const Reach& reach,
                     const Propose& propose) {
  Cuts cuts(machine, call, reach, propose);
  for (ClusterId c = 1; c < machine.clusters().size(); ++c) {
    const Cluster& cluster = machine.clusters()[c];
    cuts.border(false, c, {cluster.first_leaf, cluster.leaf_count}, cluster.uplink);
  }
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    cuts.border(true, leaf, {leaf, 1}, machine.leaf_uplink(leaf));
  }
}

void look_at_unions(const Machine& machine, const Collective& call, const Reach& reach,
                    const Propose& propose) {
  Cuts cuts(machine, call, reach, propose);
  for (ClusterId c = 0; c < machine.clusters().size(); ++c) cuts.unions(c);
}

void look_at_backbones(const Machine& machine, const Collective& call, const Reach& reach,
                       const Propose& propose) {
  Cuts cuts(machine, call, reach, propose);
  for (ClusterId c = 0; c < machine.clusters().size(); ++c) cuts.backbone(c);
}

}  // namespace espalier::bound
