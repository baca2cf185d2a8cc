#pragma once

#include <span>
#include <vector>

#include "collective/links.hpp"
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
void ordered_reduce(schedule::ProgramBuilder& program, const Links& links,
                    std::span<const std::vector<RankRun>> runs_of_child,
                    const schedule::Region& own, const schedule::Region& result);

/// Partial results side by side: that of run i is [offset + slots[i] * stride, + length).
struct RunSlots {
  schedule::Buffer buffer = schedule::Buffer::In;
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;
  schedule::IndexSet slots;  ///< one for each run, in rank order
};

/// The same where the tree does not hold all ranks, so that several runs may remain at its root: it
/// is told where they are. Elsewhere there are none.
[[nodiscard]] RunSlots ordered_reduce_to_runs(schedule::ProgramBuilder& program, const Links& links,
                                              std::span<const std::vector<RankRun>> runs_of_child,
                                              const schedule::Region& own);

}  // namespace espalier::collective
