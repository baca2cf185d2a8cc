#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::runtime {

/// Most clusters that a process may be in, one inside the other.
inline constexpr std::size_t kMostNamedClusters = 8;
/// Longest value of ESPALIER_CLUSTERS.
inline constexpr std::size_t kMostClusterText = 256;

/// ESPALIER_CLUSTERS of one process: the names of the clusters that it is in, the outermost first:
/// "anl/sp2". Blanks around a name do not count.
///
/// Refuses: no name at all, an empty name, more than kMostNamedClusters, brackets, commas and
/// control characters, which names of machines cannot have.
Expected<std::vector<std::string>> clusters_from(std::string_view text);

/// The text of ESPALIER_CLUSTERS as it stands in the environment: itself, or, behind an "@", the
/// first line of a file on this host. What cannot be read is a text that clusters_from() refuses.
[[nodiscard]] std::string cluster_text(const std::string& value);

/// The machine that all processes name together: clusters in clusters, nodes in the innermost of
/// them, with figures of ordinary clusters. Depths may differ. Processes of one node that name
/// different clusters are taken to be on two nodes.
///
/// @param texts of each rank; empty: it names none
/// @param leaders for each rank, the lowest rank on its node
/// @return an error if some rank names none, or something wrong: it says which
Expected<topology::Machine> machine_of_clusters(std::span<const std::string> texts,
                                                std::span<const int> leaders);

}  // namespace espalier::runtime
