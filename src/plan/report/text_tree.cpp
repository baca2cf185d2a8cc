#include "report/text_tree.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::report {
namespace {

std::vector<std::uint32_t> breadth_first(std::span<const TreeNode> nodes, std::uint32_t root) {
  std::vector<std::uint32_t> order{root};
  for (std::size_t at = 0; at < order.size(); ++at) {
    expects(order.size() <= nodes.size(), "tree_lines: a node is reached twice");
    for (std::uint32_t c = nodes[order[at]].first_child; c != kNoNode; c = nodes[c].next_sibling) {
      order.push_back(c);
    }
  }
  return order;
}

/// Which nodes are drawn: `always`, then the nearest to the root. Closed under "parent of".
std::vector<bool> choose(std::span<const TreeNode> nodes, const std::vector<std::uint32_t>& order,
                         std::size_t budget, std::span<const std::uint32_t> always) {
  std::vector<bool> drawn(nodes.size(), false);
  std::size_t used = 0;
  const auto take = [&](std::uint32_t node) {
    if (drawn[node]) return;
    drawn[node] = true;
    ++used;
  };
  take(order.front());
  for (const std::uint32_t node : always) take(node);
  for (const std::uint32_t node : order) {
    if (used >= budget) break;
    take(node);
  }
  return drawn;
}

/// For each node: how many of the nodes below it are not drawn and hang directly, or through nodes
/// that are not drawn either, below it.
std::vector<std::uint32_t> count_hidden(std::span<const TreeNode> nodes,
                                        const std::vector<std::uint32_t>& order,
                                        const std::vector<bool>& drawn) {
  std::vector<std::uint32_t> hidden(nodes.size(), 0);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // children before parents
    for (std::uint32_t c = nodes[*it].first_child; c != kNoNode; c = nodes[c].next_sibling) {
      if (!drawn[c]) hidden[*it] += 1 + hidden[c];
    }
  }
  return hidden;
}

/// The open branches to the left of a line: true where more siblings follow further down.
class Prefix {
 public:
  explicit Prefix(std::size_t indent) : indent_(indent) {}

  [[nodiscard]] std::string before(std::size_t depth, bool is_last) const {
    if (depth == 0) return "";
    const std::size_t first = depth - 1 > indent_ ? depth - 1 - indent_ : 0;
    std::string text = first > 0 ? "⋯ " : "";
    for (std::size_t d = first; d + 1 < depth; ++d) text += open_[d] ? "│  " : "   ";
    return text + (is_last ? "└─ " : "├─ ");
  }
  void enter(std::size_t depth, bool is_last) {
    if (depth == 0) return;
    open_.resize(depth);
    open_[depth - 1] = !is_last;
  }

 private:
  std::size_t indent_;
  std::vector<bool> open_;
};

}  // namespace

std::vector<TreeLine> tree_lines(std::span<const TreeNode> nodes, std::uint32_t root,
                                 const TreeLimits& limits, std::span<const std::uint32_t> always) {
  expects(root < nodes.size(), "tree_lines: the root is not a node");
  const std::vector<std::uint32_t> order = breadth_first(nodes, root);
  const std::vector<bool> drawn = choose(nodes, order, limits.lines, always);
  const std::vector<std::uint32_t> hidden = count_hidden(nodes, order, drawn);

  struct Item {
    std::uint32_t node;
    std::size_t depth;
    bool is_last;
    bool only_hidden;
  };
  std::vector<TreeLine> lines;
  std::vector<Item> stack{{root, 0, true, false}};
  Prefix prefix(limits.indent);
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    lines.push_back(
        {prefix.before(item.depth, item.is_last), item.node, hidden[item.node], item.only_hidden});
    if (item.only_hidden) continue;
    prefix.enter(item.depth, item.is_last);
    std::vector<Item> below;
    for (std::uint32_t c = nodes[item.node].first_child; c != kNoNode; c = nodes[c].next_sibling) {
      if (drawn[c]) below.push_back({c, item.depth + 1, false, false});
    }
    if (below.empty()) continue;
    if (hidden[item.node] > 0) {
      lines.back().hidden = 0;  // the further line tells
      below.push_back({item.node, item.depth + 1, false, true});
    }
    below.back().is_last = true;
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  return lines;
}

}  // namespace espalier::report
