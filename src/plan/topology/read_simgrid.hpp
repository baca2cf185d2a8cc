#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "topology/load_machine.hpp"

namespace espalier::topology {

/// A machine from a SimGrid platform file (XML, version 4 or 4.1): zones are clusters, a host is a
/// process, or a node with one process for each of its cores.
///
/// Paths have the latency and the narrowest bandwidth of SimGrid's routes; a note says where a tree
/// of clusters cannot hold them. FATPIPE links limit each flow. A speed of 1 Gflop/s is 1.
/// Bandwidth and latency profiles, bypass routes, disks and deployment are noted and left out;
/// Vivaldi and Wifi zones and dragonflies are refused, and so are hosts without a route between
/// them. Bounds: 2^20 hosts, 2^22 processes, zones 125 deep, simgrid::kMaxSteps.
/// @param file only named in errors
Expected<LoadedMachine> read_simgrid(std::string_view text, const std::string& file);

}  // namespace espalier::topology
