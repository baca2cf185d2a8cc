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
  /// @param wanted rising
  /// @param one_by_one each process has a record of its own; else equal ones share it
  Pruner(const Machine& machine, std::span<const Leaf> wanted, bool one_by_one)
      : machine_(machine), wanted_(wanted), one_by_one_(one_by_one) {}

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
        add_leaf(spec, member.id, cluster);
      } else {
        spec.members.push_back(prune(member.id, depth + 1));
      }
    }
    for (const PairLink& pair : machine_.pairs(cluster)) {
      if (index[pair.a] == kGone || index[pair.b] == kGone) continue;
      spec.pairs.push_back({"", std::to_string(index[pair.a]), std::to_string(index[pair.b]),
                            pair.latency, pair.capacity, true, true});
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

  /// Processes without names and with the same figures, side by side, are told once. Not where
  /// links of single pairs count the members one by one.
  void add_leaf(MemberSpec& spec, Leaf leaf, const Cluster& cluster) {
    if (!one_by_one_ && cluster.pair_count == 0 && last_cluster_ == &cluster &&
        machine_.leaf_name(leaf).empty() && machine_.leaf_name(last_).empty() &&
        machine_.leaf_uplink(leaf) == machine_.leaf_uplink(last_) &&
        machine_.leaf_costs(leaf) == machine_.leaf_costs(last_)) {
      ++spec.members.back().count;
    } else {
      spec.members.push_back(spec_of_leaf(machine_, leaf));
    }
    last_ = leaf;
    last_cluster_ = &cluster;
  }

  [[nodiscard]] bool is_wanted(const Member& member) const {
    const bool is_leaf = member.is_leaf;
    const Leaf first = is_leaf ? member.id : machine_.clusters()[member.id].first_leaf;
    const Leaf count = is_leaf ? 1 : machine_.clusters()[member.id].leaf_count;
    const auto next = std::lower_bound(wanted_.begin(), wanted_.end(), first);
    return next != wanted_.end() && *next - first < count;
  }

  const Machine& machine_;
  std::span<const Leaf> wanted_;
  bool one_by_one_;
  std::uint32_t deepest_ = 0;
  Leaf last_ = 0;  // the leaf that was added last, and its cluster
  const Cluster* last_cluster_ = nullptr;
};

Machine built(const MachineSpec& spec) { return build_machine(spec).value(); }

/// @param outermost which cluster is the whole then
template <typename Outermost>
MachineSpec spec_of_part(const Machine& machine, std::span<const Rank> ranks, Outermost outermost,
                         bool one_by_one = false) {
  expects(!ranks.empty(), "part of a machine: nobody");
  std::vector<Leaf> wanted;
  wanted.reserve(ranks.size());
  for (const Rank rank : ranks) {
    expects(rank < machine.size(), "part of a machine: a rank beyond the end");
    wanted.push_back(machine.leaf_of(rank));
  }
  std::sort(wanted.begin(), wanted.end());
  expects(std::adjacent_find(wanted.begin(), wanted.end()) == wanted.end(),
          "part of a machine: a rank stands twice");
  Pruner pruner(machine, wanted, one_by_one);
  const ClusterId top = outermost(pruner);
  const std::uint32_t first_level = machine.clusters()[top].depth;
  MachineSpec spec;
  spec.name = machine.name();
  spec.whole = pruner.prune(top, 0);
  for (std::uint32_t l = 0; l < pruner.deepest(); ++l) {
    spec.levels.push_back({machine.levels()[first_level + l], {}, {}});
  }
  spec.placement = PlacementKind::Listed;
  spec.listed.reserve(ranks.size());
  for (const Rank rank : ranks) {
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), machine.leaf_of(rank));
    spec.listed.push_back(static_cast<std::uint64_t>(at - wanted.begin()));
  }
  return spec;
}

/// The whole machine.
MachineSpec spec_of_all(const Machine& machine) {
  std::vector<Rank> everybody(machine.size());
  std::iota(everybody.begin(), everybody.end(), Rank{0});
  return spec_of_part(
      machine, everybody, [](const Pruner&) { return ClusterId{0}; }, true);
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

Machine as_planned(const Machine& machine) {
  const auto is_alone = [](const Cluster& one) { return one.member_count == 1; };
  if (std::none_of(machine.clusters().begin(), machine.clusters().end(), is_alone)) return machine;
  std::vector<Rank> everybody(machine.size());
  std::iota(everybody.begin(), everybody.end(), Rank{0});
  return restrict_machine(machine, everybody);
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
  constexpr ClusterId kNone = ~ClusterId{0};
  ClusterId last = kNone;  // cluster of the leaf before, as the view has it
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    ClusterId id = machine.cluster_of(leaf);
    const bool stands_alone = clusters[id].depth < depth;
    while (clusters[id].depth > depth) id = clusters[id].parent;
    if (!stands_alone && id != last) {  // leaves of one cluster stand side by side
      spec.whole.members.push_back(spec_of_cluster(clusters[id]));
      spec.whole.members.back().name.clear();
    }
    MemberSpec& around = stands_alone ? spec.whole : spec.whole.members.back();
    // Processes with the same figures, side by side, are told once.
    if (leaf > 0 && id == last && machine.leaf_uplink(leaf) == machine.leaf_uplink(leaf - 1) &&
        machine.leaf_costs(leaf) == machine.leaf_costs(leaf - 1)) {
      ++around.members.back().count;
    } else {
      around.members.push_back(spec_of_leaf(machine, leaf));
      around.members.back().name.clear();  // it need not be unique here
    }
    last = id;
    has_clusters = has_clusters || !stands_alone;
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
