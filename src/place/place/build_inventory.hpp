#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "map/inventory.hpp"

namespace espalier::place {

/// A host before the machine is built.
struct HostSpec {
  std::string where;  ///< "file:line", for errors
  map::Host host;
};
/// Between two clusters.
struct LinkSpec {
  std::string where;
  std::string a, b;
  Time latency;
  Bandwidth capacity = kUnlimited;
};
/// One cluster's own network where it differs.
struct ClusterSpec {
  std::string where;
  std::string name;
  std::optional<topology::Channel> channel;
  std::optional<topology::Uplink> uplink;
};
struct InventorySpec {
  std::string where;
  std::string name;
  topology::Channel between;  ///< clusters
  topology::Uplink uplink;    ///< of a cluster
  topology::Channel inside;   ///< a cluster, between hosts
  topology::Uplink port;      ///< of a host
  topology::Channel memory;   ///< inside a host
  topology::Cost send, recv;
  std::vector<ClusterSpec> clusters;
  std::vector<LinkSpec> links;
  std::vector<HostSpec> hosts;
  std::vector<std::string> notes;
};
/// Refuses: no host, a host twice, slots of 0 or beyond 16,777,216 in all, links of unknown
/// clusters.
Expected<map::Inventory> build_inventory(InventorySpec spec);

}  // namespace espalier::place
