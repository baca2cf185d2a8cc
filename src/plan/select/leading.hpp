#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "schedule/collective.hpp"
#include "select/plan.hpp"
#include "select/ranking.hpp"
#include "select/segments.hpp"

namespace espalier::select {

/// Its messages follow the order of the ranks, whatever the machine.
[[nodiscard]] inline bool ignores_topology(const Plan& plan) {
  return plan.algorithm->traits.by_number;
}

/// Plans that are left out because two others surely come before them.
///
/// The two differ in more than their segments, serve the call, and keep their times whatever the
/// roots. A plan that takes longer than both is not among the first two of the ranking. It is not
/// preferred to them either: they know the machine, and a plan that is the only one to send blocks
/// directly, or not to, is left out only if it is beyond what is preferred (0.5 %). Of plans that
/// are tuned level by level the best is never left out.
class Leading {
 public:
  using Serves = std::function<bool(const Plan&)>;

  Leading(const schedule::Collective& call, Roots roots, const Serves& serves)
      : call_(call), roots_(roots), serves_(serves) {}

  void note(const Plan& plan, Time predicted) {
    if (plan.algorithm->traits.is_tuned) best_tuned_ = std::min(best_tuned_, predicted);
    const bool may_change =
        roots_ == Roots::Any && schedule::has_root(call_.operation) && ignores_topology(plan);
    if (may_change || !serves_(plan)) return;
    if (!first_ || predicted < first_->predicted) {
      if (first_ && !are_alike(first_->plan, plan)) second_ = first_;
      first_ = Choice{plan, predicted};
    } else if (!are_alike(first_->plan, plan) && (!second_ || predicted < second_->predicted)) {
      second_ = Choice{plan, predicted};
    }
  }
  /// Whether a plan may be faster than the best so far by more than 3 %.
  [[nodiscard]] bool is_worth_a_walk(Time at_least) const {
    if (!first_) return true;
    const std::int64_t best = first_->predicted.picoseconds;
    return at_least.picoseconds < best - best / 100 * 3;
  }
  [[nodiscard]] bool is_beaten(const Plan& plan, Time at_least) const {
    if (!second_ || at_least <= second_->predicted) return false;
    if (plan.algorithm->traits.is_tuned && at_least <= best_tuned_) return false;
    const auto is_direct = [](const Plan& one) { return one.algorithm->traits.sends_directly; };
    const bool is_one_way =
        is_direct(plan) == is_direct(first_->plan) || is_direct(plan) == is_direct(second_->plan);
    return is_one_way || at_least > lengthened(first_->predicted, 200);
  }

 private:
  const schedule::Collective& call_;
  Roots roots_;
  const Serves& serves_;
  std::optional<Choice> first_;
  std::optional<Choice> second_;
  Time best_tuned_ = kForever;  // the best of the plans that are tuned level by level
};

}  // namespace espalier::select
