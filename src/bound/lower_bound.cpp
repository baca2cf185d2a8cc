#include "bound/lower_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "bound/needs.hpp"
#include "bound/ways.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Cluster;
using topology::Leaf;
using topology::Machine;
using topology::Member;
using topology::Uplink;

class Search {
 public:
  Search(const Machine& machine, const Collective& call) : machine_(machine), call_(call) {}

  LowerBound run() {
    look_at_ways();
    for (topology::ClusterId c = 1; c < machine_.clusters().size(); ++c) {
      const Cluster& cluster = machine_.clusters()[c];
      look_at_border(false, c, cluster.first_leaf, cluster.leaf_count, cluster.uplink);
    }
    for (Leaf leaf = 0; leaf < machine_.size(); ++leaf) {
      look_at_border(true, leaf, leaf, 1, machine_.leaf_uplink(leaf));
    }
    for (topology::ClusterId c = 0; c < machine_.clusters().size(); ++c) look_at_backbone(c);
    return best_;
  }

 private:
  void propose(Time value, const Witness& witness) {
    if (value > best_.value) best_ = {value, witness};
  }

  /// A way: what `to` ends with depends on `from`, so a chain of messages leads there, and each of
  /// them costs its latency and both ends' fixed costs. Rooted operations look at all ways from or
  /// to the root; the others at those from one rank of each outermost cluster, which is a choice of
  /// sources, not a weaker proof.
  void look_at_ways() {
    if (call_.size < 2 || call_.size > kWaysUpTo) return;
    const bool to_root =
        call_.operation == Operation::Reduce || call_.operation == Operation::Gather;
    const bool from_root =
        call_.operation == Operation::Broadcast || call_.operation == Operation::Scatter;
    std::vector<Rank> sources;
    if (to_root || from_root) {
      sources.push_back(call_.root);
    } else {
      for (const Member& member : machine_.members(machine_.clusters()[0])) {
        const Leaf leaf = member.is_leaf ? member.id : machine_.clusters()[member.id].first_leaf;
        sources.push_back(machine_.rank_at(leaf));
      }
    }
    for (const Rank source : sources) {
      const std::vector<Time> way =
          to_root ? ways_to(machine_, source) : ways_from(machine_, source);
      for (Rank r = 0; r < call_.size; ++r) {
        const Rank from = to_root ? r : source;
        const Rank to = to_root ? source : r;
        if (!depends(call_, from, to)) continue;
        Witness witness;
        witness.kind = Witness::Kind::Way;
        witness.from = from;
        witness.to = to;
        propose(way[r], witness);
      }
      if (from_root || to_root) root_way_ = way;
      to_root_ = to_root;
    }
  }

  /// The least time that lies between bytes on one side of a border and the end on the other,
  /// besides their passing it: for a rooted operation the way between the root and the nearest rank
  /// beyond (without what it costs that rank, which may be paid while bytes still pass), else the
  /// shortest latency across.
  [[nodiscard]] Time earliest_across(const std::vector<bool>& inside) const {
    if (call_.size > kWaysUpTo) return Time{0};
    Time earliest = kForever;
    if (!root_way_.empty()) {
      for (Rank r = 0; r < call_.size; ++r) {
        if (inside[r] == inside[call_.root]) continue;
        const auto& costs = machine_.costs(r);
        const Time own = to_root_ ? costs.send.fixed : costs.recv.fixed;
        earliest = std::min(earliest, root_way_[r] - own);
      }
      return earliest;
    }
    for (Rank i = 0; i < call_.size; ++i) {
      if (!inside[i]) continue;
      for (Rank j = 0; j < call_.size; ++j) {
        if (!inside[j]) earliest = std::min(earliest, machine_.path(i, j).latency);
      }
    }
    return earliest;
  }

  /// A border: so many bytes must pass the uplink, which lets through no more than its capacity,
  /// and nothing can have arrived beyond before `earliest`. If the last of b bytes has arrived at
  /// t, all b have passed in t - earliest, so t >= earliest + b / capacity.
  void look_at_border(bool is_leaf, std::uint32_t part, Leaf first, std::uint32_t count,
                      const Uplink& uplink) {
    if (count == call_.size) return;
    if (uplink.out.unlimited() && uplink.in.unlimited()) return;
    std::vector<bool> inside(call_.size, false);
    for (Leaf leaf = first; leaf < first + count; ++leaf) inside[machine_.rank_at(leaf)] = true;
    const Crossing need = crossing(call_, inside);
    if (need.out == 0 && need.in == 0) return;
    const Time before = earliest_across(inside);
    const auto look = [&](Witness::Kind kind, std::uint64_t elements, Bandwidth capacity) {
      if (elements == 0) return;
      const Bytes bytes{elements * call_.element.value};
      Witness witness{kind, kNoRank, kNoRank, is_leaf, part, bytes, capacity, before};
      propose(before + transfer_time(bytes, capacity), witness);
    };
    look(Witness::Kind::Out, need.out, uplink.out);
    look(Witness::Kind::In, need.in, uplink.in);
    if (uplink.half_duplex) look(Witness::Kind::Both, need.out + need.in, uplink.out);
  }

  /// A backbone: all that enters or leaves a member of its cluster crosses it once. What one member
  /// sends to another is counted at both ends, so half of the sum over the members must cross, and
  /// all that enters or leaves the cluster itself is in that sum once.
  void look_at_backbone(topology::ClusterId id) {
    const Cluster& cluster = machine_.clusters()[id];
    const Bandwidth capacity = cluster.channel.backbone;
    if (capacity.unlimited() || call_.size < 2) return;
    std::uint64_t sum = 0;
    for (const Member& member : machine_.members(cluster)) {
      const Leaf first = member.is_leaf ? member.id : machine_.clusters()[member.id].first_leaf;
      const std::uint32_t count = member.is_leaf ? 1 : machine_.clusters()[member.id].leaf_count;
      if (count == call_.size) continue;
      std::vector<bool> inside(call_.size, false);
      for (Leaf leaf = first; leaf < first + count; ++leaf) inside[machine_.rank_at(leaf)] = true;
      const Crossing need = crossing(call_, inside);
      sum += need.out + need.in;
    }
    if (sum == 0) return;
    const Bytes bytes{(sum + 1) / 2 * call_.element.value};
    propose(transfer_time(bytes, capacity),
            {Witness::Kind::Backbone, kNoRank, kNoRank, false, id, bytes, capacity, Time{0}});
  }

  const Machine& machine_;
  const Collective& call_;
  std::vector<Time> root_way_;
  bool to_root_ = false;
  LowerBound best_;
};

std::string name_of_part(const Witness& witness, const Machine& machine) {
  if (witness.part_is_leaf) return "rank " + std::to_string(machine.rank_at(witness.part));
  const std::string& name = machine.clusters()[witness.part].name;
  if (!name.empty()) return name;
  return witness.part == 0 ? "the machine" : fmt::format("cluster {}", witness.part);
}

}  // namespace

LowerBound lower_bound(const Machine& machine, const Collective& call) {
  expects(call.size == machine.size(), "lower_bound: call and machine differ in size");
  expects(!call.irregular(), "lower_bound: not for calls with unequal blocks");
  return Search(machine, call).run();
}

std::string describe(const Witness& witness, const Machine& machine) {
  const auto bytes_pass = [&](std::string_view verb) {
    return fmt::format("{} must {} {} at {}, not before {}", to_string(witness.bytes), verb,
                       name_of_part(witness, machine), to_string(witness.capacity),
                       rounded(witness.before));
  };
  switch (witness.kind) {
    case Witness::Kind::Nothing:
      return "nothing has to move";
    case Witness::Kind::Way:
      return fmt::format("what rank {} has must reach rank {}", witness.from, witness.to);
    case Witness::Kind::Out:
      return bytes_pass("leave");
    case Witness::Kind::In:
      return bytes_pass("enter");
    case Witness::Kind::Both:
      return bytes_pass("enter and leave");
    case Witness::Kind::Backbone:
      return bytes_pass("cross the backbone of");
  }
  return "?";
}

}  // namespace espalier::bound
