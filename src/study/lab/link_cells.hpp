#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "lab/plan.hpp"

namespace espalier::lab {

/// What can be changed about a link while frames pass it, and what has passed. It lies in memory
/// that the router shares with `espalier lab set` and `stats`, hence the atomics; a change holds
/// from the next frame on.
struct LinkCell {
  std::atomic<std::int64_t> delay_ns{0};
  std::atomic<std::uint64_t> bits_per_second{kUnlimited.bits_per_second};
  std::atomic<std::uint64_t> flow_bits_per_second{kUnlimited.bits_per_second};
  std::atomic<std::uint64_t> is_cut{0};
  std::atomic<std::uint64_t> loss_ppm{0};     ///< packets lost, in millionths
  std::atomic<std::uint64_t> reorder_ppm{0};  ///< frames that later ones overtake, in millionths
  std::atomic<std::int64_t> jitter_ns{0};     ///< longest time added to the delay
  std::atomic<std::uint64_t> cross_bits_per_second{0};  ///< traffic of others, on average
  std::atomic<std::uint64_t> packets{0};  ///< packets of 1500 bytes that a wire would have carried
  std::atomic<std::uint64_t> bytes{0};    ///< bytes of those packets, with headers and gaps
  std::atomic<std::uint64_t> drops{0};    ///< frames dropped: lost, the queue full, or the link cut
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// A link's counters at one moment.
struct LinkCount {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t drops = 0;
};

inline void set_up(LinkCell& cell, const LabLink& link) {
  cell.delay_ns = link.delay.picoseconds / 1000;
  cell.bits_per_second = link.rate.bits_per_second;
  cell.flow_bits_per_second = link.flow_cap.bits_per_second;
}

}  // namespace espalier::lab
