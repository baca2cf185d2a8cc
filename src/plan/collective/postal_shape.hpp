#pragma once

#include <vector>

#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "schedule/collective.hpp"

namespace espalier::collective {

/// Parent and children in the generalised Fibonacci tree of `size` ranks: everybody who has the
/// message sends it to another rank in every unit of time, which has it lambda units later. No tree
/// is faster for one message over equal links. The ranks below a child are consecutive.
///
/// A. Bar-Noy, S. Kipnis: "Designing broadcasting algorithms in the postal model for
/// message-passing systems", SPAA 1992, algorithm BCAST. There lambda may be a fraction.
/// @pre lambda_of() of a postal shape; position < size
[[nodiscard]] GroupPositions postal_positions(Rank lambda, Rank position, Rank size);

/// For each level of the machine, the shape that fits its figures for messages of so many bytes:
/// lambda is what a message takes to the next rank over what it keeps its sender busy. Binomial
/// where that is below 1.5; flat where the root is done with all others before the first of them
/// could help; else the postal tree of the nearest lambda. Each level is judged by its largest
/// cluster, the first of several. Without costs of sending levels are flat.
/// All integers, so that all ranks come to the same.
[[nodiscard]] std::vector<Shape> fitted_shapes(const Hierarchy& hierarchy, Bytes bytes);

/// Bytes of one message on the level of a call: a segment, or the whole.
[[nodiscard]] Bytes bytes_of_message(const schedule::Collective& call, std::uint64_t segment);

}  // namespace espalier::collective
