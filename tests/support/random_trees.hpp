#pragma once

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier {

/// A multicast from a random rank to a random subset in random order.
inline tree::Participants random_participants(Random& rng, Rank machine_size) {
  std::vector<Rank> ranks(machine_size);
  for (Rank r = 0; r < machine_size; ++r) ranks[r] = r;
  rng.shuffle(std::span(ranks));
  const auto members = 1 + rng.below(machine_size);
  return tree::multicast(machine_size, ranks[0], std::span(ranks).subspan(1, members - 1));
}

/// Any tree over the participants: each hangs below a random one before it.
inline tree::CommTree random_tree(Random& rng, const tree::Participants& who) {
  tree::CommTree result(who.machine_size, who.root);
  for (Rank p = 1; p < who.count(); ++p) {
    result.append_child(who.at(static_cast<Rank>(rng.below(p))), who.at(p));
  }
  return result;
}

/// Calls `visit(tree)` for every tree over `who` in which others are appended in their order: all
/// shapes and all orders of children, (P - 1)! trees.
template <typename Visit>
void for_all_trees(const tree::Participants& who, Visit visit) {
  std::vector<Rank> parent(who.count(), 0);
  while (true) {
    tree::CommTree tree(who.machine_size, who.root);
    for (Rank p = 1; p < who.count(); ++p) tree.append_child(who.at(parent[p]), who.at(p));
    visit(tree);
    Rank p = 1;
    while (p < who.count() && ++parent[p] == p) parent[p++] = 0;
    if (p >= who.count()) return;
  }
}

/// Members are exactly the participants, and every one hangs below the root by its parents.
inline bool spans(const tree::CommTree& tree, const tree::Participants& who) {
  if (tree.size() != who.machine_size || tree.root() != who.root) return false;
  if (tree.member_count() != who.count()) return false;
  std::vector<Rank> expected = who.others;
  expected.push_back(who.root);
  std::sort(expected.begin(), expected.end());
  std::vector<Rank> found = tree.preorder();
  std::sort(found.begin(), found.end());
  return found == expected;
}

}  // namespace espalier
