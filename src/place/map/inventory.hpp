#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::map {

enum class HostState : std::uint8_t { Free, Busy, Down };

/// A host as the inventory lists it. Its slots are leaves [first_leaf, first_leaf + slots) of the
/// machine.
struct Host {
  std::string name;
  std::string cluster;  ///< empty if the host is in no cluster
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
  topology::Machine machine;  ///< rank r stands on leaf r
  std::vector<Host> hosts;
  std::vector<std::string>
      notes;  ///< what an inventory file left out and was assumed, one sentence each
  bool has_assumed_figures = false;  ///< latencies or bandwidths are those of an ordinary cluster
};

/// Every process of a machine as a slot. Those of one innermost cluster are one host if the machine
/// calls them processes, cores or slots; else each is a host of its own. Clusters that are parts of
/// one computer (sockets, NUMA nodes, caches) are one host together.
[[nodiscard]] Inventory inventory_of(topology::Machine machine);

}  // namespace espalier::map
