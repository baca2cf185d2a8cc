#include <algorithm>
#include <tuple>

#include "base/contract.hpp"
#include "tree/earliest_completing_edge_first.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

using topology::Cluster;
using topology::ClusterId;
using topology::Machine;

/// More members of one cluster are served fastest first, which takes no time to find: links within
/// a cluster are mostly alike.
constexpr std::size_t kPairsUpTo = 64;

class ByCluster {
 public:
  ByCluster(const model::CostModel& model, Bytes size, const Machine& machine, Rank root)
      : model_(model), size_(size), machine_(machine), tree_(machine.size(), root) {}

  CommTree run() && {
    find_heads();
    // Outer groups first: that is the order in which a rank sends.
    for (std::uint32_t depth = 0; depth < machine_.levels().size(); ++depth) {
      for (ClusterId c = 0; c < machine_.clusters().size(); ++c) {
        if (machine_.clusters()[c].depth == depth) join(c);
      }
    }
    return std::move(tree_);
  }

 private:
  [[nodiscard]] Rank head_of(const topology::Member& member) const {
    return member.is_leaf ? machine_.rank_at(member.id) : heads_[member.id];
  }

  /// How soon a rank has the message from the root and has passed it on once.
  [[nodiscard]] Time passed_on(Rank rank, Rank other) const {
    Time takes = rank == tree_.root() ? Time{} : model_.cost(tree_.root(), rank, size_).delivered;
    if (other != rank) takes += model_.cost(rank, other, size_).sender_busy;
    return takes;
  }

  /// Inner clusters come after outer ones, so they have their heads first.
  void find_heads() {
    heads_.assign(machine_.clusters().size(), kNoRank);
    for (ClusterId c = static_cast<ClusterId>(heads_.size()); c-- > 0;) {
      const auto members = machine_.members(machine_.clusters()[c]);
      std::tuple<bool, Time, Rank> best{true, kForever, kNoRank};
      for (std::size_t i = 0; i < members.size(); ++i) {
        const Rank rank = head_of(members[i]);
        const Rank other = head_of(members[(i + 1) % members.size()]);
        best = std::min(best, std::tuple(rank != tree_.root(), passed_on(rank, other), rank));
      }
      heads_[c] = std::get<Rank>(best);
    }
  }

  /// Hangs the heads of a cluster's members below the cluster's own head.
  void join(ClusterId cluster) {
    std::vector<Rank> others;
    for (const topology::Member& member : machine_.members(machine_.clusters()[cluster])) {
      if (head_of(member) != heads_[cluster]) others.push_back(head_of(member));
    }
    if (others.empty()) return;
    const Participants who = multicast(machine_.size(), heads_[cluster], others);
    const CommTree inside = who.count() <= kPairsUpTo
                                ? earliest_completing_edge_first_look_ahead(model_, size_, who)
                                : fastest_node_first(costs_among(who), who);
    for (const Rank r : inside.preorder()) {
      for (const Rank child : inside.children(r)) tree_.append_child(r, child);
    }
  }

  /// What sending to a neighbour costs each.
  [[nodiscard]] std::vector<Time> costs_among(const Participants& who) const {
    std::vector<Time> costs(machine_.size());
    costs[who.root] = model_.cost(who.root, who.others.front(), size_).sender_busy;
    for (const Rank r : who.others) costs[r] = model_.cost(r, who.root, size_).sender_busy;
    return costs;
  }

  const model::CostModel& model_;
  Bytes size_;
  const Machine& machine_;
  CommTree tree_;
  std::vector<Rank> heads_;  // [ClusterId] who speaks for it
};

}  // namespace

CommTree edge_first_by_cluster(const model::CostModel& model, Bytes size, const Machine& machine,
                               Rank root) {
  expects(model.size() == machine.size() && root < machine.size(),
          "edge_first_by_cluster: model, machine and root do not fit");
  return ByCluster(model, size, machine, root).run();
}

}  // namespace espalier::tree
