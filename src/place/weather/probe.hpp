#pragma once

#include <cstdint>
#include <string>

#include "base/expected.hpp"

namespace espalier::weather {

/// How much traffic one measurement may cause.
struct ProbeLimits {
  std::uint32_t round_trips = 8;
  /// Size of the transfer that measures bandwidth; 0: no such transfer.
  std::uint64_t bytes = 256 * 1024;
  int patience_ms = 5'000;  ///< how long to wait for each answer
};

struct Probed {
  double latency = 0;    ///< seconds: half of the shortest round trip of one byte
  double bandwidth = 0;  ///< bits a second; 0: not measured
};

/// Measures the way to an answering host over TCP: round trips of one byte, then one transfer that
/// is answered with a byte; its time less one round trip is that of its bytes.
Expected<Probed> probe(const std::string& host, std::uint16_t port, const ProbeLimits& limits);

/// Answers probes, one after the other, on this port of all interfaces (0: any free one), for as
/// many of them as asked; 0: for ever. `ready` is called with the port.
/// Refuses a port that cannot be had. What a prober does wrong ends its connection only, and so
/// does silence of 2 s at its beginning.
Expected<std::uint64_t> answer_probes(std::uint16_t port, std::uint64_t how_many,
                                      void (*ready)(std::uint16_t port, void* context),
                                      void* context);

}  // namespace espalier::weather
