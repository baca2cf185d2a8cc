#pragma once

#include <span>

#include "topology/machine.hpp"

namespace espalier::topology {

/// The part of a machine that some of its ranks see: rank r of the result stands where ranks[r]
/// stood. Clusters without any of them are gone, and so are the outermost levels that join nothing
/// any more; paths between the ranks that are left cost what they cost before. (Uplinks and
/// backbones of what is left keep their capacities: who else uses them is not known here.)
///
/// O(processes + clusters of the whole machine).
/// @pre ranks is not empty, holds ranks of the machine, none twice
[[nodiscard]] Machine restrict_machine(const Machine& machine, std::span<const Rank> ranks);

}  // namespace espalier::topology
