#pragma once

#include <span>
#include <vector>

#include "collective/hierarchy.hpp"
#include "collective/participants.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

/// The trees that a level may use among its masters. Those of radix 4 and 8 (tree/shapes.hpp) have
/// fewer generations than binomial ones, for latencies that are several sends long. Postal trees
/// are the optimum for one ratio lambda of latency and send (postal_shape.hpp), here the number
/// behind the name; lambda 1 would be the binomial tree.
enum class Shape : std::uint8_t {
  Flat,
  Chain,
  Binomial,
  Binary,
  Quadnomial,
  Octonomial,
  Postal2,
  Postal3,
  Postal5,
  Postal8,
  Postal13,
  Postal21
};
inline constexpr int kShapeCount = 12;

/// Radix of binomial trees and their kin; 0 for other shapes.
[[nodiscard]] constexpr Rank radix_of(Shape shape) {
  switch (shape) {
    case Shape::Binomial:
      return 2;
    case Shape::Quadnomial:
      return 4;
    case Shape::Octonomial:
      return 8;
    default:
      return 0;
  }
}

/// Lambda of postal trees; 0 for other shapes.
[[nodiscard]] constexpr Rank lambda_of(Shape shape) {
  switch (shape) {
    case Shape::Postal2:
      return 2;
    case Shape::Postal3:
      return 3;
    case Shape::Postal5:
      return 5;
    case Shape::Postal8:
      return 8;
    case Shape::Postal13:
      return 13;
    case Shape::Postal21:
      return 21;
    default:
      return 0;
  }
}

/// How one level works: its tree, and into how large pieces messages are cut (0: not at all).
struct LevelChoice {
  Shape shape = Shape::Binomial;
  std::uint64_t segment = 0;
  friend bool operator==(const LevelChoice&, const LevelChoice&) = default;
};

/// Parent and children by position in a group whose root has position 0, in the order of sending.
struct GroupPositions {
  Rank parent = kNoRank;
  std::vector<Rank> children;
};
[[nodiscard]] GroupPositions positions_in_group(Shape shape, Rank position, Rank size);

/// A rank's own part of one level's tree among participants; position 0 is its root.
[[nodiscard]] TreeLinks participants_links(const LevelChoice& choice,
                                           const Participants& participants);

/// A rank's own part of the multilevel tree: level by level over the masters of each cluster's
/// members, the slow levels first.
///
/// N. Karonis, B. de Supinski, I. Foster, W. Gropp, E. Lusk, J. Bresnahan: "Exploiting hierarchy in
/// parallel computer networks to optimize collective operation performance", IPDPS 2000, Figure 5.
/// There the levels run one after the other with whatever the MPI has; here they are one tree, so
/// that segments pipeline through all of them.
///
/// Whatever the root and the placement: (members - 1) edges of the tree cross the channel of a
/// cluster, so a broadcast moves its bytes (sites - 1) times over the WAN. O(members of the
/// clusters that this rank speaks in): no rank looks at the whole machine.
/// @param from_level only this level and those below it: one tree for each cluster of depth
///        from_level, rooted at its master (a lone process of a lower depth is a tree of its own)
/// @pre one choice for each level
[[nodiscard]] TreeLinks multilevel_links(const Hierarchy& hierarchy,
                                         std::span<const LevelChoice> choices, Rank root, Rank rank,
                                         std::uint32_t from_level = 0);

/// The ranks of this rank's sub-tree of that tree, itself first, then child by child: the order of
/// a bundle that is gathered up or scattered down.
[[nodiscard]] std::vector<Rank> multilevel_subtree(const Hierarchy& hierarchy,
                                                   std::span<const LevelChoice> choices, Rank root,
                                                   Rank rank, std::uint32_t from_level = 0);

}  // namespace espalier::collective
