#include "collective/whole_trees.hpp"

namespace espalier::collective {

namespace {

/// @param masters Hierarchy::masters_of_members()
std::vector<Rank> in_chain(const Hierarchy& hierarchy, topology::ClusterId id,
                           const std::vector<Rank>& masters) {
  const topology::Machine& machine = hierarchy.machine();
  const std::uint32_t first =
      member_with(machine, machine.clusters()[id], machine.leaf_of(masters.front()));
  std::vector<Rank> ordered;
  for (const std::uint32_t member : hierarchy.chain_from(id, first)) {
    ordered.push_back(masters[(member + masters.size() - first) % masters.size()]);
  }
  return ordered.empty() ? masters : ordered;
}

}  // namespace

cost::WholeTree multilevel_tree(const Hierarchy& hierarchy, std::span<const LevelChoice> choices,
                                Rank root, std::uint32_t from_level) {
  const topology::Machine& machine = hierarchy.machine();
  // Outer groups first: that is the order in which a rank sends.
  std::vector<std::vector<topology::ClusterId>> of_depth(machine.levels().size());
  for (topology::ClusterId c = 0; c < machine.clusters().size(); ++c) {
    of_depth[machine.clusters()[c].depth].push_back(c);
  }
  cost::TreeEdgeList edges;
  edges.reserve(machine.size());
  for (std::uint32_t depth = from_level; depth < of_depth.size(); ++depth) {
    for (const topology::ClusterId cluster : of_depth[depth]) {
      const Shape shape = choices[depth].shape;
      const std::vector<Rank> masters = hierarchy.masters_of_members(cluster, root);
      add_tree(edges, shape == Shape::Chain ? in_chain(hierarchy, cluster, masters) : masters,
               shape);
    }
  }
  return cost::tree_of_edges(machine.size(), edges);
}

void add_tree(cost::TreeEdgeList& edges, std::span<const Rank> participants, Shape shape) {
  const auto members = static_cast<Rank>(participants.size());
  for (Rank position = 0; position < members; ++position) {
    for (const Rank child : positions_in_group(shape, position, members).children) {
      edges.push_back({participants[position], participants[child]});
    }
  }
}

cost::WholeTree participants_tree(Rank size, std::span<const Rank> participants, Shape shape) {
  cost::TreeEdgeList edges;
  add_tree(edges, participants, shape);
  return cost::tree_of_edges(size, edges);
}

}  // namespace espalier::collective
