#pragma once

#include <cstdint>
#include <vector>

#include "topology/machine.hpp"

namespace espalier::cost {

/// A number for each cluster. Clusters have the same number if they are equal down to their
/// processes, in all figures exactly (tolerance 0) and in the order of their members; what joins
/// them to the cluster around them does not count. Clusters with links of single pairs have a
/// number of their own. O(processes + clusters log clusters).
[[nodiscard]] std::vector<std::uint32_t> classes_of_clusters(const topology::Machine& machine);

}  // namespace espalier::cost
