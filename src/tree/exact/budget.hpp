#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace espalier::tree::exact {

/// How much searching is allowed: steps, and a moment of the clock if there is one.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Budget(std::uint64_t steps, std::optional<Clock::time_point> until = {})
      : limit_(steps), until_(until) {}

  /// False when it is used up; nothing should be spent from then on.
  bool spend(std::uint64_t steps) {
    used_ += steps;
    if (used_ > limit_) return false;
    if (until_ && (used_ >> kLooksAtClock) != last_look_) {
      last_look_ = used_ >> kLooksAtClock;
      if (Clock::now() >= *until_) out_of_time_ = true;
    }
    return !out_of_time_;
  }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] std::uint64_t left() const {
    return out_of_time_ || used_ > limit_ ? 0 : limit_ - used_;
  }
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }

  /// A budget of so many hundredths of what is left.
  [[nodiscard]] Budget part(unsigned percent) const {
    std::optional<Clock::time_point> until;
    if (until_) {
      const auto now = Clock::now();
      until = now + std::max(*until_ - now, Clock::duration{}) / 100 * percent;
    }
    return Budget(left() / 100 * percent, until);
  }
  /// Adds up what a part has used.
  void add(const Budget& part) {
    used_ = std::min(limit_, used_ + part.used_);
    if (until_ && Clock::now() >= *until_) out_of_time_ = true;
  }

 private:
  static constexpr int kLooksAtClock = 10;  // every 1024 steps
  std::uint64_t limit_;
  std::optional<Clock::time_point> until_;
  std::uint64_t used_ = 0;
  std::uint64_t last_look_ = 0;
  bool out_of_time_ = false;
};

}  // namespace espalier::tree::exact
