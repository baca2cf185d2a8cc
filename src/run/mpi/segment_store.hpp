#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "shared/mapping.hpp"
#include "shared/member.hpp"
#include "shared/peer_memory.hpp"

namespace espalier::mpi {

/// A segment of shared memory as one of its members has it.
struct SharedSegment {
  using Member = shared::Member<shared::DirectAccess>;
  shared::Mapping mapping;
  Member member;
  std::uint64_t nonce = 0;  ///< tells it from all others
  /// Memory of the members' processes; absent: nobody reads there.
  std::unique_ptr<const shared::PeerMemory> peers = {};
};

/// Why the ranks of a communicator have no segment, in the order in which it is told: all of them
/// know the last that holds on some rank.
enum class NoSegment : std::uint8_t {
  HasOne,     ///< they have one
  Forgotten,  ///< some rank has forgotten the segment that they had before: they make a new one
  Limit,      ///< ESPALIER_SHARED_MEMORY allows no more
  Unseen,     ///< rank 0's memory could not be opened
  NotMade,    ///< rank 0 could get no memory
  Devices,    ///< the MPI library takes buffers on devices, and memory was not asked for
  Messages    ///< MPI reported an error
};
inline constexpr std::size_t kNoSegmentCount = 7;

/// What this process owns of shared memory, up to a cap, and segments that no communicator uses at
/// the moment. Programs make and free communicators of the same ranks again and again: the next
/// one takes the segment of the last. Any thread may use it.
class SegmentStore {
 public:
  /// Takes so many bytes, if they are left. Forgets spare segments if it must.
  [[nodiscard]] bool take(std::uint64_t bytes, std::uint64_t most);
  void give_back(std::uint64_t bytes);
  /// What was taken is in use now.
  void use();
  /// The most that were in use at a time.
  [[nodiscard]] std::uint64_t most() const { return most_.load(); }
  /// A communicator could have no segment.
  void note_refusal(NoSegment why) { ++refusals_[static_cast<std::size_t>(why)]; }
  /// A communicator has one, but its ranks cannot read each other's memory.
  void note_unreadable() { ++unreadable_; }
  /// How many communicators could have none, and why, or can do less, a sentence each.
  [[nodiscard]] std::vector<std::string> refusals() const;

  /// Keeps a segment for the next communicator of these ranks of MPI_COMM_WORLD, in this order.
  /// What it takes of the cap stays taken.
  void keep(const std::vector<Rank>& ranks, SharedSegment segment);
  /// The last segment that was kept for these ranks. It is kept no longer.
  /// @param nonce only the segment with this one; 0: any
  [[nodiscard]] std::optional<SharedSegment> find(const std::vector<Rank>& ranks,
                                                  std::uint64_t nonce);

 private:
  static constexpr std::size_t kMostSpare = 8;
  struct Spare {
    std::vector<Rank> ranks;
    SharedSegment segment;
  };
  void forget_oldest();

  std::mutex mutex_;  // guards spare_ and taken_
  std::vector<Spare> spare_;
  std::uint64_t taken_ = 0;
  std::atomic<std::uint64_t> most_{0};
  std::array<std::atomic<std::uint64_t>, kNoSegmentCount> refusals_{};
  std::atomic<std::uint64_t> unreadable_{0};
};

/// A segment that a communicator uses. When that goes, the next one of the same ranks may have it.
class UsedSegment {
 public:
  /// @param ranks of MPI_COMM_WORLD, in the order of the members
  UsedSegment(SegmentStore& store, std::vector<Rank> ranks, SharedSegment segment)
      : store_(store), ranks_(std::move(ranks)), segment_(std::move(segment)) {}
  ~UsedSegment() {
    if (has_failed_) {
      store_.give_back(segment_.member.geometry().part_bytes());
    } else {
      store_.keep(ranks_, std::move(segment_));
    }
  }
  UsedSegment(const UsedSegment&) = delete;
  UsedSegment& operator=(const UsedSegment&) = delete;
  /// A call failed: members may have done different steps, so nobody uses it again.
  void mark_failed() { has_failed_ = true; }
  [[nodiscard]] SharedSegment& operator*() { return segment_; }
  [[nodiscard]] SharedSegment* operator->() { return &segment_; }

 private:
  SegmentStore& store_;
  std::vector<Rank> ranks_;
  SharedSegment segment_;
  bool has_failed_ = false;
};

}  // namespace espalier::mpi
