#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "map/problem.hpp"

namespace espalier::map {

/// The part of the machine's tree that some slots need: clusters with one member are left out.
struct SlotTree {
  struct Node {
    std::uint32_t depth = 0;              ///< distance from the root of this tree
    std::vector<std::uint32_t> children;  ///< indices of its children; a slot has none
    /// Slots below this node, in the order of the machine's leaves.
    std::vector<std::uint32_t> slots;
  };
  std::vector<Node> nodes;  ///< [0] is the root
  std::uint32_t depth = 0;  ///< depth of the deepest node
};

[[nodiscard]] inline SlotTree slot_tree(const Problem& problem, std::vector<std::uint32_t> slots) {
  std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
    return problem.slots[a].leaf < problem.slots[b].leaf;
  });
  std::vector<std::vector<std::uint32_t>> paths(problem.slots.size());
  for (const std::uint32_t s : slots) {
    paths[s] = problem.machine().member_path(problem.slots[s].leaf);
  }
  SlotTree tree;
  struct OpenNode {
    std::uint32_t node;
    std::size_t level;
  };
  tree.nodes.push_back({0, {}, std::move(slots)});
  std::vector<OpenNode> open{{0, 0}};
  while (!open.empty()) {
    const OpenNode part = open.back();
    open.pop_back();
    const std::vector<std::uint32_t> here = tree.nodes[part.node].slots;
    if (here.size() <= 1) continue;
    std::vector<std::vector<std::uint32_t>> members;
    std::size_t level = part.level;
    for (; members.size() <= 1; ++level) {
      members.clear();
      std::uint32_t last = 0;
      for (const std::uint32_t s : here) {
        const std::uint32_t index = level < paths[s].size() ? paths[s][level] : 0;
        if (members.empty() || index != last) members.emplace_back();
        members.back().push_back(s);
        last = index;
      }
    }
    for (auto& member : members) {
      const auto child = static_cast<std::uint32_t>(tree.nodes.size());
      const std::uint32_t depth = tree.nodes[part.node].depth + 1;
      tree.depth = std::max(tree.depth, depth);
      tree.nodes.push_back({depth, {}, std::move(member)});
      tree.nodes[part.node].children.push_back(child);
      open.push_back({child, level});
    }
  }
  return tree;
}

}  // namespace espalier::map
