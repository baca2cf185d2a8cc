#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace espalier::runtime {

/// What our own work may cost a program: at every moment no more than kShare of the time that the
/// program has run so far. Own work is whatever a program without us does not do: finding the
/// machine, making hidden communicators, waiting for agreements, and what calls of trials take
/// beyond the best candidate (regret).
///
/// Work and waiting are counted apart. A rank that comes early to an agreement waits for the last
/// one, as it would in the program's next call; only what all ranks wait makes the program longer.
///
/// It knows agreed values only: each rank hands in its own clock, work and waiting with an
/// agreement (the least clock, the largest work and the least waiting count), so all ranks come to
/// the same answer. Any thread may add to it.
class Account {
 public:
  static constexpr double kShare = 0.02;
  /// What a machine and plans for it are predicted to take of processor time, before they are made.
  static constexpr double kSecondsToPlan = 0.02;

  /// Adds what this rank measured of its own work.
  void spend(double seconds) { own_.fetch_add(seconds, std::memory_order_relaxed); }
  /// Adds what this rank waited for others in work of ours.
  void wait(double seconds) { waited_.fetch_add(seconds, std::memory_order_relaxed); }
  /// Adds what calls of trials took longer than they had to, or are expected to; takes back what
  /// was expected, if negative.
  void regret(double seconds) { regret_.fetch_add(seconds, std::memory_order_relaxed); }
  /// What this rank's own work took so far, without waiting and trials.
  [[nodiscard]] double own() const { return own_.load(std::memory_order_relaxed); }
  [[nodiscard]] double regret() const { return regret_.load(std::memory_order_relaxed); }
  /// What this rank hands in as its work: trials are part of it.
  [[nodiscard]] double own_with_regret() const { return own() + std::max(0.0, regret()); }
  [[nodiscard]] double waited() const { return waited_.load(std::memory_order_relaxed); }

  /// Whether work that is predicted to take so long may begin.
  /// @param elapsed agreed seconds that the program has run
  /// @param spent agreed seconds of own work so far
  [[nodiscard]] static bool pays_for(double predicted, double elapsed, double spent) {
    return spent + predicted <= kShare * elapsed;
  }
  /// Agreed seconds after which such work may begin.
  [[nodiscard]] static double seconds_to_pay_for(double predicted, double spent) {
    return (spent + predicted) / kShare;
  }

 private:
  std::atomic<double> own_{0}, waited_{0}, regret_{0};
};

/// When to ask again whether there is time for some work, counted in calls: first after `first`
/// calls; then when there is likely to be time, if the ranks know (wait_for()); else after twice as
/// many each time, between kFewest and kMost.
class Asking {
 public:
  static constexpr std::uint32_t kFewest = 4, kMost = 1024;
  explicit Asking(std::uint32_t first) : left_(first), next_(std::max(kFewest, 2 * first)) {}
  /// Counts a call before which nothing can be asked.
  void pass() { ++calls_; }
  /// Counts a call. @return whether to ask before this one
  bool is_due() {
    ++calls_;
    if (left_ > 0) {
      --left_;
      return false;
    }
    left_ = next_;
    next_ = std::min(2 * next_, kMost);
    return true;
  }
  /// The answer was that there is time after `needed` seconds, of which `elapsed` are over: agreed
  /// values. Calls are taken to go on as fast as since the answer before, but not for long: at most
  /// 64 calls at first, and twice as many each time. At least 4 calls at first, and a quarter more
  /// each time, so that a program whose calls become ever faster is not asked at each.
  void wait_for(double needed, double elapsed) {
    const double of_a_call =
        (elapsed - answered_at_) / static_cast<double>(std::max<std::uint64_t>(calls_, 1));
    answered_at_ = elapsed;
    calls_ = 0;
    if (!(of_a_call > 0)) return;
    const double calls =
        std::clamp((needed - elapsed) / of_a_call + 1, 0.0, static_cast<double>(most_));
    left_ = std::max(static_cast<std::uint32_t>(calls), least_);
    least_ = std::min(least_ + (least_ + 3) / 4, kMost);
    most_ = std::min(2 * most_, 64 * kMost);
  }

 private:
  std::uint32_t left_, next_;
  std::uint32_t least_ = kFewest, most_ = 64;  // calls to wait_for()
  std::uint64_t calls_ = 0;                    // since the last answer
  double answered_at_ = 0;
};

}  // namespace espalier::runtime
