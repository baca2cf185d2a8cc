#include <algorithm>

#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"
#include "bound/parts.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;
using topology::Member;
using Direction = Witness::Direction;

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

struct Capacities {
  Bandwidth out, in;
  bool half_duplex = false;
  [[nodiscard]] bool unlimited() const { return out.unlimited() && in.unlimited(); }
};

class Cuts {
 public:
  Cuts(const Machine& machine, const Collective& call, const Passages& passages,
       const Propose& propose)
      : machine_(machine), call_(call), passages_(passages), propose_(propose), needs_(call) {}

  void border(const Member& part, const topology::Uplink& uplink) {
    const Stretch stretch = stretch_of(machine_, part);
    if (stretch.count == call_.size) return;
    const Capacities link{uplink.out, uplink.in, uplink.half_duplex};
    const Bandwidth flows = flows_of(stretch);
    if (link.unlimited() && flows.unlimited()) return;
    const Crossing need = crossing_of(stretch);
    const auto across = [&](Direction direction) { return passages_.across(part, direction); };
    Witness witness;
    witness.kind = Witness::Kind::Cut;
    witness.part_is_leaf = part.is_leaf;
    witness.part = part.id;
    look(witness, need, link, across);
    witness.through = Witness::Through::Flows;
    look(witness, need, {flows, flows}, across);
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
    Passage passage;
    for (const Member& member : machine_.members(cluster)) {
      const Passage one = passages_.across(member, Direction::Both);
      passage = {std::min(passage.before, one.before), std::min(passage.after, one.after)};
    }
    propose(witness, elements, capacity, passage);
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

  /// @param across the passage in a direction
  template <typename Across>
  void look(Witness& witness, const Crossing& need, const Capacities& capacities, Across across) {
    const auto look_one = [&](Direction direction, std::uint64_t elements, Bandwidth capacity) {
      if (elements == 0 || capacity.unlimited()) return;
      witness.direction = direction;
      propose(witness, elements, capacity, across(direction));
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
    std::vector<Rank> inside;
    for (const std::uint32_t m : members) {
      taken[m] = true;
      add_ranks(stretch_of(machine_, machine_.members(cluster)[m]), inside);
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
    const Capacities capacities{whole ? links : together(links, cluster.uplink.out),
                                whole ? links : together(links, cluster.uplink.in)};
    if (capacities.unlimited()) return;
    look(witness, needs_.of(inside), capacities,
         [&](Direction direction) { return passages_.across(id, members, direction); });
  }

  void add_ranks(const Stretch& stretch, std::vector<Rank>& ranks) const {
    for (Leaf leaf = stretch.first; leaf < stretch.first + stretch.count; ++leaf) {
      ranks.push_back(machine_.rank_at(leaf));
    }
  }

  [[nodiscard]] Crossing crossing_of(const Stretch& stretch) {
    if (stretch.count == call_.size) return {};
    ranks_.clear();
    add_ranks(stretch, ranks_);
    return needs_.of(ranks_);
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

  const Machine& machine_;
  const Collective& call_;
  const Passages& passages_;
  const Propose& propose_;
  Crossings needs_;
  std::vector<Rank> ranks_;  ///< ranks of the last stretch; kept for its memory
};

}  // namespace

void look_at_borders(const Machine& machine, const Collective& call, const Passages& passages,
                     const Propose& propose) {
  Cuts cuts(machine, call, passages, propose);
  for (ClusterId c = 1; c < machine.clusters().size(); ++c) {
    cuts.border({false, c}, machine.clusters()[c].uplink);
  }
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    cuts.border({true, leaf}, machine.leaf_uplink(leaf));
  }
}

void look_at_unions(const Machine& machine, const Collective& call, const Passages& passages,
                    const Propose& propose) {
  Cuts cuts(machine, call, passages, propose);
  for (ClusterId c = 0; c < machine.clusters().size(); ++c) cuts.unions(c);
}

void look_at_backbones(const Machine& machine, const Collective& call, const Passages& passages,
                       const Propose& propose) {
  Cuts cuts(machine, call, passages, propose);
  for (ClusterId c = 0; c < machine.clusters().size(); ++c) cuts.backbone(c);
}

}  // namespace espalier::bound
