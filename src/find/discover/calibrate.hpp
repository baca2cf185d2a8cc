#pragma once

#include "discover/found.hpp"

namespace espalier::discover {

/// Measures how many bytes pass: fills in out, in and flow_cap of all that was found.
///
/// From the inside out. In each cluster every member sends once and receives once, at the same time
/// only where no uplink is shared. Then several nodes of one member send together: if they get no
/// more than one of them alone, that is the capacity of the uplink; if they do, one flow has a cap
/// of its own (as far as it is not the nodes' own links), and together they show what the uplink
/// carries at least. A node that is slow both ways round is told from its partner by a third one.
///
/// Stops at the deadline; what is not measured stays unlimited.
/// @return whether all was measured
Expected<bool> calibrate(Prober& prober, FoundCluster& whole, std::span<const NodeCost> costs,
                         Time until);

}  // namespace espalier::discover
