#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collective/participants.hpp"
#include "collective/tree_links.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Ranks first .. last, without a gap.
struct RankRun {
  Rank first = 0;
  Rank last = 0;
  friend bool operator==(const RankRun&, const RankRun&) = default;
};

/// The maximal runs of consecutive ranks in a set. @pre no rank stands twice
[[nodiscard]] std::vector<RankRun> runs_of(std::vector<Rank> ranks);

/// Reduction up a tree for operations that do not commute, whatever the placement of the ranks.
///
/// Only neighbouring runs of ranks may be combined, so a sub-tree whose ranks are not one run sends
/// one partial result for each of its runs: under cyclic placement more bytes cross (48 ranks in
/// turn over three machines: 16 partial results from each). All combine from the left:
/// ((r op r+1) op r+2) ... within what a rank has at hand.
///
/// @param runs_of_child for each child of `links`, the runs of its whole sub-tree, in rank order
/// @param result at the root, where the one remaining run ends up; elsewhere of length 0
/// @pre own and result are plain slices; segments of all links are equal
void ordered_reduce(schedule::ProgramBuilder& program, const TreeLinks& links,
                    std::span<const std::vector<RankRun>> runs_of_child,
                    const schedule::Region& own, const schedule::Region& result);

/// Partial results side by side: that of run i is [offset + slots[i] * stride, + length).
struct RunSlots {
  schedule::Buffer buffer = schedule::Buffer::In;
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;
  schedule::IndexSet slots;  ///< one slot for each run, in rank order
};

/// ordered_reduce() where the tree does not hold all ranks, so that several runs may remain at its
/// root: it is told where they are. Elsewhere there are none.
[[nodiscard]] RunSlots ordered_reduce_to_runs(schedule::ProgramBuilder& program,
                                              const TreeLinks& links,
                                              std::span<const std::vector<RankRun>> runs_of_child,
                                              const schedule::Region& own);

/// The units of a vector that a member of the participants are to have the result of: `unit` units
/// each from offset + i * unit on, for each i of the set.
struct VectorShare {
  std::uint64_t offset = 0;
  std::uint64_t unit = 0;
  schedule::IndexSet indices = schedule::IndexSet::single(0);
};

/// Reduces vectors over the participants where each member has one partial result for each of
/// several runs of ranks: everybody sends everybody the receiver's share of all its runs, and
/// combines all runs in rank order from the left. One latency, S(S-1) messages.
///
/// With the whole vector as everybody's share it is an allreduce with the same bits everywhere, for
/// operations that do not commute too; with shares of their own a reduce-scatter.
/// @param runs_of for each member the runs that it has, in rank order
/// @param mine    where this member's are
/// @param share_of of each member
/// @param result  where this member's share of the result goes, as one slice
void exchange_runs(schedule::ProgramBuilder& program, const Participants& participants,
                   std::span<const std::vector<RankRun>> runs_of, const RunSlots& mine,
                   const std::function<VectorShare(Rank position)>& share_of,
                   const schedule::Region& result);

}  // namespace espalier::collective
