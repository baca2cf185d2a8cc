#include "collective/folded_tree.hpp"

#include <algorithm>

namespace espalier::collective {
namespace {

using topology::Cluster;
using topology::ClusterId;
using topology::Member;

class TreeFolding {
 public:
  TreeFolding(const FoldedMachine& machine, std::span<const LevelChoice> choices)
      : folded_(machine), machine_(machine.hierarchy().machine()), choices_(choices) {}

  FoldedTree fold(std::uint32_t from_level) {
    if (from_level == 0) {
      tree_.roots.push_back({folded_.root(), of_cluster(0, {}, {})});
      if (machine_.clusters().front().member_count > 1) tell_outermost();
    } else {
      for (const Member& member : members_of(0)) {
        tree_.roots.push_back({master_of(member), of_member(member, {}, {})});
      }
    }
    return std::move(tree_);
  }

  FoldedTree fold_at_depth(std::uint32_t depth, std::uint32_t from_level) {
    std::vector<ClusterId> parts;
    const auto clusters = machine_.clusters();
    for (ClusterId id = 0; id < clusters.size(); ++id) {
      if (clusters[id].depth == depth) parts.push_back(id);
    }
    const auto own = std::find_if(parts.begin(), parts.end(), [&](ClusterId id) {
      return folded_.hierarchy().contains(id, folded_.root());
    });
    std::rotate(parts.begin(), own, parts.end());
    tree_.owned_from = depth;
    const auto told = [&](ClusterId id, const Edges& above, const Hanging& hanging) {
      return of_cluster(folded_.told_by(id), above, hanging);
    };
    if (from_level > 0) {
      for (const ClusterId id : parts) {
        tree_.roots.push_back({folded_.hierarchy().master(id, folded_.root()), told(id, {}, {})});
      }
      return std::move(tree_);
    }
    Edges edges;
    for (std::size_t p = 1; p < parts.size(); ++p) {
      const Rank master = folded_.hierarchy().master(parts[p], folded_.root());
      const std::uint32_t level = machine_.path(folded_.root(), master).level;
      edges.children.push_back(master);
      edges.levels.push_back(level);
      edges.kinds.push_back(told(parts[p], {}, {folded_.root(), level, 0}));
    }
    tree_.roots.push_back({folded_.root(), told(parts.front(), edges, {})});
    return std::move(tree_);
  }

 private:
  /// How a rank hangs in the tree.
  struct Hanging {
    Rank beside = kNoRank;
    std::uint32_t level = 0;
    std::uint32_t generation = 0;
  };
  struct Edges {
    std::vector<Rank> children;
    std::vector<std::uint32_t> levels;
    std::vector<std::uint32_t> kinds;
  };
  struct Group {
    std::vector<Rank> masters;         // by position
    std::vector<std::uint32_t> kinds;  // the first is not told: it depends on the levels above
    std::vector<std::uint32_t> generations;
    std::vector<std::vector<Rank>> children;  // positions
  };

  [[nodiscard]] Rank master_of(const Member& member) const {
    return member.is_leaf ? machine_.rank_at(member.id)
                          : folded_.hierarchy().master(member.id, folded_.root());
  }

  /// In the order of their positions.
  [[nodiscard]] std::vector<Member> members_of(ClusterId id) const {
    const auto members = machine_.members(machine_.clusters()[id]);
    std::vector<Member> turned(members.begin(), members.end());
    const Rank master = folded_.hierarchy().master(id, folded_.root());
    const auto first = std::find_if(turned.begin(), turned.end(),
                                    [&](const Member& one) { return master_of(one) == master; });
    std::rotate(turned.begin(), first, turned.end());
    return turned;
  }

  [[nodiscard]] Edges edges_from(const Group& group, Rank position, std::uint32_t level) const {
    Edges edges;
    for (const Rank child : group.children[position]) {
      edges.children.push_back(group.masters[child]);
      edges.levels.push_back(level);
      edges.kinds.push_back(group.kinds[child]);
    }
    return edges;
  }

  /// All positions of a group but the first.
  const Group& group_of(ClusterId id) {
    const auto known = groups_.find(id);
    if (known != groups_.end()) return known->second;
    const std::vector<Member> members = members_of(id);
    const std::uint32_t level = machine_.clusters()[id].depth;
    const auto size = static_cast<Rank>(members.size());
    Group group;
    group.kinds.assign(size, 0);
    group.generations.assign(size, 0);
    for (Rank p = 0; p < size; ++p) {
      group.masters.push_back(master_of(members[p]));
      group.children.push_back(positions_in_group(choices_[level].shape, p, size).children);
      for (const Rank child : group.children[p])
        group.generations[child] = group.generations[p] + 1;
    }
    // Where a backbone is shared, those of a generation share it.
    const bool counts = !machine_.clusters()[id].channel.backbone.unlimited();
    for (Rank p = size; p-- > 1;) {
      group.kinds[p] = of_member(members[p], edges_from(group, p, level),
                                 {group.masters[0], level, counts ? group.generations[p] : 0});
    }
    return groups_.emplace(id, std::move(group)).first->second;
  }

  std::uint32_t of_member(const Member& member, const Edges& above, const Hanging& hanging) {
    if (!member.is_leaf) return of_cluster(folded_.told_by(member.id), above, hanging);
    const Rank rank = machine_.rank_at(member.id);
    return known(folded_.figures_of(rank), machine_.cluster_of(member.id), above, hanging,
                 [&] { return add(rank, above, hanging); });
  }

  /// @param above edges on the levels above
  std::uint32_t of_cluster(ClusterId id, const Edges& above, const Hanging& hanging) {
    return known(id, ~std::uint32_t{0}, above, hanging, [&] {
      const Group& group = group_of(id);
      Edges edges = above;
      const Edges own = edges_from(group, 0, machine_.clusters()[id].depth);
      edges.children.insert(edges.children.end(), own.children.begin(), own.children.end());
      edges.levels.insert(edges.levels.end(), own.levels.begin(), own.levels.end());
      edges.kinds.insert(edges.kinds.end(), own.kinds.begin(), own.kinds.end());
      return of_member(members_of(id).front(), edges, hanging);
    });
  }

  /// The kind that was made of the same before, or a new one.
  template <typename Make>
  std::uint32_t known(std::uint32_t what, std::uint32_t where, const Edges& above,
                      const Hanging& hanging, Make make) {
    std::vector<std::uint32_t> key{what, where, hanging.beside, hanging.level, hanging.generation};
    key.insert(key.end(), above.levels.begin(), above.levels.end());
    key.insert(key.end(), above.kinds.begin(), above.kinds.end());
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    const std::uint32_t made = make();
    known_.emplace(std::move(key), made);
    return made;
  }

  std::uint32_t add(Rank rank, const Edges& edges, const Hanging& hanging) {
    FoldedTree::Kind kind{rank,           hanging.beside, hanging.level, hanging.generation,
                          edges.children, edges.levels,   edges.kinds};
    for (const std::uint32_t child : kind.kinds) {
      kind.subtree += tree_.kinds[child].subtree;
      kind.height = std::max(kind.height, tree_.kinds[child].height + 1);
    }
    tree_.kinds.push_back(std::move(kind));
    return static_cast<std::uint32_t>(tree_.kinds.size() - 1);
  }

  void tell_outermost() {
    const Group& group = group_of(0);
    for (Rank p = 0; p < group.masters.size(); ++p) {
      if (group.generations[p] >= tree_.outermost_edges.size()) {
        tree_.outermost_edges.resize(group.generations[p] + 1, 0);
      }
      tree_.outermost_edges[group.generations[p]] +=
          static_cast<std::uint32_t>(group.children[p].size());
      if (p > 0) tree_.outermost.push_back({group.masters[p], group.kinds[p]});
    }
  }

  const FoldedMachine& folded_;
  const topology::Machine& machine_;
  std::span<const LevelChoice> choices_;
  std::map<ClusterId, Group> groups_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;
  FoldedTree tree_;
};

}  // namespace

std::uint32_t FoldedTree::height() const {
  std::uint32_t most = 0;
  for (const Root& root : roots) most = std::max(most, kinds[root.kind].height);
  return most;
}

FoldedTree folded_tree(const FoldedMachine& machine, std::span<const LevelChoice> choices,
                       std::uint32_t from_level) {
  return TreeFolding(machine, choices).fold(from_level);
}

FoldedTree folded_two_level_tree(const FoldedMachine& machine, std::uint32_t depth,
                                 std::span<const LevelChoice> choices, std::uint32_t from_level) {
  return TreeFolding(machine, choices).fold_at_depth(depth, from_level);
}

}  // namespace espalier::collective
