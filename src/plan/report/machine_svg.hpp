#pragma once

#include <string>

#include "report/draw_machine.hpp"
#include "topology/machine.hpp"

namespace espalier::report {

/// The machine as boxes in boxes: each cluster with the bar of its channel (name, latency, in the
/// colour of its level), from which its members hang by their uplinks; processes are small boxes
/// with their rank. Folded: a large machine shows equal neighbours once, as a stack, and at most
/// a dozen parts of a cluster.
[[nodiscard]] std::string machine_svg(const topology::Machine& machine, Detail detail);

}  // namespace espalier::report
