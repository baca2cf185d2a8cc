#include "collective/folded_machine.hpp"

#include <algorithm>
#include <map>

#include "cost/equal_parts.hpp"
#include "topology/views.hpp"

namespace espalier::collective {
namespace {

using topology::Cluster;
using topology::ClusterId;
using topology::Machine;
using topology::Member;

/// Which ranks are left, and which parts are told by which.
class Folding {
 public:
  Folding(const Hierarchy& whole, Rank root, std::uint32_t depth)
      : whole_(whole), root_(root), depth_(depth) {
    keep(0);
    std::sort(ranks_.begin(), ranks_.end());
    std::sort(kept_.begin(), kept_.end(),
              [](const Kept& a, const Kept& b) { return a.cluster < b.cluster; });
  }

  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
  // By the numbers of the folded machine, in whose depth-first order they are.
  [[nodiscard]] std::vector<ClusterId> told_by() const {
    return in_folded([](const Kept& one) { return one.told_by; });
  }
  [[nodiscard]] std::vector<ClusterId> alike() const {
    return in_folded([](const Kept& one) { return one.alike; });
  }

 private:
  struct Kept {
    ClusterId cluster;
    ClusterId told_by;
    ClusterId alike;
  };

  template <typename Of>
  [[nodiscard]] std::vector<ClusterId> in_folded(Of of) const {
    std::vector<ClusterId> found;
    found.reserve(kept_.size());
    for (const Kept& one : kept_) {
      const auto it =
          std::lower_bound(kept_.begin(), kept_.end(), of(one),
                           [](const Kept& kept, ClusterId id) { return kept.cluster < id; });
      found.push_back(static_cast<ClusterId>(it - kept_.begin()));
    }
    return found;
  }

  /// The first part that is equal to this one and told in full; itself if there is none before.
  /// Parts with the root are equal to others if the root is where their masters are.
  [[nodiscard]] ClusterId full_part_like(ClusterId id) {
    const std::uint32_t depth = whole_.machine().clusters()[id].depth;
    const bool has_usual_master = whole_.master(id, root_) == whole_.lowest_rank(id);
    if (depth < depth_ || !has_usual_master) return id;
    return full_.emplace(std::pair{depth, whole_.shape().classes[id]}, id).first->second;
  }

  /// Index of the member in which the cluster's master lies.
  [[nodiscard]] std::uint32_t place_of_master(const Cluster& cluster) const {
    const Machine& machine = whole_.machine();
    const auto id = static_cast<ClusterId>(&cluster - machine.clusters().data());
    if (!whole_.contains(id, root_)) return whole_.shape().places[id];
    return member_with(machine, cluster, machine.leaf_of(root_));
  }

  /// A part with all that tells it, as far as no equal one does.
  void keep(ClusterId id) {
    const ClusterId alike = full_part_like(id);
    kept_.push_back({id, id, alike});
    const Machine& machine = whole_.machine();
    const Cluster& cluster = machine.clusters()[id];
    const auto members = machine.members(cluster);
    const std::uint32_t first = place_of_master(cluster);
    // All parts but the first are without the root: their classes are the same for all roots.
    const std::vector<std::uint32_t>& classes = whole_.shape().classes;
    std::multimap<std::uint32_t, ClusterId> own;    // the parts that are kept, but for the first
    const std::uint32_t depth = cluster.depth + 1;  // of the members
    auto& told = depth == depth_ ? told_ : own;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      const Member& member = members[(first + i) % members.size()];
      if (member.is_leaf) {
        ranks_.push_back(machine.rank_at(member.id));
        continue;
      }
      const bool is_first = depth == depth_ ? whole_.contains(member.id, root_) : i == 0;
      if (is_first || depth < depth_) {
        keep(member.id);
        continue;
      }
      if (alike != id) {
        keep_master(member.id, member.id);
        continue;
      }
      const auto [begin, end] = told.equal_range(classes[member.id]);
      const auto same = std::find_if(begin, end, [&](const auto& other) {
        return machine.clusters()[other.second].uplink == machine.clusters()[member.id].uplink;
      });
      if (same == end) {
        told.emplace(classes[member.id], member.id);
        keep(member.id);
      } else {
        keep_master(member.id, same->second);
      }
    }
  }

  void keep_master(ClusterId id, ClusterId told_by) {
    const Machine& machine = whole_.machine();
    const Rank master = whole_.master(id, root_);
    ranks_.push_back(master);
    kept_.push_back({id, told_by, id});
    for (ClusterId c = machine.cluster_of(machine.leaf_of(master)); c != id;
         c = machine.clusters()[c].parent) {
      kept_.push_back({c, c, c});
    }
  }

  const Hierarchy& whole_;
  Rank root_;
  std::uint32_t depth_;
  std::multimap<std::uint32_t, ClusterId>
      told_;  // parts of depth_ that are kept, but for the first
  std::map<std::pair<std::uint32_t, std::uint32_t>, ClusterId> full_;  // by depth and class
  std::vector<Rank> ranks_;
  std::vector<Kept> kept_;
};

}  // namespace

GroupTree::GroupTree(Shape shape, Rank size) : first_{0}, generations_(size, 0) {
  for (Rank position = 0; position < size; ++position) {
    for (const Rank child : positions_in_group(shape, position, size).children) {
      children_.push_back(child);
      generations_[child] = generations_[position] + 1;
    }
    first_.push_back(static_cast<std::uint32_t>(children_.size()));
  }
}

struct FoldedMachine::Parts {
  Machine machine;
  Rank root;
  bool is_aligned;
  std::vector<ClusterId> told_by;
  std::vector<ClusterId> alike;
};

FoldedMachine::Parts FoldedMachine::fold(const Hierarchy& whole, Rank root, std::uint32_t depth) {
  const Folding folding(whole, root, depth);
  const std::vector<Rank>& ranks = folding.ranks();
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), root);
  return {topology::submachine(whole.machine(), ranks), static_cast<Rank>(at - ranks.begin()),
          whole.shape().is_aligned, folding.told_by(), folding.alike()};
}

FoldedMachine::FoldedMachine(const Hierarchy& whole, Rank root,
                             const topology::Transport& transport, std::uint32_t depth)
    : FoldedMachine(fold(whole, root, depth), whole, root, transport) {}

FoldedMachine FoldedMachine::at_depth(std::uint32_t depth) const {
  return {whole_, whole_root_, transport_, depth};
}

FoldedMachine::FoldedMachine(Parts parts, const Hierarchy& whole, Rank whole_root,
                             const topology::Transport& transport)
    : machine_(std::move(parts.machine)),
      hierarchy_(machine_),
      cost_view_(machine_, {}, 1, transport),
      root_(parts.root),
      is_aligned_(parts.is_aligned),
      told_by_(std::move(parts.told_by)),
      alike_(std::move(parts.alike)),
      figures_(cost::classes_of_processes(machine_)),
      whole_(whole),
      whole_root_(whole_root),
      transport_(transport),
      masters_(machine_.clusters().size()) {}

std::span<const Rank> FoldedMachine::masters_in(ClusterId cluster) const {
  std::vector<Rank>& masters = masters_[cluster];
  if (masters.empty()) masters = hierarchy_.masters_of_members(cluster, root_);
  return masters;
}

const GroupTree& FoldedMachine::group_tree(Shape shape, Rank size) const {
  const auto known = group_trees_.find({shape, size});
  if (known != group_trees_.end()) return known->second;
  return group_trees_.emplace(std::pair{shape, size}, GroupTree(shape, size)).first->second;
}

const FoldedRuns* FoldedMachine::runs() const {
  if (runs_ == nullptr && whole_.shape().in_order) {
    runs_ = std::make_unique<FoldedRuns>(whole_, transport_);
  }
  return runs_.get();
}

}  // namespace espalier::collective
