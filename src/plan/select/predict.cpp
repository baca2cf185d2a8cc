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

Time PredictedTimes::of(const Plan& plan, const CostView& cost_view,
                        const collective::Hierarchy& hierarchy, const schedule::Collective& call) {
  if (call_ != call) {
    known_.clear();
    call_ = call;
  }
  Plan key{plan.algorithm,
           collective::canonical(*plan.algorithm, hierarchy, call, plan.parameters)};
  for (const auto& [other, time] : known_) {
    if (other == key) return time;
  }
  const Time time = predict(plan, cost_view, hierarchy, call);
  known_.emplace_back(std::move(key), time);
  return time;
}

Time Predictor::operator()(const Plan& plan, const schedule::Collective& call) const {
  return last_.of(plan, cost_view_, hierarchy_, call);
}

}  // namespace espalier::select
