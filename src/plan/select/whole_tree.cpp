#include "select/whole_tree.hpp"

#include <algorithm>
#include <utility>

namespace espalier::select {
namespace {

using Edge = std::pair<Rank, Rank>;  // parent, child

/// @param edges of one parent in the order of its sending
WholeTree from_edges(Rank size, std::span<const Edge> edges) {
  WholeTree tree;
  tree.parent.assign(size, kNoRank);
  tree.first.assign(size + 1, 0);
  tree.children.resize(edges.size());
  for (const auto& [parent, child] : edges) {
    tree.parent[child] = parent;
    ++tree.first[parent + 1];
  }
  for (Rank r = 0; r < size; ++r) tree.first[r + 1] += tree.first[r];
  std::vector<std::uint32_t> next(tree.first.begin(), tree.first.end() - 1);
  for (const auto& [parent, child] : edges) tree.children[next[parent]++] = child;
  tree.order.reserve(size);
  for (Rank r = 0; r < size; ++r) {
    if (tree.parent[r] == kNoRank) tree.order.push_back(r);
  }
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    for (const Rank child : tree.children_of(tree.order[i])) tree.order.push_back(child);
  }
  tree.subtree.assign(size, 1);
  for (std::size_t i = tree.order.size(); i-- > 0;) {
    const Rank rank = tree.order[i];
    if (tree.parent[rank] != kNoRank) tree.subtree[tree.parent[rank]] += tree.subtree[rank];
  }
  return tree;
}

}  // namespace

WholeTree multilevel_tree(const collective::Hierarchy& hierarchy,
                          std::span<const collective::LevelChoice> choices, Rank root,
                          std::uint32_t from_level) {
  const topology::Machine& machine = hierarchy.machine();
  // Outer groups first: that is the order in which a rank sends.
  std::vector<std::vector<topology::ClusterId>> of_depth(machine.levels().size());
  for (topology::ClusterId c = 0; c < machine.clusters().size(); ++c) {
    of_depth[machine.clusters()[c].depth].push_back(c);
  }
  std::vector<Edge> edges;
  edges.reserve(machine.size());
  for (std::uint32_t depth = from_level; depth < of_depth.size(); ++depth) {
    for (const topology::ClusterId cluster : of_depth[depth]) {
      const std::vector<Rank> masters = hierarchy.masters_of_members(cluster, root);
      const auto size = static_cast<Rank>(masters.size());
      for (Rank position = 0; position < size; ++position) {
        const auto here = collective::positions_in_group(choices[depth].shape, position, size);
        for (const Rank child : here.children) edges.push_back({masters[position], masters[child]});
      }
    }
  }
  return from_edges(machine.size(), edges);
}

WholeTree participants_tree(Rank size, std::span<const Rank> participants,
                            collective::Shape shape) {
  std::vector<Edge> edges;
  const auto members = static_cast<Rank>(participants.size());
  for (Rank position = 0; position < members; ++position) {
    for (const Rank child : collective::positions_in_group(shape, position, members).children) {
      edges.push_back({participants[position], participants[child]});
    }
  }
  return from_edges(size, edges);
}

WholeTree whole_tree(const tree::CommTree& tree, std::span<const Rank> order) {
  const auto rank = [&](Rank position) { return order.empty() ? position : order[position]; };
  std::vector<Edge> edges;
  for (Rank p = 0; p < tree.size(); ++p) {
    for (const Rank child : tree.children(p)) edges.push_back({rank(p), rank(child)});
  }
  return from_edges(tree.size(), edges);
}

}  // namespace espalier::select
