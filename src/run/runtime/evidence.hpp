#pragma once

#include <algorithm>
#include <atomic>

namespace espalier::runtime {

/// What the trials of one communicator have found out so far, for those that follow. Only agreed
/// values enter, before the same calls on all members, so it is the same on all of them.
class Evidence {
 public:
  /// Least ratio of measured to predicted time of native calls that were timed, in any class. Below
  /// 1 if native was found to be faster than predicted somewhere; it may be so elsewhere.
  double native_ratio = 1;
  /// @param program seconds of regret on all communicators of this process, with what is reserved;
  /// must outlive this
  void count_in(std::atomic<double>& program) { program_ = &program; }
  /// Seconds that calls of trials took longer here than the candidate that was best.
  [[nodiscard]] double regret() const { return regret_; }
  void add_regret(double seconds) {
    regret_ += seconds;
    add_to_program(seconds);
  }
  /// What a trial that takes turns now is expected to add to the regret: others are tried beside
  /// it.
  void reserve(double seconds) {
    reserved_ += seconds;
    add_to_program(seconds);
  }
  void release(double seconds) { reserve(-seconds); }
  /// Trials were forgotten.
  void release_all() { release(reserved_); }
  /// This process's regret on other communicators, freed ones too: to be agreed on.
  [[nodiscard]] double own_elsewhere() const {
    if (program_ == nullptr) return 0;
    return std::max(0.0, program_->load(std::memory_order_relaxed) - regret_ - reserved_);
  }
  /// The largest of all members.
  void agree_on_elsewhere(double seconds) { elsewhere_ = seconds; }
  /// What trials cost the program, as far as the members have agreed on it.
  [[nodiscard]] double committed() const { return elsewhere_ + regret_ + reserved_; }
  void add_native(double measured, double predicted) {
    if (predicted > 0) native_ratio = std::min(native_ratio, measured / predicted);
  }

 private:
  void add_to_program(double seconds) {
    if (program_ != nullptr) program_->fetch_add(seconds, std::memory_order_relaxed);
  }

  double regret_ = 0, reserved_ = 0, elsewhere_ = 0;
  std::atomic<double>* program_ = nullptr;
};

}  // namespace espalier::runtime
