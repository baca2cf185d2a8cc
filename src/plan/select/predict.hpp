#pragma once

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

/// Predicts plans on one machine. The hierarchy must outlive it.
class Predictor {
 public:
  explicit Predictor(const collective::Hierarchy& hierarchy,
                     const topology::Transport& transport = {})
      : hierarchy_(hierarchy), cost_view_(hierarchy.machine(), {}, 1, transport) {}

  [[nodiscard]] Time operator()(const Plan& plan, const schedule::Collective& call) const {
    return predict(plan, cost_view_, hierarchy_, call);
  }
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] const CostView& cost_view() const { return cost_view_; }

 private:
  const collective::Hierarchy& hierarchy_;
  CostView cost_view_;
};

}  // namespace espalier::select
