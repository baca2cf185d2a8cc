#pragma once

#include <string>
#include <vector>

#include "discover/eager.hpp"
#include "discover/node_inside.hpp"

namespace espalier::discover {

/// A node, its processes, and what is known of it without measuring.
struct NodeInfo {
  std::string name;         ///< of the host
  std::string place;        ///< labels from the outermost in, such as "anl/m1"; may be empty
  std::vector<Rank> ranks;  ///< of its processes
  NodeInside inside;        ///< processes by their index in `ranks`
  Time memory_latency;      ///< between two of its processes; 0: not measured
};

/// How well latencies and costs explain the round trips that were seen.
struct Fit {
  double median_error = 0;  ///< of a round trip, relative
  double worst_error = 0;   ///< of nine tenths of them
  std::vector<std::string> outliers;
};

struct Discovered {
  topology::Machine machine;
  std::vector<std::string> words;  ///< a sentence each
  Fit fit;
  std::vector<std::optional<EagerLimit>> eager;  ///< by level of the network, the outermost first
  std::uint64_t probes = 0;
  Time spent;                       ///< in all, of which
  Time surveyed;                    ///< on distances and on what messages cost nodes
  Time calibrated;                  ///< on bandwidths
  bool clusters_resolved = true;    ///< the clusters are all that was asked for; worth keeping
  bool complete = true;             ///< nor was anything else left out for want of time
  std::vector<std::string> doubts;  ///< why figures may be wrong (doubts.hpp), a sentence each
};

/// Finds and measures the machine. The caller's process runs it alone; the prober reaches the
/// others.
/// @pre as many nodes as the prober has; their ranks are 0 .. n-1, each once
Expected<Discovered> discover(Prober& prober, std::span<const NodeInfo> nodes,
                              const Budget& budget = {});

}  // namespace espalier::discover
