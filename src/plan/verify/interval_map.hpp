#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace espalier::verify {

/// What is known of the units of a buffer, stretch by stretch: a megabyte that is all alike costs
/// as much as one byte.
///
/// Stretches do not overlap; assign() joins neighbours with equal values. O(log stretches) and the
/// stretches touched.
template <typename T>
class IntervalMap {
 public:
  /// visit(begin, end, const T*) for every piece of [begin, end) from left to right; nullptr where
  /// nothing was assigned.
  template <typename Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, Visit visit) const {
    if (begin >= end) return;
    auto it = pieces_.upper_bound(begin);
    if (it != pieces_.begin() && std::prev(it)->second.end > begin) --it;
    std::uint64_t at = begin;
    while (at < end) {
      const std::uint64_t from = it == pieces_.end() || it->first > end ? end : it->first;
      if (at < from) {
        visit(at, from, static_cast<const T*>(nullptr));
        at = from;
        continue;
      }
      const std::uint64_t to = it->second.end < end ? it->second.end : end;
      visit(at, to, &it->second.value);
      at = to;
      ++it;
    }
  }

  void assign(std::uint64_t begin, std::uint64_t end, T value) {
    if (begin >= end) return;
    split_at(begin);
    split_at(end);
    auto it = pieces_.lower_bound(begin);
    while (it != pieces_.end() && it->first < end) it = pieces_.erase(it);
    if (it != pieces_.end() && it->first == end && it->second.value == value) {
      end = it->second.end;
      it = pieces_.erase(it);
    }
    if (it != pieces_.begin()) {
      const auto left = std::prev(it);
      if (left->second.end == begin && left->second.value == value) {
        left->second.end = end;
        return;
      }
    }
    pieces_.emplace_hint(it, begin, Piece{end, std::move(value)});
  }

  /// change(begin, end, T&) for every piece of [begin, end), cut there first; where nothing was
  /// assigned, T{} is.
  template <typename Change>
  void update(std::uint64_t begin, std::uint64_t end, Change change) {
    if (begin >= end) return;
    split_at(begin);
    split_at(end);
    auto it = pieces_.lower_bound(begin);
    std::uint64_t at = begin;
    while (at < end) {
      const std::uint64_t from = it == pieces_.end() || it->first > end ? end : it->first;
      if (at < from) it = pieces_.emplace_hint(it, at, Piece{from, T{}});
      change(at, it->second.end, it->second.value);
      at = it->second.end;
      ++it;
    }
  }

  [[nodiscard]] std::size_t stretches() const { return pieces_.size(); }

 private:
  struct Piece {
    std::uint64_t end;
    T value;
  };

  void split_at(std::uint64_t at) {
    auto it = pieces_.upper_bound(at);
    if (it == pieces_.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    Piece right = it->second;
    it->second.end = at;
    pieces_.emplace_hint(std::next(it), at, std::move(right));
  }

  std::map<std::uint64_t, Piece> pieces_;  // by begin
};

}  // namespace espalier::verify
