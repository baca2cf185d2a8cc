#pragma once

#include <vector>

#include "topology/machine.hpp"

namespace espalier::model {

/// Which ranks are alike: of two with the same number, a message of any length to or from any third
/// rank costs the same under every model that asks the machine (levels, hockney, lmo), since they
/// are in one innermost cluster and have equal links and costs. Different numbers mean nothing.
///
/// O(processes * different kinds in a cluster).
[[nodiscard]] std::vector<Rank> kinds_of(const topology::Machine& machine);

}  // namespace espalier::model
