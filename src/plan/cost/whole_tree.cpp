#include "cost/whole_tree.hpp"

namespace espalier::cost {

WholeTree tree_of_edges(Rank size, const TreeEdgeList& edges) {
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

WholeTree whole_tree(const tree::CommTree& tree, std::span<const Rank> order) {
  const auto rank = [&](Rank position) { return order.empty() ? position : order[position]; };
  TreeEdgeList edges;
  for (Rank p = 0; p < tree.size(); ++p) {
    for (const Rank child : tree.children(p)) edges.push_back({rank(p), rank(child)});
  }
  return tree_of_edges(tree.size(), edges);
}

}  // namespace espalier::cost
