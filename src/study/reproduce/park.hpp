#pragma once

#include "map/inventory.hpp"
#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// How the pinned machine of data/park2004/inventory.json is changed for the sensitivity table.
struct ParkMachine {
  double latency_factor = 1;     ///< factor on the latency of all links between clusters
  double far_factor = 1;         ///< further factor on the latency of links to cluster B
  double bandwidth_factor = 1;   ///< factor on the bandwidth of the clusters' uplinks
  std::uint64_t noise_seed = 0;  ///< seed of errors of up to 10 % in every latency; 0 means none
};
/// The inventory of that file, changed as `machine` says.
[[nodiscard]] map::Inventory park_inventory(const ParkMachine& machine = {});
/// The weight of the inserted channels in LU: round trips for each message of the wavefront.
inline constexpr std::uint64_t kParkHeavyFactor = 1;

}  // namespace espalier::reproduce
