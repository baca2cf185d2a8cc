#include "collective/whole_trees.hpp"

namespace espalier::collective {

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
      const std::vector<Rank> masters = hierarchy.masters_of_members(cluster, root);
      const auto size = static_cast<Rank>(masters.size());
      for (Rank position = 0; position < size; ++position) {
        const auto here = positions_in_group(choices[depth].shape, position, size);
        for (const Rank child : here.children) edges.push_back({masters[position], masters[child]});
      }
    }
  }
  return cost::tree_of_edges(machine.size(), edges);
}

cost::WholeTree participants_tree(Rank size, std::span<const Rank> participants, Shape shape) {
  cost::TreeEdgeList edges;
  const auto members = static_cast<Rank>(participants.size());
  for (Rank position = 0; position < members; ++position) {
    for (const Rank child : positions_in_group(shape, position, members).children) {
      edges.push_back({participants[position], participants[child]});
    }
  }
  return cost::tree_of_edges(size, edges);
}

}  // namespace espalier::collective
