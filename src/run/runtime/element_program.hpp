#pragma once

#include <functional>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::runtime {

/// Which block of a call each unit of a message or local step is, in the order of its region.
using Blocks = std::vector<std::uint32_t>;

/// What passes through one rank: [op][message of the op]; a local step has one.
using BlocksOfRank = std::vector<std::vector<Blocks>>;

/// Runs the block form of a reduce-scatter on the numbers of its blocks, all ranks of it, and notes
/// what passes through one: what a unit of scratch holds only its senders know.
///
/// O(units moved by all ranks): it needs every rank's program, unlike all other planning.
/// @pre call.irregular(), a reduce-scatter; the programs make up a verified schedule
[[nodiscard]] BlocksOfRank blocks_through(const schedule::Collective& call, Rank rank,
                                          const std::vector<schedule::Program>& programs);

/// A rank's part of a reduce-scatter whose blocks differ in length and whose lengths all ranks know
/// (MPI_Reduce_scatter), in elements: In is all blocks side by side, Out the rank's own, and every
/// unit of scratch is as long as the longest block that it ever holds. Same steps, messages and
/// dependencies as the block form; families of messages are spelled out.
///
/// O(units moved by all ranks), see blocks_through().
/// @pre call.irregular(), a reduce-scatter that program_of(r) is rank r's part of
[[nodiscard]] schedule::Program element_program(
    const schedule::Collective& call, Rank rank,
    const std::function<schedule::Program(Rank)>& program_of);

}  // namespace espalier::runtime
