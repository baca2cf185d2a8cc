#include "report/text_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::report {
namespace {

/// Node i hangs below parents[i - 1]; siblings in order.
std::vector<TreeNode> tree_of(const std::vector<std::uint32_t>& parents) {
  std::vector<TreeNode> nodes(parents.size() + 1);
  for (std::uint32_t node = static_cast<std::uint32_t>(parents.size()); node > 0; --node) {
    TreeNode& parent = nodes[parents[node - 1]];
    nodes[node].next_sibling = parent.first_child;
    parent.first_child = node;
  }
  return nodes;
}

std::string drawn(const std::vector<TreeLine>& lines) {
  std::string text;
  for (const TreeLine& line : lines) {
    text += line.prefix + (line.only_hidden ? "…" : std::to_string(line.node));
    if (line.hidden > 0) text += "+" + std::to_string(line.hidden);
    text += "\n";
  }
  return text;
}

TEST(TreeLines, DrawsBranches) {
  EXPECT_EQ(drawn(tree_lines(tree_of({0, 1, 1, 0}), 0)),
            "0\n"
            "├─ 1\n"
            "│  ├─ 2\n"
            "│  └─ 3\n"
            "└─ 4\n");
}

TEST(TreeLines, CountsWhatIsHiddenWhereItHangs) {
  const auto nodes = tree_of({0, 0, 0, 1, 4, 2});  // 0: 1 2 3; 1: 4; 4: 5; 2: 6
  EXPECT_EQ(drawn(tree_lines(nodes, 0, {.lines = 3})),
            "0\n"
            "├─ 1+2\n"
            "├─ 2+1\n"
            "└─ …+1\n");
}

TEST(TreeLines, DrawsWhatMustBeDrawnFirst) {
  const auto nodes = tree_of({0, 0, 1, 3, 0});
  const std::vector<std::uint32_t> always{1, 3, 4};
  EXPECT_EQ(drawn(tree_lines(nodes, 0, {.lines = 4}, always)),
            "0\n"
            "├─ 1\n"
            "│  └─ 3\n"
            "│     └─ 4\n"
            "└─ …+2\n");
}

TEST(TreeLines, CutsDeepPrefixesInFront) {
  const auto nodes = tree_of({0, 1, 2, 3});
  EXPECT_EQ(drawn(tree_lines(nodes, 0, {.indent = 1})), "0\n└─ 1\n   └─ 2\n⋯    └─ 3\n⋯    └─ 4\n");
}

TEST(TreeLines, RefusesALoop) {
  std::vector<TreeNode> loop(2);
  loop[0].first_child = 1;
  loop[1].first_child = 0;
  EXPECT_THROW((void)tree_lines(loop, 0), ContractViolation);
}

TEST(TreeLinesProperty, EveryNodeIsDrawnOrCountedOnce) {
  for_all_seeds(500, [](Random& rng) {
    std::vector<std::uint32_t> parents;
    for (std::uint64_t n = 1 + rng.below(60); parents.size() < n;) {
      parents.push_back(static_cast<std::uint32_t>(rng.below(parents.size() + 1)));
    }
    const auto nodes = tree_of(parents);
    const std::size_t budget = 1 + rng.below(70);
    std::size_t seen = 0;
    std::vector<std::uint32_t> order;
    for (const TreeLine& line : tree_lines(nodes, 0, {.lines = budget})) {
      seen += line.hidden + (line.only_hidden ? 0 : 1);
      if (!line.only_hidden) order.push_back(line.node);
    }
    ASSERT_EQ(seen, nodes.size());
    ASSERT_EQ(order.size(), std::min(budget, nodes.size()));
    for (std::size_t i = 1; i < order.size(); ++i) {  // after its parent
      ASSERT_NE(std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                          parents[order[i] - 1]),
                order.begin() + static_cast<std::ptrdiff_t>(i));
    }
  });
}

}  // namespace
}  // namespace espalier::report
