#include "topology/views.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"
#include "topology/machine_spec.hpp"
#include "topology/message_costs.hpp"

namespace espalier::topology {
namespace {

MemberSpec spec_of_leaf(const Machine& machine, Leaf leaf) {
  MemberSpec spec;
  spec.name = machine.leaf_name(leaf);
  spec.uplink = machine.leaf_uplink(leaf);
  const NodeCosts& costs = machine.leaf_costs(leaf);
  spec.costs = {costs.send, costs.recv, costs.reduce, costs.speed_millionths};
  return spec;
}

/// Without its members.
MemberSpec spec_of_cluster(const Cluster& cluster) {
  MemberSpec spec;
  spec.name = cluster.name;
  spec.uplink = cluster.uplink;
  spec.channel = {cluster.channel.latency, cluster.channel.backbone, cluster.channel.flow_cap};
  return spec;
}

/// The machine's tree with the leaves that are wanted.
class Pruner {
 public:
  Pruner(const Machine& machine, const std::vector<bool>& wanted)
      : machine_(machine), wanted_(wanted) {}

  MemberSpec prune(ClusterId id, std::uint32_t depth) {
    const Cluster& cluster = machine_.clusters()[id];
    deepest_ = std::max(deepest_, depth + 1);
    MemberSpec spec = spec_of_cluster(cluster);
    std::vector<std::uint32_t> index;  // of each member among those that are left
    for (const Member& member : machine_.members(cluster)) {
      index.push_back(static_cast<std::uint32_t>(spec.members.size()));
      if (!is_wanted(member)) {
        index.back() = kGone;
      } else if (member.is_leaf) {
        spec.members.push_back(spec_of_leaf(machine_, member.id));
      } else {
        spec.members.push_back(prune(member.id, depth + 1));
      }
    }
    for (const PairLink& pair : machine_.pairs(cluster)) {
      if (index[pair.a] == kGone || index[pair.b] == kGone) continue;
      const auto called = [&](std::uint32_t member) {
        const std::string& name = spec.members[index[member]].name;
        return name.empty() ? std::to_string(index[member]) : name;
      };
      spec.pairs.push_back({"", called(pair.a), called(pair.b), pair.latency, pair.capacity});
    }
    return spec;
  }
  [[nodiscard]] std::uint32_t deepest() const { return deepest_; }

  /// The smallest cluster that holds all that are wanted.
  [[nodiscard]] ClusterId smallest_of_all() const {
    const auto is_left = [this](const Member& member) { return is_wanted(member); };
    for (ClusterId top = 0;;) {
      const auto members = machine_.members(machine_.clusters()[top]);
      const auto one = std::find_if(members.begin(), members.end(), is_left);
      if (one->is_leaf || std::any_of(one + 1, members.end(), is_left)) return top;
      top = one->id;
    }
  }

 private:
  static constexpr std::uint32_t kGone = ~std::uint32_t{0};

  [[nodiscard]] bool is_wanted(const Member& member) const {
    if (member.is_leaf) return wanted_[member.id];
    const Cluster& cluster = machine_.clusters()[member.id];
    const auto first = wanted_.begin() + cluster.first_leaf;
    return std::find(first, first + cluster.leaf_count, true) != first + cluster.leaf_count;
  }

  const Machine& machine_;
  const std::vector<bool>& wanted_;
  std::uint32_t deepest_ = 0;
};

Machine built(const MachineSpec& spec) { return build_machine(spec).value(); }

/// @param outermost which cluster is the whole then
template <typename Outermost>
MachineSpec spec_of_part(const Machine& machine, std::span<const Rank> ranks, Outermost outermost) {
  expects(!ranks.empty(), "part of a machine: nobody");
  std::vector<bool> wanted(machine.size(), false);
  for (const Rank rank : ranks) {
    expects(rank < machine.size(), "part of a machine: a rank beyond the end");
    expects(!wanted[machine.leaf_of(rank)], "part of a machine: a rank stands twice");
    wanted[machine.leaf_of(rank)] = true;
  }
  std::vector<std::uint64_t> new_leaf(machine.size(), 0);
  for (Leaf leaf = 1; leaf < machine.size(); ++leaf) {
    new_leaf[leaf] = new_leaf[leaf - 1] + (wanted[leaf - 1] ? 1 : 0);
  }
  Pruner pruner(machine, wanted);
  const ClusterId top = outermost(pruner);
  const std::uint32_t first_level = machine.clusters()[top].depth;
  MachineSpec spec;
  spec.name = machine.name();
  spec.whole = pruner.prune(top, 0);
  for (std::uint32_t l = 0; l < pruner.deepest(); ++l) {
    spec.levels.push_back({machine.levels()[first_level + l], {}, {}});
  }
  spec.placement = PlacementKind::Listed;
  for (const Rank rank : ranks) spec.listed.push_back(new_leaf[machine.leaf_of(rank)]);
  return spec;
}

/// The whole machine.
MachineSpec spec_of_all(const Machine& machine) {
  std::vector<Rank> everybody(machine.size());
  std::iota(everybody.begin(), everybody.end(), Rank{0});
  return spec_of_part(machine, everybody, [](const Pruner&) { return ClusterId{0}; });
}

/// Where the costs of each process stand, by leaf.
void find_costs(MemberSpec& spec, std::vector<CostOverride*>& found) {
  if (spec.members.empty()) found.push_back(&spec.costs);
  for (MemberSpec& member : spec.members) find_costs(member, found);
}

}  // namespace

Machine submachine(const Machine& machine, std::span<const Rank> ranks) {
  return built(spec_of_part(machine, ranks, [](const Pruner&) { return ClusterId{0}; }));
}

Machine restrict_machine(const Machine& machine, std::span<const Rank> ranks) {
  return built(
      spec_of_part(machine, ranks, [](const Pruner& pruner) { return pruner.smallest_of_all(); }));
}

Machine with_speeds(const Machine& machine, std::span<const std::uint64_t> speeds) {
  expects(speeds.size() == machine.size(), "with_speeds: not one for each rank");
  MachineSpec spec = spec_of_all(machine);
  std::vector<CostOverride*> by_leaf;
  find_costs(spec.whole, by_leaf);
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    expects(speeds[rank] > 0, "with_speeds: a speed of 0");
    by_leaf[machine.leaf_of(rank)]->speed_millionths = speeds[rank];
  }
  return built(spec);
}

Machine with_message_costs(const Machine& machine, std::span<const MessageCost> costs) {
  MachineSpec spec = spec_of_all(machine);
  std::vector<CostOverride*> by_leaf;
  find_costs(spec.whole, by_leaf);
  for (const MessageCost& cost : costs) {
    expects(cost.rank < machine.size(), "with_message_costs: a rank beyond the end");
    CostOverride& own = *by_leaf[machine.leaf_of(cost.rank)];
    own.send->fixed = cost.each;
    own.recv->fixed = cost.each;
  }
  return built(spec);
}

Machine two_level_view(const Machine& machine, std::uint32_t depth) {
  expects(depth >= 1, "two_level_view: the whole machine is no partition");
  const auto clusters = machine.clusters();
  MachineSpec spec;
  spec.name = machine.name();
  spec.whole = spec_of_cluster(clusters.front());
  bool has_clusters = false;
  ClusterId last = 0;
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    ClusterId id = machine.cluster_of(leaf);
    MemberSpec process = spec_of_leaf(machine, leaf);
    process.name.clear();  // which need not be unique here
    if (clusters[id].depth < depth) {
      spec.whole.members.push_back(std::move(process));
      continue;
    }
    while (clusters[id].depth > depth) id = clusters[id].parent;
    if (id != last) {  // leaves of one cluster stand side by side
      spec.whole.members.push_back(spec_of_cluster(clusters[id]));
      spec.whole.members.back().name.clear();
      last = id;
    }
    spec.whole.members.back().members.push_back(std::move(process));
    has_clusters = true;
  }
  const auto levels = machine.levels();
  const std::size_t joined = std::min<std::size_t>(depth, levels.size()) - 1;
  spec.levels.push_back({{levels.front().channel, levels[joined].members}, {}, {}});
  if (has_clusters) spec.levels.push_back({{levels[depth].channel, levels.back().members}, {}, {}});
  spec.placement = PlacementKind::Listed;
  spec.listed.assign(machine.placement().begin(), machine.placement().end());
  return built(spec);
}

namespace {

Time times(Time time, std::uint32_t thousandths) {
  const double scaled = static_cast<double>(time.picoseconds) / 1000 * thousandths;
  return Time{static_cast<std::int64_t>(scaled)};
}

Bandwidth times(Bandwidth rate, std::uint32_t thousandths) {
  if (rate.unlimited()) return rate;
  const double scaled = static_cast<double>(rate.bits_per_second) / 1000 * thousandths;
  return Bandwidth{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled))};
}

}  // namespace

Machine scale_level(Machine machine, const LevelScale& scale) {
  const auto carry = [&](Uplink& uplink) {
    uplink.out = times(uplink.out, scale.bandwidth);
    uplink.in = times(uplink.in, scale.bandwidth);
  };
  for (Cluster& cluster : machine.clusters_) {
    if (cluster.depth == scale.level + 1) carry(cluster.uplink);
    if (cluster.depth != scale.level) continue;
    cluster.channel.latency = times(cluster.channel.latency, scale.latency);
    cluster.channel.backbone = times(cluster.channel.backbone, scale.bandwidth);
    cluster.channel.flow_cap = times(cluster.channel.flow_cap, scale.bandwidth);
    for (std::uint32_t p = 0; p < cluster.pair_count; ++p) {
      PairLink& pair = machine.pairs_[cluster.first_pair + p];
      pair.latency = times(pair.latency, scale.latency);
      pair.capacity = times(pair.capacity, scale.bandwidth);
    }
  }
  // Leaves that are members of such a cluster themselves: profiles are shared, so theirs are new.
  std::vector<std::uint32_t> scaled(machine.profiles_.size(), 0);
  for (Machine::LeafRecord& leaf : machine.leaves_) {
    if (machine.clusters_[leaf.cluster].depth != scale.level) continue;
    if (scaled[leaf.profile] == 0) {
      Machine::LeafFigures profile = machine.profiles_[leaf.profile];
      carry(profile.uplink);
      scaled[leaf.profile] = static_cast<std::uint32_t>(machine.profiles_.size());
      machine.profiles_.push_back(profile);
    }
    leaf.profile = scaled[leaf.profile];
  }
  return machine;
}

}  // namespace espalier::topology
