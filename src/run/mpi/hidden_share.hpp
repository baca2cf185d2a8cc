#pragma once

#include <atomic>

#include "mpi/segment_store.hpp"

namespace espalier::mpi {

/// Counts the hidden communicators of this process, abandoned ones included, up to a cap: MPICH has
/// 2,045 communicators for each process, and the program needs them too. Any thread may use it.
class HiddenShare {
 public:
  static constexpr int kMost = 128;
  /// Takes one, if there is one left.
  [[nodiscard]] bool take() {
    const int before = taken_.fetch_add(1);
    if (before >= kMost || is_closed_.load()) {
      taken_.fetch_sub(1);
      return false;
    }
    for (int most = most_.load(); most <= before;) {
      if (most_.compare_exchange_weak(most, before + 1)) break;
    }
    return true;
  }
  void give_back() { taken_.fetch_sub(1); }
  /// From now on take() fails.
  void close() { is_closed_.store(true); }
  [[nodiscard]] int taken() const { return taken_.load(); }
  /// The most that were taken at a time.
  [[nodiscard]] int most() const { return most_.load(); }
  /// Shared memory of the segments that go with hidden communicators.
  SegmentStore memory;

 private:
  std::atomic<int> taken_{0};
  std::atomic<int> most_{0};
  std::atomic<bool> is_closed_{false};
};

}  // namespace espalier::mpi
