#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "sim/network.hpp"

namespace espalier::sim {

/// Each resource serves its messages one after the other, at full speed, in the order in which they
/// come to it; a message is through when the last resource of its route is done with it. So one
/// resource decides for each message, no message ever changes another's end once that is known, and
/// a message costs O(route).
///
/// Compared with fair sharing: what a resource has to do ends at the same moment, but messages that
/// share it end one by one instead of all late; and a resource is not slowed by a flow that is held
/// back elsewhere, it takes its bytes when they come.
class BottleneckClocks {
 public:
  BottleneckClocks(std::span<const Resource> resources, std::uint32_t connections)
      : clocks_(resources.size()), connection_free_(connections) {
    for (std::size_t i = 0; i < resources.size(); ++i) clocks_[i].capacity = resources[i].capacity;
  }

  struct Passage {
    Time end;
    ResourceId slowed_by =
        kNoResource;  ///< resource that decided the end; kNoResource: the flow's cap
  };
  /// `bytes` set out now. Capped flows of one connection follow each other too.
  Passage pass(Time now, std::uint64_t bytes, const Route& route, std::uint32_t connection,
               bool ordered) {
    Passage passage{now};
    for (const ResourceId r : route.resources()) {
      Clock& clock = clocks_[r];
      const Time takes = time_of(bytes, clock.capacity);
      clock.free = std::max(clock.free, now) + takes;
      clock.busy += takes;
      if (clock.free > passage.end) passage = {clock.free, r};
    }
    if (!route.cap.unlimited()) {
      Time& free = connection_free_[connection];
      const Time from = ordered ? std::max(free, now) : now;
      free = from + time_of(bytes, route.cap);
      if (free > passage.end) passage = {free, kNoResource};
    }
    return passage;
  }

  [[nodiscard]] Time busy(ResourceId resource) const { return clocks_[resource].busy; }

 private:
  struct Clock {
    Bandwidth capacity;
    Time free;
    Time busy;
  };

  /// transfer_time(), in 64 bits where these suffice.
  static Time time_of(std::uint64_t bytes, Bandwidth rate) {
    constexpr std::uint64_t kScale = 8'000'000'000'000ULL;
    const std::uint64_t bits = rate.bits_per_second;
    if (bytes > 1'000'000 || bits == 0 || bits > INT64_MAX) return transfer_time({bytes}, rate);
    return Time{static_cast<std::int64_t>((bytes * kScale + bits - 1) / bits)};
  }

  std::vector<Clock> clocks_;
  std::vector<Time> connection_free_;
};

}  // namespace espalier::sim
