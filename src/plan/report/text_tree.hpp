#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace espalier::report {

inline constexpr std::uint32_t kNoNode = 0xffffffffU;

/// A tree to be drawn line by line, as first child and next sibling.
struct TreeNode {
  std::uint32_t first_child = kNoNode;
  std::uint32_t next_sibling = kNoNode;
};

struct TreeLine {
  std::string prefix;  ///< branches before the text, such as "│  ├─ "
  /// Node drawn on this line; parent of the hidden ones on a line of these.
  std::uint32_t node = 0;
  std::uint32_t hidden = 0;  ///< number of nodes below `node` that are not drawn and counted here
  bool only_hidden = false;  ///< this line only counts hidden nodes: `node` has its own line
};

/// Everything: no budget.
inline constexpr std::size_t kAllLines = SIZE_MAX;

struct TreeLimits {
  std::size_t lines = kAllLines;  ///< rough limit of nodes that are drawn
  std::size_t indent = 24;  ///< deepest level that is indented; deeper ones have "⋯ " in front
};

/// The lines of the tree below `root`, in depth-first order.
///
/// If it has more nodes than the limit, those nearest to the root are drawn (`always`, which must
/// hold the parent of each of its nodes, before all others). What is hidden below a node is counted
/// on its own line, or on a further one if some of its children are drawn. O(nodes).
[[nodiscard]] std::vector<TreeLine> tree_lines(std::span<const TreeNode> nodes, std::uint32_t root,
                                               const TreeLimits& limits = {},
                                               std::span<const std::uint32_t> always = {});

}  // namespace espalier::report
