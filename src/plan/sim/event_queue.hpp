#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace espalier::sim {

/// What happens next, earliest first. At the same time the lower kind, then the lower id: no event
/// ever depends on the order in which two were pushed.
///
/// Most events are pushed a fixed delay ahead: the latency of a level, what a message costs a
/// processor. Those of one delay come in order, so they need no heap: each delay has a lane, first
/// in first out, and the next event is the least of the lanes' fronts and the heap's top. Only what
/// does not fit behind the last of its lane goes to the heap.
class EventQueue {
 public:
  enum class Kind : std::uint8_t {
    Arrived,  ///< a message is with its receiver; id: its Send's task
    Flowing,  ///< a message's latency is over, its bytes begin to move; id: its Send's task
    Entered,  ///< a rank enters the call; id: the rank
    Served,   ///< a processor is done with its task; id: the rank
  };
  struct Event {
    Time at = kForever;
    std::uint64_t key = ~std::uint64_t{0};

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(key >> 32); }
    [[nodiscard]] std::uint32_t id() const { return static_cast<std::uint32_t>(key); }
    friend bool operator<(const Event& a, const Event& b) {
      return (a.at < b.at) || (a.at == b.at && a.key < b.key);
    }
  };
  static constexpr std::size_t kLanes = 7;

  /// kForever if there is none.
  [[nodiscard]] Time next() const { return fronts_[least_].at; }

  /// @param lane below kLanes: events of one lane should mostly come in order
  void push(Time at, Kind kind, std::uint32_t id, std::size_t lane);
  /// @pre next() is not kForever
  Event pop();

 private:
  static constexpr std::size_t kHeap = kLanes;  // index of the heap in fronts_

  struct Lane {
    std::vector<Event> events;
    std::size_t first = 0;  // index of the first event that is still waiting
    Event last;
  };

  void push_heap(const Event& event);
  void pop_heap();
  void pop_lane(std::size_t lane);
  void find_least();

  std::array<Event, kLanes + 1>
      fronts_;  // first event of each lane, then of the heap; kForever if empty
  std::size_t least_ = 0;
  std::array<Lane, kLanes> lanes_;
  std::vector<Event> heap_;  // all events of the heap but the first, which is in fronts_
};

}  // namespace espalier::sim
