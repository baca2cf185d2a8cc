#include "select/predict.hpp"

#include "sim/simulate.hpp"

namespace espalier::select {
namespace {

Time whole_picoseconds(cost::Picos at) {
  constexpr cost::Picos kMost = 9e18;
  return at >= kMost ? kForever : Time{static_cast<std::int64_t>(at)};
}

}  // namespace

Time predict(const Plan& plan, const CostView& cost_view, const collective::Hierarchy& hierarchy,
             const schedule::Collective& call) {
  if (plan.algorithm->estimate == nullptr) {
    return sim::simulate(call, parts_of(plan, hierarchy, call), hierarchy.machine()).finish;
  }
  return whole_picoseconds(plan.algorithm->estimate(cost_view, hierarchy, call, plan.parameters));
}

Time PredictedTimes::of(const Plan& plan, const collective::Hierarchy& hierarchy,
                        const schedule::Collective& call, const std::function<Time()>& predict) {
  if (call_ != call) {
    known_.clear();
    call_ = call;
  }
  Plan key{plan.algorithm,
           collective::canonical(*plan.algorithm, hierarchy, call, plan.parameters)};
  for (const auto& [other, time] : known_) {
    if (other == key) return time;
  }
  const Time time = predict();
  known_.emplace_back(std::move(key), time);
  return time;
}

const CostView& Predictor::cost_view() const {
  if (cost_view_ == nullptr) {
    cost_view_ = std::make_unique<CostView>(hierarchy_.machine(), std::span<const CostScale>{}, 1,
                                            transport_);
  }
  return *cost_view_;
}

/// The same whatever was asked before: it is judged as seen from rank 0.
bool Predictor::goes_by_parts() const {
  if (!goes_by_parts_) {
    const topology::Machine& machine = hierarchy_.machine();
    goes_by_parts_ = machine.size() > kRankByRankUpTo && hierarchy_.shape().can_fold &&
                     folded_for(0).hierarchy().machine().size() <= machine.size() / kFewParts;
    if (!*goes_by_parts_) folded_.clear();
  }
  return *goes_by_parts_;
}

/// Of a few roots; beyond that all are forgotten.
const collective::FoldedMachine& Predictor::folded_for(Rank root) const {
  constexpr std::size_t kMost = 16;
  const auto found = folded_.find(root);
  if (found != folded_.end()) return found->second;
  if (folded_.size() >= kMost) folded_.clear();
  return folded_.try_emplace(root, hierarchy_, root, transport_).first->second;
}

Time Predictor::beside(const Plan& plan, const schedule::Collective& call) const {
  if (plan.algorithm->estimate_folded != nullptr && goes_by_parts()) {
    const Rank root = schedule::has_root(call.operation) ? call.root : 0;
    const auto folded = plan.algorithm->estimate_folded(folded_for(root), call, plan.parameters);
    if (folded) return whole_picoseconds(*folded);
  }
  return predict(plan, cost_view(), hierarchy_, call);
}

Time Predictor::at_least(const Plan& plan, const schedule::Collective& call) const {
  if (plan.algorithm->at_least == nullptr) return Time{0};
  return whole_picoseconds(plan.algorithm->at_least(hierarchy_, call, plan.parameters));
}

Time Predictor::operator()(const Plan& plan, const schedule::Collective& call) const {
  return last_.of(plan, hierarchy_, call, [&] { return beside(plan, call); });
}

}  // namespace espalier::select
