#pragma once

#include <algorithm>

namespace espalier::runtime {

/// What the trials of one communicator have found out so far, for those that follow. Only agreed
/// values enter, before the same calls on all members, so it is the same on all of them.
struct Evidence {
  /// Least ratio of measured to predicted time of native calls that were timed, in any class. Below
  /// 1 if native was found to be faster than predicted somewhere; it may be so elsewhere.
  double native_ratio = 1;
  /// Seconds that calls of trials took longer than the candidate that was best.
  double regret = 0;
  /// What trials that take turns now are expected to add to that: classes are tried side by side.
  double reserved = 0;

  [[nodiscard]] double committed() const { return regret + reserved; }
  void add_native(double measured, double predicted) {
    if (predicted > 0) native_ratio = std::min(native_ratio, measured / predicted);
  }
};

}  // namespace espalier::runtime
