#pragma once

#include <cstddef>

#include "group/message.hpp"

namespace espalier::group {

/// How the ranks of a group lie on its tree.
enum class Numbering : std::uint8_t {
  World,     ///< breadth-first, and every id is a rank: each process reaches each
  Heap,      ///< breadth-first: the children of i are k i + 1 .. k i + k
  Preorder,  ///< depth-first: a sub-tree holds consecutive ranks
};

/// One process's view of a group: all that it stores of it once it is made.
///
/// O(k): size, own rank, and the ids of the tree's neighbours.
struct GroupView {
  Tag tag = 0;  ///< name of the group in messages; any value if nobody routes through the group
  Rank size = 0;
  Rank rank = kNoRank;
  Id parent = kNobody;  ///< id of the parent; kNobody at the root
  std::uint16_t degree = 2;
  std::uint16_t depth = 0;  ///< distance from the tree's root
  Numbering numbering = Numbering::World;
  Words children;  ///< ids of the children
  Words below;     ///< Preorder: how many ranks each child's sub-tree has
  Words links;     ///< routable groups only: ids of ranks (k i + c) mod m, c = 1 .. k

  [[nodiscard]] bool member() const { return rank != kNoRank; }
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(GroupView) + children.bytes_on_heap() + below.bytes_on_heap() +
           links.bytes_on_heap();
  }
};

/// The group of all processes; nothing is sent for it. @pre id < size, degree > 0
[[nodiscard]] GroupView world_view(Id id, Rank size, Rank degree);

/// The next process on the way to a rank of the group, itself if that is this one's.
///
/// World: one hop. Routable groups: at most ceil(log_k m) hops, spread over all (a generalised de
/// Bruijn graph: M. Imase, M. Itoh, "Design to minimize diameter on building-block network", IEEE
/// Transactions on Computers 1981). Others: along the tree, through its root more often than not.
[[nodiscard]] Id next_hop(const GroupView& view, Id self, Rank target);

/// Hops between two ranks of a routable group.
[[nodiscard]] std::uint32_t link_hops(Rank from, Rank target, Rank size, Rank degree);

/// Depth of a rank in a breadth-first numbered k-ary tree: equation (1) of the paper.
[[nodiscard]] std::uint32_t heap_depth(Rank rank, Rank degree);
/// Vertices below and with `rank` in the breadth-first numbered k-ary tree of `size` vertices.
[[nodiscard]] Rank heap_below(Rank rank, Rank size, Rank degree);
/// Most vertices of a k-ary tree with so many levels: equation (2); never more than 2^31.
[[nodiscard]] Rank capacity(std::uint32_t levels, Rank degree);
/// Least number of levels for so many vertices.
[[nodiscard]] std::uint32_t least_levels(Rank size, Rank degree);

}  // namespace espalier::group
