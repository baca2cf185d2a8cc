// Trees of MPI libraries, as their documents and sources describe them: Open MPI's coll/base
// topologies, MPICH's tree utilities.
#include "tuning/native_trees.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"
#include "tree/shapes.hpp"

namespace espalier::tuning {
namespace {

using tree::CommTree;
using tree::Participants;

/// Every position with its parent, in the order of positions: parents come first.
template <typename ParentOf>
CommTree tree_by_parents(const Participants& who, ParentOf parent_of) {
  CommTree result(who.machine_size, who.root);
  for (Rank position = 1; position < who.count(); ++position) {
    result.append_child(who.at(parent_of(position)), who.at(position));
  }
  return result;
}

/// The first chains are one longer where the others cannot be equal.
CommTree chains(const Participants& who, Rank fan) {
  const Rank others = who.count() - 1;
  fan = std::min(fan, std::max<Rank>(others, 1));
  const Rank shorter = others / fan, longer_chains = others % fan;
  CommTree result(who.machine_size, who.root);
  Rank position = 1;
  for (Rank chain = 0; chain < fan; ++chain) {
    const Rank length = shorter + (chain < longer_chains ? 1 : 0);
    for (Rank i = 0; i < length; ++i, ++position) {
      result.append_child(who.at(i == 0 ? 0 : position - 1), who.at(position));
    }
  }
  return result;
}

/// Position p of a level with n positions has children p + n, p + 2 n, ..., p + fan n.
CommTree strided_kary(const Participants& who, Rank fan) {
  return tree_by_parents(who, [fan](Rank position) {
    Rank first = 1, above = 1;  // the first position of the level, and how many the level above has
    while (position >= first + above * fan) {
      first += above * fan;
      above *= fan;
    }
    // Children of the level above, in order: n of its first stride, then n of the next.
    return first - above + (position - first) % above;
  });
}

}  // namespace

CommTree native_tree(NativeTree kind, Rank size, Rank root, Rank fan) {
  const Participants who = tree::everybody(size, root);
  switch (kind) {
    case NativeTree::Flat:
      return tree::flat(who);
    case NativeTree::Chains:
      expects(fan >= 1, "native_tree: chains need a fan");
      return chains(who, fan);
    case NativeTree::StridedKary:
      expects(fan >= 1, "native_tree: k-ary trees need a fan");
      return strided_kary(who, fan);
    case NativeTree::StridedBinomial:
      return tree_by_parents(who,
                             [](Rank position) { return position - std::bit_floor(position); });
    case NativeTree::Binomial:
      return tree::binomial(who);
    case NativeTree::Knomial:
      return tree::knomial(who, fan);
    case NativeTree::Kary:
      return tree::kary(who, fan);
  }
  return tree::flat(who);
}

}  // namespace espalier::tuning
