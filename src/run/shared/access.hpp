#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "shared/peer_memory.hpp"

namespace espalier::shared {

/// Goes on with what the process has to do besides while it waits: MPI's messages.
struct Progress {
  void (*step)(void*) = nullptr;
  void* of = nullptr;
};

/// How a member touches the segment. Protocols are templates over this, so that a test can look at
/// every load and store, and try all orders of them.
///
/// Flags are single-writer numbers that only grow. A store releases, a load acquires: who sees a
/// flag sees all that was written before it.
class DirectAccess {
 public:
  /// @param sleepers word of the segment that counts processes asleep; nullptr: nobody sleeps
  /// @param crowded  more processes than cores: the core is yielded early
  /// @param peers    memory of the other members' processes; nullptr: nobody reads there
  explicit DirectAccess(std::uint32_t* sleepers = nullptr, bool crowded = false,
                        Progress progress = {}, const PeerMemory* peers = nullptr)
      : sleepers_(sleepers), crowded_(crowded), progress_(progress), peers_(peers) {}

  [[nodiscard]] std::uint64_t load(const std::uint64_t* flag) const {
    return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(flag))
        .load(std::memory_order_acquire);
  }
  void store(std::uint64_t* flag, std::uint64_t value) const {
    std::atomic_ref<std::uint64_t>(*flag).store(value, std::memory_order_release);
    if (sleepers_ != nullptr &&
        std::atomic_ref<std::uint32_t>(*sleepers_).load(std::memory_order_relaxed) != 0) {
      wake(flag);
    }
  }
  /// Waits until the flag is so high.
  void wait(const std::uint64_t* flag, std::uint64_t at_least) const {
    if (load(flag) < at_least) wait_long(flag, at_least);
  }
  void write(std::byte* to, const std::byte* from, std::uint64_t bytes) const {
    std::memcpy(to, from, bytes);
  }
  void read(std::byte* to, const std::byte* from, std::uint64_t bytes) const {
    std::memcpy(to, from, bytes);
  }
  /// Reads what another member has outside the segment.
  [[nodiscard]] PeerRead read_peer(std::uint32_t member, std::byte* to, std::uint64_t from,
                                   std::uint64_t bytes) const {
    return peers_ == nullptr ? PeerRead::Refused : peers_->read(member, to, from, bytes);
  }
  /// Somebody else reads or writes this part of the segment now, on this member's behalf.
  void reads(const std::byte* /*from*/, std::uint64_t /*bytes*/) const {}
  void writes(const std::byte* /*to*/, std::uint64_t /*bytes*/) const {}

 private:
  /// Spins, then polls, then yields, then sleeps; a sleep is bounded, so a wake that is missed
  /// costs time only.
  void wait_long(const std::uint64_t* flag, std::uint64_t at_least) const;
  void sleep(const std::uint64_t* flag, std::uint64_t seen) const;
  static void wake(const std::uint64_t* flag);

  std::uint32_t* sleepers_;
  bool crowded_;
  Progress progress_;
  const PeerMemory* peers_;
};

}  // namespace espalier::shared
