#pragma once

#include <string>
#include <vector>

#include "map/problem.hpp"

namespace espalier::place {

/// The principles of park2004, each of which can be left out.
struct Principles {
  bool fewest_clusters = true;   ///< A: use as few clusters as hold the processes
  bool nearest_clusters = true;  ///< B: take clusters with the lowest latencies to the others first
  bool heavy_processes = true;   ///< C: processes that communicate most get the best nodes
  bool heavy_channels = true;    ///< D: the two ends of a heavy channel go into one cluster
};
inline constexpr Principles kNoPolicy{false, false, false, false};
inline constexpr Principles kSortedList{true, true, false, false};
inline constexpr Principles kFullSelection{};

struct RankedCluster {
  std::uint32_t cluster = 0;  ///< index into map::Problem::clusters
  Time mean_latency;          ///< mean latency to the other clusters
  std::uint32_t slots = 0;
  bool used = false;
};

struct HeavyChannel {
  Rank a = 0;
  Rank b = 0;
  Time weight;
};

/// What each of the six steps came to.
struct Selection {
  std::vector<std::uint32_t> listed;    ///< step 1: slots as they were listed
  std::vector<RankedCluster> clusters;  ///< step 2: clusters in the order of their use
  std::vector<std::uint32_t> sorted;    ///< step 2: slots in the order of their use
  std::vector<Time> burden;             ///< step 3: burden of each process
  Time typical;                         ///< step 4: the weight of the median channel
  std::vector<HeavyChannel> heavy;      ///< step 4: heavy channels, the heaviest first
  /// Step 5: processes and groups of processes, in the order of assignment.
  std::vector<std::vector<Rank>> order;
  map::Placement placement;              ///< step 6: the result
  std::vector<std::string> explanation;  ///< one line for each step
};

/// The paper's topology selection. Definitions that the paper leaves open, see docs/placement.md:
///
/// - the weight of a channel is what its messages take on the machine's slowest path between
///   clusters: messages x latency + bytes / bandwidth;
/// - a channel is heavy if it weighs more than twice the median channel;
/// - the burden of a process is the sum over its partners of the channel's weight, each counted up
///   to the median: partners and messages count, not the bytes of one channel that principle D
///   takes out of the wide-area network anyway;
/// - a group that does not fit into what is left of a cluster waits for the next one; lighter
///   processes fill the gap.
///
/// Ties go to the lower rank and to what is listed first. O(slots log slots + edges log edges +
/// clusters^2).
[[nodiscard]] Selection select_topology(const map::Problem& problem, const Principles& principles);

/// Steps 1 and 2 alone: slots in the order of their use.
[[nodiscard]] std::vector<RankedCluster> rank_clusters(const map::Problem& problem,
                                                       const Principles& principles);
[[nodiscard]] std::vector<std::uint32_t> slots_by_cluster(
    const map::Problem& problem, const std::vector<RankedCluster>& clusters);

}  // namespace espalier::place
