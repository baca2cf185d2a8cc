#include "tree/double_binary.hpp"

#include <bit>

#include "base/contract.hpp"

namespace espalier::tree {
namespace {

/// Below the root, a binary tree over places 1 .. count whose in-order walk is 1, 2, 3, ...: a
/// place is as high as it has trailing zeros, so the odd ones are leaves. Place i is position
/// i - shift, around the end.
void append_in_order(CommTree& tree, const Participants& who, Rank count, Rank shift) {
  if (count == 0) return;
  const auto rank_of = [&](std::uint64_t place) {
    return who.at(static_cast<Rank>((place + count - 1 - shift) % count) + 1);
  };
  const std::uint64_t top = std::bit_floor(std::uint64_t{count});
  tree.append_child(who.root, rank_of(top));
  for (std::uint64_t step = top; step > 1; step /= 2) {
    for (std::uint64_t place = step; place <= count; place += 2 * step) {
      tree.append_child(rank_of(place), rank_of(place - step / 2));
      // The right child is the top of what is left between this place and the next higher one.
      std::uint64_t below = step / 2;
      while (below > 0 && place + below > count) below /= 2;
      if (below > 0) tree.append_child(rank_of(place), rank_of(place + below));
    }
  }
}

/// The rank whose step depends on that of `rank` because one sender serves both in `tree`.
Rank sibling(const CommTree& tree, Rank rank) {
  const Rank first = tree.first_child(tree.parent(rank));
  return first == rank ? tree.next_sibling(first) : first;
}

}  // namespace

// P. Sanders, J. Speck, J. L. Traeff: "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", Parallel Computing 35(12), 2009, sections 2 and 3. The paper makes the second tree by
// mirroring or by shifting, depending on the parity of P; shifting alone serves both.
DoubleTree double_binary(const Participants& who) {
  DoubleTree trees{CommTree(who.machine_size, who.root), CommTree(who.machine_size, who.root)};
  append_in_order(trees.first, who, who.count() - 1, 0);
  append_in_order(trees.second, who, who.count() - 1, 1);
  return trees;
}

// The paper colours in O(log P) for each rank by itself; a plan holds all ranks, so ours walks.
// Let x(r) be the step of r's receive in the first tree, 1 - x(r) that in the second. Two children
// of one sender in one tree must differ in x; the root's two children, one in each tree, must agree
// in x. Each rank has at most two such partners: paths and even cycles, which can be walked along.
std::vector<std::uint8_t> two_colouring(const DoubleTree& trees) {
  constexpr std::uint8_t kOpen = 2;
  const CommTree& first = trees.first;
  const Rank root = first.root();
  expects(first.size() == trees.second.size() && root == trees.second.root(),
          "two_colouring: the trees differ in size or root");
  std::vector<std::uint8_t> step(first.size(), 0);
  for (Rank r = 0; r < first.size(); ++r) {
    if (first.contains(r) && r != root) step[r] = kOpen;
  }
  const auto follow = [&](Rank from, const CommTree* tree) {
    while (true) {
      const bool below_root = tree->parent(from) == root;
      const CommTree* other = tree == &first ? &trees.second : &first;
      const Rank next = below_root ? other->first_child(root) : sibling(*tree, from);
      const std::uint8_t value =
          below_root ? step[from] : static_cast<std::uint8_t>(1 - step[from]);
      if (next == kNoRank || step[next] != kOpen) return;
      step[next] = value;
      // We came to `next` through its sibling in `tree` (below the root: through its place in
      // `other`), so its remaining partner is the one in the other tree.
      if (!below_root) tree = other;
      from = next;
    }
  };
  for (Rank r = 0; r < first.size(); ++r) {
    if (step[r] != kOpen) continue;
    step[r] = 0;
    follow(r, &first);
    follow(r, &trees.second);
  }
  return step;
}

}  // namespace espalier::tree
