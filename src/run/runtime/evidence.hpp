#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "runtime/account.hpp"

namespace espalier::runtime {

/// What the trials of one communicator have found out so far, for those that follow. Only agreed
/// values enter, before the same calls on all members, so it is the same on all of them.
class Evidence {
 public:
  /// Least ratio of measured to predicted time of native calls that were timed, in any class. Below
  /// 1 if native was found to be faster than predicted somewhere; it may be so elsewhere.
  double native_ratio = 1;
  /// Regret, with what is reserved, goes to this process's account from now on.
  /// @param account must outlive this
  void count_in(Account& account) { account_ = &account; }
  /// All other work of ours is part of what trials must be paid for with. Not where the user has
  /// named the machine, and wants plans for it at any time.
  /// @param expected seconds that the program will run, as all ranks know; must outlive this
  void count_work(const double& expected) { expected_ = &expected; }
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
  /// How many numbers own_numbers() has.
  static constexpr std::size_t kNumbers = 4;
  /// What this rank hands in to an agreement, which takes the largest of each.
  /// @param now seconds that the program has run
  [[nodiscard]] std::array<double, kNumbers> own_numbers(double now) const {
    const bool counts_work = account_ != nullptr && expected_ != nullptr;
    return {-(counts_work ? std::max(now, *expected_) : now), own_elsewhere(),
            counts_work ? std::max(0.0, account_->own()) : 0.0,
            counts_work ? -account_->waited() : 0.0};
  }
  /// @pre as many as kNumbers
  void take_agreed(std::span<const double> largest) {
    elapsed_ = -largest[0];
    elsewhere_ = largest[1];
    work_ = largest[2] - largest[3];
  }
  /// Agreed seconds that count: how long the program has run, or will run.
  [[nodiscard]] double elapsed() const { return elapsed_; }
  /// This process's regret on other communicators, freed ones too.
  [[nodiscard]] double own_elsewhere() const {
    if (account_ == nullptr) return 0;
    return std::max(0.0, account_->regret() - regret_ - reserved_);
  }
  /// What trials cost the program, as far as the members have agreed on it.
  [[nodiscard]] double of_trials() const { return elsewhere_ + regret_ + reserved_; }
  /// Likewise with all other work of ours, if that counts.
  [[nodiscard]] double committed() const { return of_trials() + work_; }
  void add_native(double measured, double predicted) {
    if (predicted > 0) native_ratio = std::min(native_ratio, measured / predicted);
  }

 private:
  void add_to_program(double seconds) {
    if (account_ != nullptr) account_->regret(seconds);
  }

  double regret_ = 0, reserved_ = 0;
  double elapsed_ = 0, elsewhere_ = 0, work_ = 0;  // agreed
  Account* account_ = nullptr;
  const double* expected_ = nullptr;
};

}  // namespace espalier::runtime
