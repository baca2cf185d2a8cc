#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace espalier::sim {

/// What happens next, earliest first. At the same time the lower kind, then the lower id: no event
/// ever depends on the order in which two were pushed.
///
/// A heap of four children a node: half as deep as a binary one, and the four lie in one line of
/// the cache.
class EventQueue {
 public:
  enum class Kind : std::uint8_t {
    Arrived,  ///< a message is with its receiver; id: its Send's task
    Flowing,  ///< a message's latency is over, its bytes begin to move; id: its Send's task
    Entered,  ///< a rank enters the call; id: the rank
    Served,   ///< a processor is done with its task; id: the rank
  };
  struct Event {
    Time at;
    std::uint64_t key = 0;

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(key >> 32); }
    [[nodiscard]] std::uint32_t id() const { return static_cast<std::uint32_t>(key); }
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// kForever if it is empty.
  [[nodiscard]] Time next() const { return heap_.empty() ? kForever : heap_.front().at; }

  void push(Time at, Kind kind, std::uint32_t id) {
    const Event event{at, (std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | id};
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  /// @pre !empty()
  Event pop() {
    const Event top = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return top;
  }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.key < b.key;
  }

  void sift_down(const Event& event) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 4 * hole + 1) {
      const std::size_t end = child + 4 < size ? child + 4 : size;
      std::size_t least = child;
      for (std::size_t c = child + 1; c < end; ++c) {
        if (before(heap_[c], heap_[least])) least = c;
      }
      if (!before(heap_[least], event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> heap_;
};

}  // namespace espalier::sim
