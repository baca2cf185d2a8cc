#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace espalier::topology {

/// How messages are carried over the links of a machine: the one value that simulator, estimates,
/// the model of MPI libraries and the executor go by. As it stands: Open MPI's ob1 over TCP, and
/// our executor on both MPIs.
struct Transport {
  /// A message of so many bytes and more is not eager: it waits for its receiver, and for a
  /// handshake over far links.
  std::uint64_t eager_bytes = 65536;
  std::int64_t handshake_latencies = 2;  ///< latencies of a far link that a handshake takes
  /// Bytes of a message below the eager limits of all MPIs, with room for a header. Plans are cut
  /// to it, and the executor sends long messages over far links in such parts.
  std::uint64_t part_bytes = 16384;
  Time far_latency{100'000'000};  ///< 100 us: links of this latency and more are far

  [[nodiscard]] constexpr bool is_far(Time latency) const { return latency >= far_latency; }
  [[nodiscard]] constexpr bool is_eager(std::uint64_t bytes) const { return bytes < eager_bytes; }
  friend bool operator==(const Transport&, const Transport&) = default;
};

/// What plans are made and run for.
inline constexpr Transport kTransport{};

}  // namespace espalier::topology
