#pragma once

#include <functional>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::runtime {

/// A rank's part of a reduce-scatter whose blocks differ in length and whose lengths all ranks know
/// (MPI_Reduce_scatter), in elements: In is all blocks side by side, Out the rank's own, and every
/// unit of scratch is as long as the longest block that it ever holds. Same steps, messages and
/// dependencies as the block form; families of messages are spelled out.
///
/// O(units moved by all ranks), see block_flow.hpp.
/// @pre call.irregular(), a reduce-scatter that program_of(r) is rank r's part of
[[nodiscard]] schedule::Program element_program(
    const schedule::Collective& call, Rank rank,
    const std::function<schedule::Program(Rank)>& program_of);

}  // namespace espalier::runtime
