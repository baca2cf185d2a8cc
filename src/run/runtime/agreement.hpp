#pragma once

#include <span>
#include <vector>

namespace espalier::runtime {

/// Numbers of all members of a communicator, brought together while its calls go on: how ranks
/// change their mind together. All members start() before the same call and finish() before the
/// same later one; in between nobody waits.
///
/// Why nobody waits for ever: a rank waits in finish() only for others to come to a call that it
/// has itself left behind, and MPI lets no correct program depend on a collective call returning
/// before all members have come to it.
class Agreement {
 public:
  Agreement() = default;
  virtual ~Agreement() = default;
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// Hands in this rank's numbers. @pre what was started before is finished
  virtual void start(std::span<const double> mine) = 0;
  /// Of each number the largest that a member handed in; nothing if that failed (on all).
  /// @pre started
  virtual std::vector<double> finish() = 0;
};

}  // namespace espalier::runtime
