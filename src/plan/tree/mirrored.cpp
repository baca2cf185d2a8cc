#include "tree/mirrored.hpp"

#include <algorithm>

namespace espalier::tree {

CommTree mirrored(const CommTree& tree) {
  CommTree result(tree.size(), tree.root());
  for (const Rank parent : tree.preorder()) {
    std::vector<Rank> children = tree.children(parent);
    std::reverse(children.begin(), children.end());
    for (const Rank c : children) result.append_child(parent, c);
  }
  return result;
}

}  // namespace espalier::tree
