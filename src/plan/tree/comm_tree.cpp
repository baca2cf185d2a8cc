#include "tree/comm_tree.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::tree {

CommTree::CommTree(Rank size, Rank root) : links_(size), root_(root) {
  expects(root < size, "CommTree: the root is not one of the ranks");
  links_[root].parent = root;
}

void CommTree::append_child(Rank parent, Rank child) {
  expects(parent < size() && child < size(), "CommTree::append_child: no such rank");
  expects(contains(parent), "CommTree::append_child: the parent is not in the tree");
  expects(!contains(child), "CommTree::append_child: the child is in the tree already");
  Links& up = links_[parent];
  links_[child].parent = parent;
  (up.last_child == kNoRank ? up.first_child : links_[up.last_child].next_sibling) = child;
  up.last_child = child;
  ++member_count_;
}

Rank CommTree::parent(Rank rank) const {
  expects(rank < size() && contains(rank), "CommTree::parent: not in the tree");
  return links_[rank].parent;
}

std::vector<Rank> CommTree::children(Rank rank) const {
  std::vector<Rank> found;
  for (Rank c = first_child(rank); c != kNoRank; c = next_sibling(c)) found.push_back(c);
  return found;
}

std::vector<Rank> CommTree::preorder() const {
  std::vector<Rank> order;
  order.reserve(member_count_);
  Rank at = root_;
  while (true) {
    order.push_back(at);
    if (first_child(at) != kNoRank) {
      at = first_child(at);
      continue;
    }
    while (at != root_ && next_sibling(at) == kNoRank) at = links_[at].parent;
    if (at == root_) return order;
    at = next_sibling(at);
  }
}

Rank CommTree::height() const {
  std::vector<Rank> depth(size(), 0);
  Rank deepest = 0;
  for (const Rank r : preorder()) {
    if (r == root_) continue;
    depth[r] = depth[links_[r].parent] + 1;
    deepest = std::max(deepest, depth[r]);
  }
  return deepest;
}

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
