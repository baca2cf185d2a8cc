#include <algorithm>

#include "tree/irregular.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {

Bytes largest_bundle(const CommTree& tree, std::span<const Bytes> bytes) {
  const std::vector<Bytes> below = subtree_bytes(tree, bytes);
  Bytes most;
  for (const Rank r : tree.preorder()) {
    if (r != tree.root()) most = std::max(most, Bytes{below[r].value - bytes[r].value});
  }
  return most;
}

CommTree with_bounded_bundles(const CommTree& tree, std::span<const Bytes> bytes, Bytes limit) {
  std::vector<Bytes> below = subtree_bytes(tree, bytes);
  std::vector<std::vector<Rank>> children(tree.size());
  const std::vector<Rank> parents_first = tree.preorder();
  // From the leaves up; what is handed over joins a list that is looked at later.
  for (auto it = parents_first.rbegin(); it != parents_first.rend(); ++it) {
    std::vector<Rank>& kept = children[*it];
    for (Rank c = tree.first_child(*it); c != kNoRank; c = tree.next_sibling(c)) {
      std::vector<Rank> handed_over = std::move(children[c]);
      const auto own = std::find(handed_over.begin(), handed_over.end(), kNoRank);
      kept.push_back(c);
      kept.insert(kept.end(), own + 1, handed_over.end());
      children[c].assign(handed_over.begin(), own);
    }
    std::vector<Rank> by_length = kept;
    std::stable_sort(by_length.begin(), by_length.end(),
                     [&](Rank a, Rank b) { return below[a] > below[b]; });
    std::vector<Rank> handed_over;
    for (const Rank c : by_length) {
      if (*it == tree.root() || below[*it].value - bytes[*it].value <= limit.value) break;
      below[*it].value -= below[c].value;
      handed_over.push_back(c);
      std::erase(kept, c);
    }
    if (*it == tree.root()) break;
    kept.push_back(kNoRank);  // its own ones | its parent's
    kept.insert(kept.end(), handed_over.begin(), handed_over.end());
  }
  CommTree result(tree.size(), tree.root());
  std::vector<Rank> todo{tree.root()};
  while (!todo.empty()) {
    const Rank parent = todo.back();
    todo.pop_back();
    for (const Rank c : children[parent]) {
      result.append_child(parent, c);
      todo.push_back(c);
    }
  }
  return result;
}

}  // namespace espalier::tree
