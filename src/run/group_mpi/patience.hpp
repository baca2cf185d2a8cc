#pragma once

#include <chrono>
#include <cstdint>

namespace espalier::group_mpi {

/// What a process does while it waits and nothing comes: polls, then gives way, then sleeps.
///
/// Ranks that share a core must not keep the one that has something to do from running, and giving
/// way is not enough where many wait: each of them is woken in turn to find nothing. Sleep is an
/// eighth of the time waited so far, at most kLongest: a wait gets longer by no more than that.
class Patience {
 public:
  static constexpr std::uint32_t kPolls = 20;   ///< polls before the first yield
  static constexpr std::uint32_t kYields = 20;  ///< yields before the first sleep
  static constexpr std::chrono::microseconds kLongest{500};

  void something_came() { idle_ = 0; }
  void nothing_came();

 private:
  std::uint32_t idle_ = 0;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace espalier::group_mpi
