#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lab/link_cells.hpp"

namespace espalier::lab {

/// Nanoseconds of a monotonic clock; of a made-up one in tests.
using Instant = std::int64_t;

/// What the network needs to know of a frame.
struct FrameOnWire {
  std::uint64_t bytes = 0;    ///< of all its packets, headers and gaps among them
  std::uint32_t packets = 1;  ///< a large one of TCP stands for several
  std::uint64_t flow = 0;     ///< names its connection
};

/// When frames leave the links they entered: rates, queues and delays, in virtual time.
///
/// A capped link is a clock that says when it will be free; a frame that comes earlier waits. A
/// frame that stands for several packets streams through the links of its route: the next link
/// starts when the first packet has passed, so that the narrowest link counts, not their sum.
/// Links are first in, first out. A frame is lost where it would wait longer than `longest_queue`.
class Network {
 public:
  Network(std::span<LinkCell> cells, Instant longest_queue)
      : cells_(cells), free_at_(cells.size(), 0), longest_queue_(longest_queue) {}

  /// When the last byte of a frame that starts now will have arrived, or nothing if it is lost.
  /// Counts it on all links of its route.
  std::optional<Instant> send(Instant now, std::span<const std::uint32_t> route,
                              const FrameOnWire& frame);

 private:
  /// A clock for one connection on one way: (link, flow).
  using FlowKey = std::pair<std::uint32_t, std::uint64_t>;

  void forget_idle_flows(Instant now);

  std::span<LinkCell> cells_;
  std::vector<Instant> free_at_;
  std::map<FlowKey, Instant> flow_free_at_;
  Instant longest_queue_;
};

/// How long so many bytes take, rounded up; 0 if there is no limit.
[[nodiscard]] Instant transfer_ns(std::uint64_t bytes, std::uint64_t bits_per_second);

}  // namespace espalier::lab
