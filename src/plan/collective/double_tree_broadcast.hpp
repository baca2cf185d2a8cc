#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// One half of the message goes down each of two binary trees, in segments; who is inside in one is
/// a leaf of the other, so everybody sends and receives all the time.
///
/// P. Sanders, J. Speck, J. L. Traeff: "Two-tree algorithms for full bandwidth broadcast, reduction
/// and scan", Parallel Computing 35(12), 2009: 2Tree. See tree/double_binary.hpp for the trees and
/// the order in which they send.
///
/// Steps: about 2 (log2 P + segments of a half). Sent a rank: at most the message, by the root
/// too. No scratch.
/// @param region  the message: complete at the root before, everywhere afterwards. A plain slice
/// @param segment units; 0: each half in one
void double_tree_broadcast(schedule::ProgramBuilder& program, const Participants& participants,
                           Rank root, const schedule::Region& region, std::uint64_t segment);

}  // namespace espalier::collective
