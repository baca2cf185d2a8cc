#pragma once

#include "base/types.hpp"
#include "measure/measured.hpp"
#include "topology/machine.hpp"

namespace espalier::measure {

/// What no plan can beat in the lab: the machine's lower bound, with the bytes that TCP and
/// Ethernet add to those of a message (1538 on the wire for 1448), as the lab's links count them.
///
/// Where the machine's processes have costs for each byte (sends, receives, reductions), which
/// headers do not have, the message's own bytes are counted: lower, so still a bound.
[[nodiscard]] Time wire_bound(const topology::Machine& machine, const MeasuredCall& call);

}  // namespace espalier::measure
