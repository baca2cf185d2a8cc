#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "lab/network.hpp"

namespace espalier::lab {

/// Things that are due at a time; those due at the same time come out as they went in.
template <typename T>
class DelayQueue {
 public:
  void push(Instant due, T thing) { heap_.push({due, next_++, std::move(thing)}); }

  [[nodiscard]] std::optional<Instant> next_due() const {
    return heap_.empty() ? std::nullopt : std::optional(heap_.top().due);
  }

  /// The next one if it is due by now.
  std::optional<T> pop(Instant now) {
    if (heap_.empty() || heap_.top().due > now) return std::nullopt;
    // The order does not look at the thing, so taking it out of the top keeps the heap sound.
    std::optional<T> thing(std::move(const_cast<Entry&>(heap_.top()).thing));
    heap_.pop();
    return thing;
  }

  [[nodiscard]] std::size_t size() const { return heap_.size(); }

 private:
  struct Entry {
    Instant due;
    std::uint64_t order;
    T thing;
    bool operator<(const Entry& other) const {
      return std::pair(due, order) > std::pair(other.due, other.order);
    }
  };
  std::priority_queue<Entry> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace espalier::lab
