#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collective/ordered_reduce.hpp"
#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// The units of a vector that a member of the participants are to have the result of: `unit` units
/// each from offset + i * unit on, for each i of the set.
struct Share {
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
                   const std::function<Share(Rank position)>& share_of,
                   const schedule::Region& result);

}  // namespace espalier::collective
