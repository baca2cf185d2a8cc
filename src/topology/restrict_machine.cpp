#include "topology/restrict_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"
#include "topology/machine_spec.hpp"

namespace espalier::topology {
namespace {

class Restriction {
 public:
  Restriction(const Machine& machine, std::span<const Rank> ranks)
      : machine_(machine), ranks_(ranks), kept_before_(machine.size() + 1, 0) {
    std::vector<bool> kept(machine.size(), false);
    for (const Rank rank : ranks) {
      expects(rank < machine.size(), "restrict_machine: no such rank in the machine");
      expects(!kept[machine.leaf_of(rank)], "restrict_machine: a rank stands twice");
      kept[machine.leaf_of(rank)] = true;
    }
    for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
      kept_before_[leaf + 1] = kept_before_[leaf] + (kept[leaf] ? 1 : 0);
    }
  }

  [[nodiscard]] MachineSpec spec() const {
    const ClusterId top = outermost();
    MachineSpec spec;
    spec.where = "restrict_machine";
    spec.name = machine_.name();
    spec.whole = cluster(top);
    const std::uint32_t first_level = machine_.clusters()[top].depth;
    for (std::uint32_t l = 0; l < levels_below(spec.whole); ++l) {
      spec.levels.push_back({machine_.levels()[first_level + l], {}, {}});
    }
    spec.placement = PlacementKind::Listed;
    // Leaves keep their order, so a leaf's new number is how many are kept before it.
    for (const Rank rank : ranks_) spec.listed.push_back(kept_before_[machine_.leaf_of(rank)]);
    return spec;
  }

 private:
  [[nodiscard]] bool keeps(const Member& member) const {
    if (member.is_leaf) return kept_before_[member.id + 1] > kept_before_[member.id];
    const Cluster& c = machine_.clusters()[member.id];
    return kept_before_[c.first_leaf + c.leaf_count] > kept_before_[c.first_leaf];
  }

  /// The smallest cluster that holds all of them.
  [[nodiscard]] ClusterId outermost() const {
    ClusterId top = 0;
    for (;;) {
      const auto members = machine_.members(machine_.clusters()[top]);
      const auto is_kept = [&](const Member& m) { return keeps(m); };
      const auto one = std::find_if(members.begin(), members.end(), is_kept);
      if (one->is_leaf || std::find_if(one + 1, members.end(), is_kept) != members.end()) {
        return top;
      }
      top = one->id;
    }
  }

  [[nodiscard]] static std::uint32_t levels_below(const MemberSpec& spec) {
    std::uint32_t deepest = 0;
    for (const MemberSpec& member : spec.members) {
      deepest = std::max(deepest, 1 + levels_below(member));
    }
    return deepest;
  }

  [[nodiscard]] MemberSpec cluster(ClusterId id) const {
    const Cluster& from = machine_.clusters()[id];
    MemberSpec spec;
    spec.where = "restrict_machine";
    spec.name = from.name;
    spec.channel = {from.channel.latency, from.channel.backbone, from.channel.flow_cap};
    spec.uplink = from.uplink;
    std::vector<std::uint64_t> new_index;
    for (const Member& member : machine_.members(from)) {
      new_index.push_back(spec.members.size());
      if (keeps(member))
        spec.members.push_back(member.is_leaf ? leaf(member.id) : cluster(member.id));
    }
    const auto members = machine_.members(from);
    for (const PairLink& pair : machine_.pairs(from)) {
      if (!keeps(members[pair.a]) || !keeps(members[pair.b])) continue;
      spec.pairs.push_back({"restrict_machine", member_name(spec, new_index[pair.a]),
                            member_name(spec, new_index[pair.b]), pair.latency, pair.capacity});
    }
    return spec;
  }

  /// As a pair names it: a name wins over an index, so an index is used for the nameless only.
  [[nodiscard]] static std::string member_name(const MemberSpec& cluster, std::uint64_t index) {
    const std::string& name = cluster.members[index].name;
    return name.empty() ? fmt::format("{}", index) : name;
  }

  [[nodiscard]] MemberSpec leaf(Leaf id) const {
    const NodeCosts& costs = machine_.leaf_costs(id);
    MemberSpec spec;
    spec.where = "restrict_machine";
    spec.name = machine_.leaf_name(id);
    spec.uplink = machine_.leaf_uplink(id);
    spec.costs = {costs.send, costs.recv, costs.reduce, costs.speed_millionths};
    return spec;
  }

  const Machine& machine_;
  std::span<const Rank> ranks_;
  std::vector<std::uint32_t> kept_before_;  // of the leaves before each
};

}  // namespace

Machine restrict_machine(const Machine& machine, std::span<const Rank> ranks) {
  expects(!ranks.empty(), "restrict_machine: no ranks");
  Expected<Machine> part = build_machine(Restriction(machine, ranks).spec());
  expects(part.has_value(), "restrict_machine: a part of a machine is a machine");
  return std::move(*part);
}

}  // namespace espalier::topology
