#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace espalier::discover {

/// What the kernel knows of the TCP connections of this process to one address. It saw every
/// acknowledgement itself, so a busy process on either end does not make these figures wrong.
struct PeerSeen {
  std::uint32_t address = 0;  ///< IPv4 address of the other end, as numbers are on the wire
  Time round_trip;            ///< the least of all connections
  /// How fast this process's bytes arrived there, where the sender always had more to send and its
  /// window was open; 0: nothing is known.
  Bandwidth rate{0};
  friend bool operator==(const PeerSeen&, const PeerSeen&) = default;
};

/// The peers of all established TCP connections over IPv4, by address. Looks at no more than 4,096
/// file descriptors; empty where the kernel does not tell.
[[nodiscard]] std::vector<PeerSeen> own_peers();

/// Up to two IPv4 addresses of this computer whose interfaces are up and have a carrier, not the
/// loopback's. A bridge for containers or virtual machines that has none at the moment is left out.
[[nodiscard]] std::vector<std::uint32_t> own_addresses();

/// Of each node's addresses those that it alone has: a bridge for containers has the same address
/// on every host.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> own_only(
    std::vector<std::vector<std::uint32_t>> addresses_of_nodes);

}  // namespace espalier::discover
