#pragma once

#include <cstddef>

#include "group/group_view.hpp"
#include "model/cost_model.hpp"

namespace espalier::group {

/// How a collective gets to a root that is not the tree's own: the three ways of the paper's
/// section 2.
enum class RootWay : std::uint8_t {
  Forward,    ///< send through the tree's root: one more message, or one for each hop
  AnyVertex,  ///< use the same tree, with its edges directed from or to that vertex
  OwnTree,    ///< build another tree with that root at its first use
};

/// Forward or AnyVertex, whichever takes fewer steps; every member computes the same. The distance
/// to the tree's root is the depth on the tree, one hop in the world, or the length of a route in a
/// routable group.
[[nodiscard]] RootWay cheaper_root_way(const GroupView& view, Rank root);

/// A degree for a group's tree, a segment for its collectives, and what a broadcast then takes.
struct TreeChoice {
  Rank degree = 2;
  std::size_t segment_bytes = 0;  ///< length of a segment; 0: whole messages
  Time time;
};

/// The time of a pipelined broadcast on a full k-ary tree, all messages at the cost of one between
/// the farthest ranks: (levels - 1) times the way to the last of k children, and for each further
/// segment what a vertex spends on its children. segment_bytes = 0: one segment.
[[nodiscard]] Time tree_broadcast_time(Rank members, Bytes size, Rank degree,
                                       std::size_t segment_bytes, const model::CostModel& model);

/// The fastest of degrees 2 to 16 and segments of powers of two from 256 bytes on; ties to the
/// lower degree, then to the larger segment. The same on every process.
[[nodiscard]] TreeChoice choose_tree(Rank members, Bytes size, const model::CostModel& model);

/// The fastest segment for a tree that exists already.
[[nodiscard]] TreeChoice choose_segment(Rank members, Bytes size, Rank degree,
                                        const model::CostModel& model);

/// Broadcasts or reductions with one root.
struct RootUse {
  Rank root = 0;
  Bytes size;
  std::uint32_t calls = 1;
  std::size_t segment_bytes = 0;  ///< length of a segment; 0: whole messages
  bool settled = false;           ///< a construction ends with a barrier (SplitOptions::settled)
};

/// Estimated time of all calls done this way, with the construction of a tree if one is needed. It
/// uses only what every member knows, so all decide alike: all messages cost as much as between the
/// farthest ranks; a depth that only the root knows (Numbering::Preorder) counts as the least
/// height.
[[nodiscard]] Time root_time(RootWay way, const GroupView& view, const RootUse& use,
                             const model::CostModel& model);

/// The fastest way; ties to the earlier one of the enumeration.
/// @pre use.root < view.size
[[nodiscard]] RootWay choose_root(const GroupView& view, const RootUse& use,
                                  const model::CostModel& model);

}  // namespace espalier::group
