#pragma once

#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::runtime {

/// Which block of a call each unit of a message or local step is, in the order of its region.
using Blocks = std::vector<std::uint32_t>;

/// For one rank: by op, by message of the op (a local step has one).
using BlocksOfRank = std::vector<std::vector<Blocks>>;

/// Runs the block form of a reduce-scatter on the numbers of its blocks, all ranks of it, and notes
/// what passes through one: what a unit of scratch holds only its senders know.
///
/// O(units moved by all ranks): it needs every rank's program, unlike all other planning.
/// @pre call.irregular(), a reduce-scatter; the programs make up a verified schedule
[[nodiscard]] BlocksOfRank blocks_through(const schedule::Collective& call, Rank rank,
                                          const std::vector<schedule::Program>& programs);

}  // namespace espalier::runtime
