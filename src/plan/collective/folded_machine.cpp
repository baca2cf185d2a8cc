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
  /// By the numbers of the folded machine, in whose depth-first order they are.
  [[nodiscard]] std::vector<ClusterId> told_by() const {
    std::vector<ClusterId> told_by;
    for (const Kept& one : kept_) {
      const auto it =
          std::lower_bound(kept_.begin(), kept_.end(), one.told_by,
                           [](const Kept& kept, ClusterId id) { return kept.cluster < id; });
      told_by.push_back(static_cast<ClusterId>(it - kept_.begin()));
    }
    return told_by;
  }

 private:
  struct Kept {
    ClusterId cluster;
    ClusterId told_by;
  };

  /// Index of the member in which the cluster's master lies.
  [[nodiscard]] std::uint32_t place_of_master(const Cluster& cluster) const {
    const Machine& machine = whole_.machine();
    const auto id = static_cast<ClusterId>(&cluster - machine.clusters().data());
    if (!whole_.contains(id, root_)) return whole_.shape().places[id];
    return member_with(machine, cluster, machine.leaf_of(root_));
  }

  /// A part with all that tells it.
  void keep(ClusterId id) {
    kept_.push_back({id, id});
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
    kept_.push_back({id, told_by});
    for (ClusterId c = machine.cluster_of(machine.leaf_of(master)); c != id;
         c = machine.clusters()[c].parent) {
      kept_.push_back({c, c});
    }
  }

  const Hierarchy& whole_;
  Rank root_;
  std::uint32_t depth_;
  std::multimap<std::uint32_t, ClusterId>
      told_;  // parts of depth_ that are kept, but for the first
  std::vector<Rank> ranks_;
  std::vector<Kept> kept_;
};

}  // namespace

struct FoldedMachine::Parts {
  Machine machine;
  Rank root;
  bool is_aligned;
  std::vector<ClusterId> told_by;
};

FoldedMachine::Parts FoldedMachine::fold(const Hierarchy& whole, Rank root, std::uint32_t depth) {
  const Folding folding(whole, root, depth);
  const std::vector<Rank>& ranks = folding.ranks();
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), root);
  return {topology::submachine(whole.machine(), ranks), static_cast<Rank>(at - ranks.begin()),
          whole.shape().is_aligned, folding.told_by()};
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
      figures_(cost::classes_of_processes(machine_)),
      whole_(whole),
      whole_root_(whole_root),
      transport_(transport) {}

const FoldedRuns* FoldedMachine::runs() const {
  if (runs_ == nullptr && whole_.shape().in_order) {
    runs_ = std::make_unique<FoldedRuns>(whole_, transport_);
  }
  return runs_.get();
}

}  // namespace espalier::collective
