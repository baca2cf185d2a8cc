#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace espalier::sim {

/// Work that simulations may still do, in messages. It counts and looks at no clock: every rank
/// stops at the same place.
///
/// A message costs one. Where links are shared exactly, the start and the end of a message change
/// the rates of others, and working them out looks at each of these. A few looks are included in a
/// message, which is all that trees and rings need; of further ones so many cost as much as a
/// message. Without them a thousand messages that share links all at once would seem as cheap as a
/// thousand that follow each other.
class Budget {
 public:
  /// 12 ns a look, 1.2 to 2 us a message (Arm server, direct alltoall of 60 and 120 ranks beside
  /// broadcasts and allreduces of 128, 2026-11-17).
  static constexpr std::uint64_t kLooksAMessage = 128;
  static constexpr std::uint64_t kLooksIncluded = 64;

  explicit constexpr Budget(std::uint64_t messages)
      : looks_(std::min(messages, kMost / kLooksAMessage) * kLooksAMessage) {}
  [[nodiscard]] static constexpr Budget unlimited() { return Budget(kMost); }

  /// In messages, rounded down.
  [[nodiscard]] constexpr std::uint64_t left() const { return looks_ / kLooksAMessage; }
  /// False if there are not so many left; then nothing is taken.
  [[nodiscard]] constexpr bool take_messages(std::uint64_t messages) {
    if (messages > left()) return false;
    looks_ -= messages * kLooksAMessage;
    return true;
  }
  /// False if there are not so many left; then all is used up, since they were looked at already.
  [[nodiscard]] constexpr bool take_looks(std::uint64_t looks) {
    const bool suffices = looks <= looks_;
    looks_ -= std::min(looks, looks_);
    return suffices;
  }
  /// Takes a part of it out, at most so many messages. give_back() adds what is left of it.
  [[nodiscard]] constexpr Budget part(std::uint64_t messages) {
    const Budget taken(std::min(messages, left()));
    looks_ -= taken.looks_;
    return taken;
  }
  constexpr void give_back(const Budget& part) { looks_ += part.looks_; }

 private:
  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t looks_;
};

}  // namespace espalier::sim
