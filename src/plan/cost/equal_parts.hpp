#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/machine.hpp"

namespace espalier::cost {

/// A number for each cluster. Clusters have the same number if they are equal down to their
/// processes, in all figures exactly (tolerance 0) and in the order of their members; what joins
/// them to the cluster around them does not count. Clusters with links of single pairs have a
/// number of their own. O(processes + clusters log clusters).
/// @param marks of each cluster: those with different marks differ; empty: none is marked
[[nodiscard]] std::vector<std::uint32_t> classes_of_clusters(
    const topology::Machine& machine, std::span<const std::uint32_t> marks = {});

/// A number for each rank: the same for processes with the same figures.
/// O(ranks * log(different processes)).
[[nodiscard]] std::vector<std::uint32_t> classes_of_processes(const topology::Machine& machine);

}  // namespace espalier::cost
