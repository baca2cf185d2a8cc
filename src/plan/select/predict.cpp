#include "select/predict.hpp"

#include <algorithm>

#include "collective/segments.hpp"
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

std::optional<Time> PredictedTimes::of(const Plan& plan, const collective::Hierarchy& hierarchy,
                                       const schedule::Collective& call,
                                       const std::function<std::optional<Time>()>& predict) {
  if (call_ != call) {
    known_.clear();
    call_ = call;
  }
  Plan key{plan.algorithm,
           collective::canonical(*plan.algorithm, hierarchy, call, plan.parameters)};
  for (const auto& [other, time] : known_) {
    if (other == key) return time;
  }
  const std::optional<Time> time = predict();
  if (time) known_.emplace_back(std::move(key), *time);
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

std::optional<Time> Predictor::found_by_shape(const Plan& plan,
                                              const schedule::Collective& call) const {
  if (plan.algorithm->estimate_folded == nullptr || !goes_by_parts()) return std::nullopt;
  const Rank root = schedule::has_root(call.operation) ? call.root : 0;
  const auto folded = plan.algorithm->estimate_folded(folded_for(root), call, plan.parameters);
  if (!folded) return std::nullopt;
  return whole_picoseconds(*folded);
}

Time Predictor::beside(const Plan& plan, const schedule::Collective& call) const {
  const auto time = found_by_shape(plan, call);
  return time ? *time : predict(plan, cost_view(), hierarchy_, call);
}

bool Predictor::is_thrifty() const {
  const collective::MachineShape& shape = hierarchy_.shape();
  const Rank ranks = hierarchy_.machine().size();
  const bool is_known =
      shape.in_order ? ranks > kNumbersWalkedUpTo : shape.dealt_to != 0 && ranks > kWalkedUpTo;
  return is_known && goes_by_parts();
}

std::optional<Time> Predictor::by_shape(const Plan& plan, const schedule::Collective& call) const {
  return last_by_shape_.of(plan, hierarchy_, call, [&] { return found_by_shape(plan, call); });
}

bool Predictor::may_walk(const Plan& plan, const schedule::Collective& call) const {
  if (!is_thrifty()) return true;
  const bool is_long = call.count * call.element.value > collective::kShortOfSegments;
  return call.size <= kWalkedUpTo && (is_long || !plan.algorithm->traits.by_number);
}

std::optional<Time> Predictor::affordable(const Plan& plan,
                                          const schedule::Collective& call) const {
  if (may_walk(plan, call)) return (*this)(plan, call);
  return by_shape(plan, call);
}

Time Predictor::told(const Plan& plan, const schedule::Collective& call) const {
  if (const auto time = affordable(plan, call)) return *time;
  Time time = at_least(plan, call);
  if (plan.algorithm->about != nullptr) {
    const auto about = plan.algorithm->about(hierarchy_, call, plan.parameters);
    time = std::max(time, whole_picoseconds(about));
  }
  return time > Time{0} ? time : (*this)(plan, call);
}

Time Predictor::at_least(const Plan& plan, const schedule::Collective& call) const {
  if (plan.algorithm->at_least == nullptr) return Time{0};
  return whole_picoseconds(plan.algorithm->at_least(hierarchy_, call, plan.parameters));
}

Time Predictor::operator()(const Plan& plan, const schedule::Collective& call) const {
  return *last_.of(plan, hierarchy_, call, [&] { return beside(plan, call); });
}

}  // namespace espalier::select
