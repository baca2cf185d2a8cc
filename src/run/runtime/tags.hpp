#pragma once

#include <bit>
#include <cstdint>

namespace espalier::runtime {

/// How the MPI tag of a message is made. It tells the number of the call, a signature of the call
/// (so that ranks that make different calls notice), and the number of the message between the two
/// ranks.
///
///   | call, modulo 2^c | signature, 4 bits | message, modulo 2^m - 4 |
///
/// Wrapping round is harmless. Two ranks make their calls in the same order and post the messages
/// between them in the same order within a call. MPI does not let messages with the same tag
/// overtake each other.
///
/// The last four message numbers are reserved. Two are for calls whose receivers do not know their
/// sender (role_header.hpp): so a receive from any rank matches nothing else. There wrapping round
/// is not harmless, so the head of the message holds the whole number of the call. One is for
/// messages of a rank to itself that complete requests (ProgressEngine): call and signature
/// together are the number of the request. One is for ranks that tell that they have given a call
/// up (Channel::tell_failure): it has no signature, or another one than the call's
/// (Channel::tell_other_call).
class Tags {
 public:
  /// @param upper_bound MPI_TAG_UB, at least 32767
  explicit constexpr Tags(int upper_bound)
      : bits_(static_cast<std::uint32_t>(
                  std::bit_width(static_cast<std::uint32_t>(upper_bound) + 1U)) -
              1U),
        message_bits_((bits_ - kSignatureBits) / 2) {}

  [[nodiscard]] constexpr int tag(std::uint64_t call, std::uint64_t signature,
                                  std::uint32_t message) const {
    return joined(call, signature, message < plain() ? message : message % plain());
  }
  /// Tags of the head of a message that gives its receiver a role, and of the data that follows.
  [[nodiscard]] constexpr int role_tag(std::uint64_t call, std::uint64_t signature) const {
    return joined(call, signature, plain());
  }
  [[nodiscard]] constexpr int role_data_tag(std::uint64_t call, std::uint64_t signature) const {
    return joined(call, signature, plain() + 1);
  }
  /// The tag of a message that completes a request. @pre request < requests_apart()
  [[nodiscard]] constexpr int request_tag(std::uint64_t request) const {
    return joined(request >> kSignatureBits, request, plain() + 2);
  }
  /// The tag of a message that tells that its sender has given a call up.
  [[nodiscard]] constexpr int failure_tag(std::uint64_t call) const {
    return joined(call, 0, plain() + 3);
  }
  /// Likewise, where those who wait for its messages are to see another signature than theirs.
  [[nodiscard]] constexpr int other_call_tag(std::uint64_t call, std::uint64_t signature) const {
    return joined(call, ~signature, plain() + 3);
  }
  /// How many requests have different tags.
  [[nodiscard]] constexpr std::uint64_t requests_apart() const {
    return calls_apart() << kSignatureBits;
  }
  /// The call's part of a tag: equal for all messages of one call.
  [[nodiscard]] constexpr int call_of(int tag) const {
    return tag >> (message_bits_ + kSignatureBits);
  }
  /// Whether one tag is of a later call than another, of calls that are no further apart than half
  /// of what tags tell apart.
  [[nodiscard]] constexpr bool is_later(int tag, int than) const {
    const auto ahead = static_cast<std::uint64_t>(call_of(tag) - call_of(than));
    const std::uint64_t calls = ahead & (calls_apart() - 1);
    return calls != 0 && calls <= calls_apart() / 2;
  }
  /// How many calls in a row have different tags.
  [[nodiscard]] constexpr std::uint64_t calls_apart() const {
    return std::uint64_t{1} << (bits_ - kSignatureBits - message_bits_);
  }
  [[nodiscard]] constexpr int signature_of(int tag) const {
    return (tag >> message_bits_) & ((1 << kSignatureBits) - 1);
  }

 private:
  static constexpr std::uint32_t kSignatureBits = 4;
  /// Message numbers that are not reserved; even, since heads and their data alternate.
  [[nodiscard]] constexpr std::uint32_t plain() const { return (1U << message_bits_) - 4; }
  [[nodiscard]] constexpr int joined(std::uint64_t call, std::uint64_t signature,
                                     std::uint32_t low) const {
    const std::uint64_t call_bits = bits_ - kSignatureBits - message_bits_;
    const std::uint64_t high = call & ((std::uint64_t{1} << call_bits) - 1);
    const std::uint64_t middle = signature & ((1U << kSignatureBits) - 1);
    return static_cast<int>((((high << kSignatureBits) | middle) << message_bits_) | low);
  }
  std::uint32_t bits_;
  std::uint32_t message_bits_;
};

}  // namespace espalier::runtime
