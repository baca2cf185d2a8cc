#pragma once

#include <algorithm>

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
  /// @param counts_work all other work of ours is part of what trials must be paid for with. Not
  /// where the user has named the machine, and wants plans for it at any time
  void count_in(Account& account, bool counts_work) {
    account_ = &account;
    counts_work_ = counts_work;
  }
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
  /// This process's regret on other communicators, freed ones too, and its other work: to be agreed
  /// on.
  [[nodiscard]] double own_elsewhere() const {
    if (account_ == nullptr) return 0;
    const double work = counts_work_ ? account_->own() : 0;
    return work + std::max(0.0, account_->regret() - regret_ - reserved_);
  }
  /// What this process waited for others in that work: likewise.
  [[nodiscard]] double own_waited() const { return counts_work_ ? account_->waited() : 0; }
  /// @param seconds the largest own_elsewhere() of all members
  /// @param waited the least own_waited()
  void agree_on_elsewhere(double seconds, double waited) { elsewhere_ = seconds + waited; }
  /// What trials and other work cost the program, as far as the members have agreed on it.
  [[nodiscard]] double committed() const { return elsewhere_ + regret_ + reserved_; }
  void add_native(double measured, double predicted) {
    if (predicted > 0) native_ratio = std::min(native_ratio, measured / predicted);
  }

 private:
  void add_to_program(double seconds) {
    if (account_ != nullptr) account_->regret(seconds);
  }

  double regret_ = 0, reserved_ = 0, elsewhere_ = 0;
  Account* account_ = nullptr;
  bool counts_work_ = false;
};

}  // namespace espalier::runtime
