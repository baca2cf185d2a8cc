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
      for (Rank p = 0; p < machine_.clusters().front().member_count; ++p) {
        const Member& member = member_at(0, p);
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
    void clear() {
      children.clear();
      levels.clear();
      kinds.clear();
    }
  };
  /// A group of masters. Groups of equal parts have the same kinds.
  struct Group {
    const GroupTree* tree = nullptr;
    std::vector<std::uint32_t> kinds;  // the first is not told: it depends on the levels above
  };

  [[nodiscard]] Rank master_of(const Member& member) const {
    return member.is_leaf ? machine_.rank_at(member.id)
                          : folded_.hierarchy().master(member.id, folded_.root());
  }

  /// The member at a position of a cluster's group.
  [[nodiscard]] const Member& member_at(ClusterId id, Rank position) const {
    const auto members = machine_.members(machine_.clusters()[id]);
    return members[(first_of(id) + position) % members.size()];
  }

  /// Index of the member in which the cluster's master lies.
  [[nodiscard]] std::size_t first_of(ClusterId id) const {
    const auto members = machine_.members(machine_.clusters()[id]);
    const Rank master = folded_.masters_in(id).front();
    const auto first = std::find_if(members.begin(), members.end(),
                                    [&](const Member& one) { return master_of(one) == master; });
    return static_cast<std::size_t>(first - members.begin());
  }

  /// Adds the edges from a position of a cluster's group.
  void add_edges(Edges& edges, ClusterId id, const Group& group, Rank position) const {
    const auto masters = folded_.masters_in(id);
    for (const Rank child : group.tree->children(position)) {
      edges.children.push_back(masters[child]);
      edges.levels.push_back(machine_.clusters()[id].depth);
      edges.kinds.push_back(group.kinds[child]);
    }
  }

  /// All positions of a cluster's group but the first, told by the first of its equals.
  const Group& group_of(ClusterId of) {
    const ClusterId id = folded_.alike(of);
    const auto known = groups_.find(id);
    if (known != groups_.end()) return known->second;
    const Cluster& cluster = machine_.clusters()[id];
    const std::uint32_t level = cluster.depth;
    const Rank size = cluster.member_count;
    Group group{&folded_.group_tree(choices_[level].shape, size),
                std::vector<std::uint32_t>(size, 0)};
    // Where a backbone is shared, those of a generation share it.
    const bool counts = !cluster.channel.backbone.unlimited();
    const Rank master = folded_.masters_in(id).front();
    const std::size_t first = first_of(id);
    const auto members = machine_.members(cluster);
    Edges edges;
    for (Rank p = size; p-- > 1;) {
      edges.clear();
      add_edges(edges, id, group, p);
      group.kinds[p] = of_member(members[(first + p) % size], edges,
                                 {master, level, counts ? group.tree->generation(p) : 0});
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
      add_edges(edges, id, group, 0);
      return of_member(member_at(id, 0), edges, hanging);
    });
  }

  /// The kind that was made of the same before, or a new one.
  template <typename Make>
  std::uint32_t known(std::uint32_t what, std::uint32_t where, const Edges& above,
                      const Hanging& hanging, Make make) {
    key_.assign({what, where, hanging.beside, hanging.level, hanging.generation});
    key_.insert(key_.end(), above.levels.begin(), above.levels.end());
    key_.insert(key_.end(), above.kinds.begin(), above.kinds.end());
    const auto found = known_.find(key_);
    if (found != known_.end()) return found->second;
    std::vector<std::uint32_t> key = key_;  // make() looks for others
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
    const auto masters = folded_.masters_in(0);
    for (Rank p = 0; p < masters.size(); ++p) {
      const std::uint32_t generation = group.tree->generation(p);
      if (generation >= tree_.outermost_edges.size()) {
        tree_.outermost_edges.resize(generation + 1, 0);
      }
      tree_.outermost_edges[generation] +=
          static_cast<std::uint32_t>(group.tree->children(p).size());
      if (p > 0) tree_.outermost.push_back({masters[p], group.kinds[p]});
    }
  }

  const FoldedMachine& folded_;
  const topology::Machine& machine_;
  std::span<const LevelChoice> choices_;
  std::map<ClusterId, Group> groups_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;
  std::vector<std::uint32_t> key_;  // of the kind that is looked for
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
