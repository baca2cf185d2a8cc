// What programs that know of us may ask a communicator for: the plan of a call, multicasts.
#include "base/float_environment.hpp"
#include "mpi/communicator.hpp"

namespace espalier::mpi {

using runtime::PlanKey;

CallOutlook Communicator::outlook(const PlanKey& key) {
  if (never_) return {false, "native", std::string(name_of(*never_))};
  ClassState& mine = state_of(key);
  if (mine.calls_until_policy > 0) {
    return {false, "native", std::string(name_of(runtime::Reason::OneLevel))};
  }
  const runtime::ClassPolicy& policy =
      mine.policy != nullptr ? *mine.policy : begin_policy(mine, key);
  const bool is_decided =
      policy.trial && policy.calls_until_trial == 0 && policy.trial->has_decision();
  const std::optional<select::WhichPlan> asked =
      policy.candidates[is_decided ? policy.trial->kept() : 0].which;
  PlanKey as_asked = key;
  as_asked.which = asked.value_or(select::WhichPlan::ByPrediction);
  const runtime::CachedPlan& plan = *cached(as_asked);
  CallOutlook outlook{asked.has_value(), "native", std::string(name_of(why_native(policy))),
                      plan.predicted, plan.native_predicted};
  if (!asked) return outlook;
  outlook.name = plan.name;
  outlook.why = plan.why;
  const bool is_asked_for = world_.settings.force || world_.settings.reproducible;
  if (is_decided) outlook.why += "; it has proved to be faster than the MPI library's own";
  if (executor_ == nullptr && gainful_calls_ == 0 && !is_asked_for) {
    outlook.why += "; from the second call on";
  }
  return outlook;
}

bool Communicator::can_multicast() {
  if (never_) return false;
  if (executor_ != nullptr) return true;
  return make_hidden({schedule::Operation::Broadcast, 0, 1, 1, true, false});
}

const runtime::CachedPlan& Communicator::multicast_plan(
    const std::vector<runtime::MulticastCall>& calls) {
  constexpr std::size_t kMost = 256;
  const auto found = multicasts_.find(calls);
  if (found != multicasts_.end()) return found->second;
  if (multicasts_.size() >= kMost) multicasts_.clear();
  const auto self = static_cast<Rank>(rank_);
  const DefaultFloats floats;
  runtime::CachedPlan plan = calls.size() == 1
                                 ? runtime::plan_multicast(group_->machine(), calls.front(), self)
                                 : runtime::plan_multicasts(group_->machine(), calls, self);
  return multicasts_.emplace(calls, std::move(plan)).first->second;
}

}  // namespace espalier::mpi
