#pragma once

#include <utility>
#include <vector>

#include "cost/cost_view.hpp"
#include "select/plan.hpp"

namespace espalier::select {

using cost::CostScale;
using cost::CostView;

/// The time of a plan by its algorithm's estimate, without simulating it: closed forms level by
/// level for trees, round by round for the classical algorithms, on the same machine and by the
/// same rules as the simulator (links shared fairly). Deterministic on every rank and CPU. Plans
/// without an estimate are simulated.
///
/// O(ranks) for trees, O(ranks log ranks) for algorithms in log ranks rounds; of direct exchanges
/// O(ranks^2).
/// @pre cost_view is of the hierarchy's machine; the plan serves the call
[[nodiscard]] Time predict(const Plan& plan, const CostView& cost_view,
                           const collective::Hierarchy& hierarchy,
                           const schedule::Collective& call);

/// Predicted times of plans of one call, each worked out once.
class PredictedTimes {
 public:
  /// @pre cost_view and hierarchy are the same for all plans
  [[nodiscard]] Time of(const Plan& plan, const CostView& cost_view,
                        const collective::Hierarchy& hierarchy, const schedule::Collective& call);

 private:
  schedule::Collective call_;
  std::vector<std::pair<Plan, Time>> known_;  // by canonical parameters
};

/// Predicts plans on one machine. What it predicted for the last call it remembers, also for plans
/// that build the same schedule. The hierarchy must outlive it. Not thread-safe.
class Predictor {
 public:
  explicit Predictor(const collective::Hierarchy& hierarchy,
                     const topology::Transport& transport = {})
      : hierarchy_(hierarchy), cost_view_(hierarchy.machine(), {}, 1, transport) {}

  [[nodiscard]] Time operator()(const Plan& plan, const schedule::Collective& call) const;
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] const CostView& cost_view() const { return cost_view_; }

 private:
  const collective::Hierarchy& hierarchy_;
  CostView cost_view_;
  mutable PredictedTimes last_;
};

}  // namespace espalier::select
