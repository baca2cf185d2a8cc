#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "mpi/late_agreement.hpp"

namespace espalier::mpi {

/// About how long blocks are in calls of one kind, of which each rank knows its own: the longest
/// one of all ranks, agreed on again and again while calls go on.
///
/// Each rank hands in its longest block of late to a non-blocking allreduce, and completes that a
/// number of calls later: so all ranks take a new length before the same call. The first time 4
/// calls pass; then 28 and more, twice as many each time if the length has not changed, up to 256.
/// Calls in one direction may be much faster than an answer over a far link: so many calls pass
/// that ranks wait for at most 1 % of their time.
class AgreedLength {
 public:
  explicit AgreedLength(MPI_Comm comm) : comm_(comm) {}

  /// Called before each call that blocks, by all members. @param longest bytes of this rank's
  /// longest block in the call
  void begin_call(std::uint64_t longest);
  /// Waits until MPI needs the communicator no more.
  void complete() {
    if (agreement_ != nullptr) agreement_->complete();
  }
  /// The length that stands for its class (select::block_class); absent: not agreed on yet.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return bytes_; }

 private:
  void start();
  void finish();

  MPI_Comm comm_;
  std::unique_ptr<LateAgreement> agreement_;  // under way between start() and finish()
  std::optional<std::uint64_t> bytes_;
  std::uint64_t longest_ = 0;  // of this rank since start()
  std::uint64_t calls_ = 0;    // since start()
  std::uint64_t to_pass_ = 4;  // calls between start() and finish()
  double waited_ = 0;          // seconds in the last finish()
  double started_at_ = 0;      // when the last start() was
  double elapsed_ = 0;         // seconds between the last two starts
};

}  // namespace espalier::mpi
