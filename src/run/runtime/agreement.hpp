#pragma once

#include <functional>
#include <span>
#include <vector>

namespace espalier::runtime {

/// Seconds that the program has run on this rank. Handed in with each call by whoever has a clock.
using Clock = std::function<double()>;

/// Lets all members of a communicator change their decision at the same call. Each member hands in
/// numbers; later all members get the maximum of each. Trial and Watch use it; the implementation
/// over MPI is mpi::LateAgreement.
///
/// States, the same on all members at the same call:
///   1. Idle: start() may be called.
///   2. Under way: start() was called. Calls of the program go on, and nobody waits.
///   3. Idle again: finish() was called, before the same later call on all members.
///
/// Why nobody waits for ever: a rank in finish() waits only until others come to a call that it has
/// completed itself. No correct MPI program depends on a collective call returning before all
/// members have come to it. So they come.
class Agreement {
 public:
  Agreement() = default;
  virtual ~Agreement() = default;
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// Hands in this rank's numbers; all members hand in as many. Never waits. @pre Idle
  virtual void start(std::span<const double> mine) = 0;
  /// The largest of each number over all members. Empty, on all members, if that failed.
  /// @pre Under way
  virtual std::vector<double> finish() = 0;
};

}  // namespace espalier::runtime
