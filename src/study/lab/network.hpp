#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "lab/link_cells.hpp"

namespace espalier::lab {

/// Nanoseconds of a monotonic clock; of a made-up one in tests.
using Instant = std::int64_t;

/// What the network needs to know of a frame.
struct FrameOnWire {
  std::uint64_t bytes = 0;    ///< bytes on the wire of all its packets, with headers and gaps
  std::uint32_t packets = 1;  ///< number of packets on the wire; a large TCP segment is several
  std::uint64_t flow = 0;     ///< identity of its connection
};

/// Where a frame is on its route.
struct Journey {
  Instant first = 0;    ///< when its first packet reaches the next link, or the end
  Instant last = 0;     ///< when its last byte arrives there, if nothing delays it further
  std::size_t hop = 0;  ///< index of the next link in the route
};

/// When frames leave the links they entered: rates, queues and delays, in virtual time.
///
/// A capped link is a clock that says when it will be free; a frame that comes earlier waits. A
/// frame that stands for several packets streams through the links of its route: the next link
/// starts when the first packet has passed, so that the narrowest link counts, not their sum.
/// Links are first come, first served. A frame is lost where it would wait longer than
/// `longest_queue`.
///
/// Bad links: what happens by chance is drawn from a generator with a fixed seed.
/// - Loss: each packet is lost by itself. With it goes the frame that it is in, which TCP sends
///   again; so there are as many losses as on a wire, each of more bytes.
/// - Jitter: a time between none and `jitter_ns` is added to the delay of each frame. Frames stay
///   in order, but for a share of them, which come `jitter_ns` later (at least kOvertaken).
/// - Cross traffic: bursts of kBurst bytes take their turn on a capped link, at random moments.
class EmulatedNetwork {
 public:
  EmulatedNetwork(std::span<LinkCell> cells, Instant longest_queue)
      : cells_(cells),
        free_at_(cells.size(), 0),
        last_out_(cells.size(), 0),
        next_burst_(cells.size(), 0),
        longest_queue_(longest_queue) {}

  static constexpr std::uint64_t kBurst = 15 * 1538;  ///< bytes on the wire
  static constexpr Instant kOvertaken = 1'000'000;    ///< 1 ms

  /// The frame passes its next link, which counts it. To be called in the order of
  /// Journey::first over all frames: one that is still far away must not hold up another that is
  /// there already.
  /// @return whether it is not lost @pre journey.hop < route.size()
  [[nodiscard]] bool pass(Journey& journey, std::span<const std::uint32_t> route,
                          const FrameOnWire& frame);

 private:
  /// A clock for one connection on one way: (link, flow).
  using FlowKey = std::pair<std::uint32_t, std::uint64_t>;

  void forget_idle_flows(Instant now);
  [[nodiscard]] bool happens(std::uint64_t ppm);
  [[nodiscard]] bool loses_some(std::uint32_t packets, std::uint64_t ppm);
  void let_others_pass(std::uint32_t link, Instant now, std::uint64_t rate);
  void delay(Journey& journey, std::uint32_t link);

  std::span<LinkCell> cells_;
  std::vector<Instant> free_at_;
  std::vector<Instant> last_out_;    // of each link: when the last frame in order leaves it
  std::vector<Instant> next_burst_;  // of each link: of others; 0: not drawn yet
  Random random_{1};
  std::map<FlowKey, Instant> flow_free_at_;
  Instant longest_queue_;
};

/// How long so many bytes take, rounded up; 0 if there is no limit.
[[nodiscard]] Instant transfer_ns(std::uint64_t bytes, std::uint64_t bits_per_second);

}  // namespace espalier::lab
