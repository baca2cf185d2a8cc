#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace espalier::runtime {

/// How a message's MPI tag is made: which call of the communicator it belongs to, what that call
/// is (so that a rank with another idea of it is found out), and which message between the two
/// ranks.
///
///   | call, modulo 2^c | signature, 4 bits | message, modulo 2^m - 2 |
///
/// Wrapping round is harmless: two ranks make their calls in the same order and post the messages
/// between them in the same order within a call, and MPI does not let messages with the same tag
/// overtake each other.
///
/// The last two numbers of messages are kept for those of calls whose receivers do not know who
/// sends to them (role_header.hpp): a receive from any rank matches nothing else. For those
/// wrapping round is not harmless, so their heads have the whole number of the call.
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
  /// Of the head of a message that gives its receiver a role, and of what follows it.
  [[nodiscard]] constexpr int role_tag(std::uint64_t call, std::uint64_t signature) const {
    return joined(call, signature, plain());
  }
  [[nodiscard]] constexpr int role_data_tag(std::uint64_t call, std::uint64_t signature) const {
    return joined(call, signature, plain() + 1);
  }
  /// The tag without its message: equal for all messages of one call.
  [[nodiscard]] constexpr int call_of(int tag) const {
    return tag >> (message_bits_ + kSignatureBits);
  }
  /// Calls whose tags differ, one after the other.
  [[nodiscard]] constexpr std::uint64_t calls_apart() const {
    return std::uint64_t{1} << (bits_ - kSignatureBits - message_bits_);
  }
  [[nodiscard]] constexpr int signature_of(int tag) const {
    return (tag >> message_bits_) & ((1 << kSignatureBits) - 1);
  }

 private:
  static constexpr std::uint32_t kSignatureBits = 4;
  /// An even number: heads and what follows them alternate.
  [[nodiscard]] constexpr std::uint32_t plain() const { return (1U << message_bits_) - 2; }
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
