#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace espalier::runtime {

/// How long programs ran before on the same nodes, by a key of the program and its arguments. The
/// next run of a program then need not wait until it has run for long: see Account.
class PastRuns {
 public:
  /// Shorter runs have no time for plans, whatever was known of them.
  static constexpr double kShortest = 1;
  /// No more is counted of a run than this, since the next one may end early.
  static constexpr double kMost = 10;
  static constexpr std::size_t kMostPrograms = 64;

  /// Seconds that the program's last run took, at most kMost; 0 if there was none.
  [[nodiscard]] double expected(const std::string& program) const {
    const auto found = seconds_.find(program);
    return found == seconds_.end() ? 0 : std::clamp(found->second, 0.0, kMost);
  }
  /// Notes a run. If there are too many programs, all others are forgotten.
  void note(const std::string& program, double seconds) {
    if (seconds < kShortest) {
      seconds_.erase(program);
      return;
    }
    if (seconds_.size() >= kMostPrograms && !seconds_.contains(program)) seconds_.clear();
    seconds_[program] = seconds;
  }
  [[nodiscard]] const std::map<std::string, double>& all() const { return seconds_; }

 private:
  std::map<std::string, double> seconds_;
};

}  // namespace espalier::runtime
