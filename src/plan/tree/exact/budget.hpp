#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace espalier::tree::exact {

/// How much searching is allowed: steps, and a moment of the clock if there is one.
class SearchBudget {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SearchBudget(std::uint64_t steps, std::optional<Clock::time_point> until = {})
      : limit_(steps), until_(until) {}

  /// False when it is used up; nothing should be spent from then on.
  bool spend(std::uint64_t steps) {
    used_ += steps;
    if (used_ > limit_) return false;
    if ((used_ >> kLooksAtClock) != last_look_) {
      last_look_ = used_ >> kLooksAtClock;
      if (out_of_time()) limit_ = used_;
    }
    return used_ <= limit_;
  }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] std::uint64_t left() const { return used_ > limit_ ? 0 : limit_ - used_; }
  /// Looks at the clock, if there is one.
  [[nodiscard]] bool out_of_time() const { return until_ && Clock::now() >= *until_; }

  /// A budget of so many hundredths of what is left, in steps and in time.
  [[nodiscard]] SearchBudget part(unsigned percent) const {
    if (!until_) return SearchBudget(left() / 100 * percent);
    const auto now = Clock::now();
    if (now >= *until_) return SearchBudget(0, until_);
    return SearchBudget(left() / 100 * percent, now + (*until_ - now) / 100 * percent);
  }
  /// Adds up what a part has used.
  void add(const SearchBudget& part) { used_ = std::min(limit_, used_ + part.used_); }

 private:
  static constexpr int kLooksAtClock = 10;  // log2 of the steps between two looks
  std::uint64_t limit_;
  std::optional<Clock::time_point> until_;
  std::uint64_t used_ = 0;
  std::uint64_t last_look_ = 0;
};

}  // namespace espalier::tree::exact
