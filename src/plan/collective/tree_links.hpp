#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "schedule/program_builder.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::collective {

/// One edge of a tree, seen from one of its ends.
struct TreeEdge {
  Rank peer = kNoRank;
  std::uint64_t segment = 0;  ///< units of one message; 0: the whole vector in one message
  friend bool operator==(const TreeEdge&, const TreeEdge&) = default;
};

/// A rank's own part of a tree: all it needs to build its own program.
struct TreeLinks {
  TreeEdge parent;                 ///< parent.peer == kNoRank: this rank is the root
  std::vector<TreeEdge> children;  ///< order of sending
  friend bool operator==(const TreeLinks&, const TreeLinks&) = default;
};

/// The links of a rank in a tree of all ranks, every edge with the same segments.
[[nodiscard]] TreeLinks links_of(const tree::CommTree& tree, Rank rank, std::uint64_t segment);

/// Passes `region` of this rank down the tree: each segment goes on as soon as it is here, so
/// segments pipeline through all levels, also where the levels cut them differently.
///
/// The root's region is complete before. Messages: one for each segment and edge. Time of S
/// segments over depth d: about (d + S) segment times of the slowest edge, not d * S.
/// @pre region is a plain slice
void tree_broadcast(schedule::ProgramBuilder& program, const TreeLinks& links,
                    const schedule::Region& region);

/// The part of `region` that is segment s of a link, and how many there are (at least one: an empty
/// message still has to be told).
[[nodiscard]] schedule::Region segment_of(const schedule::Region& region, std::uint64_t segment,
                                          std::uint64_t s);
[[nodiscard]] std::uint64_t segment_count(const schedule::Region& region, std::uint64_t segment);

/// The mirror of tree_broadcast: contributions come up the tree and are combined on the way.
///
/// This rank contributes `own`; at the root the result is in `result` afterwards. An inner rank
/// that has no user buffer for it combines in scratch. Received segments wait in a few slots a
/// child, so memory does not grow with the number of children times the message. For operations
/// that commute: what a sub-tree combines is in the order of arrival of the tree, the same on every
/// run.
/// @param result where to combine: Out, or nothing (length 0) at a rank that has none
/// @pre own and result are plain slices; result.length is own.length or 0
void tree_reduce(schedule::ProgramBuilder& program, const TreeLinks& links,
                 const schedule::Region& own, schedule::Region result);

}  // namespace espalier::collective
