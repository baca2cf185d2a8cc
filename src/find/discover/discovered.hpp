#pragma once

#include <span>
#include <string>
#include <vector>

#include "discover/found.hpp"
#include "topology/machine.hpp"
#include "topology/machine_spec.hpp"

namespace espalier::discover {

/// The processes of a node as they lie on its cores.
struct NodeInside {
  topology::MemberSpec node;             ///< its members: packages, NUMA nodes, caches, processes
  std::vector<std::uint32_t> processes;  ///< processes in the order of the tree's leaves
};

/// Processes that are bound to cores stand in the innermost package, NUMA node or shared cache that
/// holds all cores they are bound to; one that is free to move stands in the node itself. Parts
/// with a single member are left out.
/// @param cores a node as read_hwloc() gives it: one leaf a core
/// @param bound for each process the leaves it may run on; empty: not known
[[nodiscard]] NodeInside inside_of(const topology::Machine& cores,
                                   std::span<const std::vector<topology::Leaf>> bound);

/// A node whose cores and caches are not known: all its processes side by side.
[[nodiscard]] NodeInside plain_inside(std::uint32_t processes);

/// A node, its processes, and what is known of it without measuring.
struct NodeInfo {
  std::string name;         ///< host name
  std::string place;        ///< location labels, outermost first, such as "anl/m1"; may be empty
  std::vector<Rank> ranks;  ///< ranks that run on this node
  NodeInside inside;        ///< cores and caches; it counts processes by their index in `ranks`
  Time memory_latency;      ///< latency between two processes of this node; 0: not measured
};

/// How well latencies and costs explain the round trips that were seen.
struct Fit {
  double median_error = 0;  ///< relative error of the median round trip
  double worst_error = 0;   ///< relative error that nine tenths of the round trips stay below
  std::vector<std::string> outliers;
};

struct Discovered {
  topology::Machine machine;
  std::vector<std::string> words;  ///< what was found, one sentence each
  Fit fit;
  /// Eager limit of each network level, outermost first.
  std::vector<std::optional<EagerLimit>> eager;
  std::uint64_t probes = 0;
  Time spent;                     ///< total time of the discovery
  Time surveyed;                  ///< time spent on distances and on the costs of messages at nodes
  Time calibrated;                ///< time spent on bandwidths
  bool clusters_resolved = true;  ///< all clusters were found that were asked for: worth keeping
  bool complete = true;  ///< clusters are resolved, and nothing else was left out for lack of time
  /// Reasons why figures may be wrong (doubts.hpp), one sentence each.
  std::vector<std::string> doubts;
};

/// Finds and measures the machine. Only one process calls this; the prober reaches the others.
/// @pre as many nodes as the prober has; their ranks are 0 .. n-1, each once
Expected<Discovered> discover(Prober& prober, std::span<const NodeInfo> nodes,
                              const Budget& budget = {});

}  // namespace espalier::discover
