#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "map/inventory.hpp"

namespace espalier::place {

/// A host as described, before the machine is built.
struct HostSpec {
  std::string where;  ///< "file:line", for errors
  map::Host host;
};
/// A link between two clusters.
struct LinkSpec {
  std::string where;
  std::string a, b;
  Time latency;
  Bandwidth capacity = kUnlimited;
};
/// Network of one cluster, if it differs from that of the others.
struct ClusterSpec {
  std::string where;
  std::string name;
  std::optional<topology::Channel> channel;
  std::optional<topology::Uplink> uplink;
};
struct InventorySpec {
  std::string where;
  std::string name;
  topology::Channel between;  ///< network between clusters
  topology::Uplink uplink;    ///< uplink of a cluster
  topology::Channel inside;   ///< network between the hosts of a cluster
  topology::Uplink port;      ///< uplink of a host
  topology::Channel memory;   ///< channel between the slots of a host
  topology::Cost send, recv;
  std::vector<ClusterSpec> clusters;
  std::vector<LinkSpec> links;
  std::vector<HostSpec> hosts;
  std::vector<std::string> notes;
};
/// Whether it can be a host's name in a launcher's file: letters, digits, dots, dashes,
/// underscores, no dash first.
[[nodiscard]] bool is_host_name(std::string_view name);

/// Refuses: no host, a host twice, one whose name is none, slots of 0 or beyond 16,777,216 in all,
/// links of unknown clusters.
Expected<map::Inventory> build_inventory(InventorySpec spec);

/// Links as they are forecast take the place of those that are described, but for a capacity that
/// was never measured. Forecasts of unknown clusters are passed over with a note; if none is of
/// use, that is an error.
std::optional<Error> apply_forecast(const std::vector<LinkSpec>& forecast, InventorySpec& spec);

}  // namespace espalier::place
