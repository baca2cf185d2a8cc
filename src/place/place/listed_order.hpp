#pragma once

#include "map/problem.hpp"

namespace espalier::place {

/// The placement with the processes of hosts that are alike exchanged whole: the host that is
/// listed first gets the lowest rank, idle hosts come last. Hosts are alike if they are members of
/// one cluster and have equal figures. Hosts with pinned processes keep theirs.
///
/// Links between two members alone are not looked at: predict the result anew before it is taken.
[[nodiscard]] map::Placement in_listed_order(const map::Problem& problem,
                                             const map::Placement& placement);

}  // namespace espalier::place
