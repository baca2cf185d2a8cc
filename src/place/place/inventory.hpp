#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::place {

enum class HostState : std::uint8_t { Free, Busy, Down };

/// A host as the inventory lists it. Its slots are leaves [first_leaf, first_leaf + slots) of the
/// machine.
struct Host {
  std::string name;
  std::string cluster;  ///< "" if it is in none
  std::uint32_t slots = 1;
  std::uint32_t cores = 1;
  std::uint64_t speed_millionths = 1'000'000;
  HostState state = HostState::Free;
  topology::Leaf first_leaf = 0;
  friend bool operator==(const Host&, const Host&) = default;
};

/// What there is to run on: hosts in the order in which they were listed, and the network between
/// their slots.
struct Inventory {
  std::string name;
  topology::Machine machine;  ///< rank r on leaf r
  std::vector<Host> hosts;
  std::vector<std::string> notes;  ///< what the source did not say, one sentence each
};

/// A host before the machine is built.
struct HostSpec {
  std::string where;  ///< "file:line", for errors
  Host host;
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
Expected<Inventory> build_inventory(InventorySpec spec);

/// Every process of a machine as a slot. Those of one innermost cluster are one host if the machine
/// calls them processes, cores or slots; else each is a host of its own.
[[nodiscard]] Inventory inventory_of(topology::Machine machine);

}  // namespace espalier::place
