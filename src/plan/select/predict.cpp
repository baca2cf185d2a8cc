#include "select/predict.hpp"

#include "sim/simulate.hpp"

namespace espalier::select {

Time predict(const Plan& plan, const CostView& cost_view, const collective::Hierarchy& hierarchy,
             const schedule::Collective& call) {
  if (plan.algorithm->estimate == nullptr) {
    return sim::simulate(call, parts_of(plan, hierarchy, call), hierarchy.machine()).finish;
  }
  const cost::Picos at = plan.algorithm->estimate(cost_view, hierarchy, call, plan.parameters);
  constexpr cost::Picos kMost = 9e18;
  return at >= kMost ? kForever : Time{static_cast<std::int64_t>(at)};
}

}  // namespace espalier::select
