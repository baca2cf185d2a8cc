#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::shared {

/// What came of reading another process's memory.
enum class PeerRead : std::uint8_t {
  Done,
  Refused,  ///< the system does not give these bytes to this process
  Gone      ///< there is no such process any more
};

/// By what a process lets others read its memory.
struct ProcessCard {
  std::uint64_t process = 0;  ///< its number
  std::uint64_t address = 0;  ///< where `word` lies in its memory
  std::uint64_t word = 0;     ///< random: no other process has it there
};
[[nodiscard]] ProcessCard own_card();

/// The memory of the processes of all members, read by the system without their help
/// (process_vm_readv). Whether that is allowed is known only once it was tried: containers, user
/// namespaces, Yama and seccomp may forbid it, and numbers of processes may be those of others.
class PeerMemory {
 public:
  /// @param cards of all members
  /// @param own this member
  PeerMemory(std::vector<ProcessCard> cards, std::uint32_t own)
      : cards_(std::move(cards)), own_(own) {}

  /// Whether this process may read from all others: it reads their words.
  [[nodiscard]] bool can_read_all() const;
  /// Reads so many bytes of a member's memory. Members begin at different places, so that not all
  /// hold the same pages at once. If this fails, some of `to` may be written.
  [[nodiscard]] PeerRead read(std::uint32_t member, std::byte* to, std::uint64_t from,
                              std::uint64_t bytes) const;

 private:
  std::vector<ProcessCard> cards_;
  std::uint32_t own_;
};

}  // namespace espalier::shared
