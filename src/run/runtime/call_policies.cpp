#include "runtime/call_policies.hpp"

#include <algorithm>
#include <utility>

namespace espalier::runtime {

void CallPolicies::begin(bool is_even, bool is_near, const Settings& settings, std::uint64_t where,
                         const Verdicts* known, Propose propose) {
  forget();
  ground_.evidence.native_ratio = 1;  // that was another machine; what was paid is paid
  ground_.is_even = is_even;
  ground_.is_near = is_near;
  ground_.tries = may_try(settings);
  ground_.spares_first = !settings.force && !settings.reproducible;
  where_ = where;
  known_ = known;
  propose_ = std::move(propose);
}

void CallPolicies::forget() {
  last_ = nullptr;
  classes_.clear();
  ground_.evidence.release_all();
}

ClassPolicy& CallPolicies::at(const SharedCall& call) {
  const CallClass calls = class_of(call);
  if (last_ != nullptr && last_class_ == calls && !last_->wants_candidates()) return *last_;
  auto it = classes_.find(calls);
  if (it == classes_.end()) {
    if (classes_.size() >= kMostClasses) forget();
    const std::uint32_t native_calls = known(calls) ? 0 : native_calls_first(ground_);
    it = classes_.emplace(calls, ClassPolicy(ground_, native_calls)).first;
  }
  if (it->second.wants_candidates()) it->second.begin(propose_(call), known(calls));
  last_class_ = calls;
  return *(last_ = &it->second);
}

CallPolicies::Outlook CallPolicies::outlook(const SharedCall& call) const {
  const CallClass calls = class_of(call);
  const auto outlook_of = [](const ClassPolicy& policy) {
    return Outlook{policy.outlook(), policy.state(), policy.has_decision()};
  };
  const auto it = classes_.find(calls);
  const bool is_new = it == classes_.end();
  if (!is_new && !it->second.wants_candidates()) return outlook_of(it->second);
  PolicyGround ground = ground_;
  ClassPolicy policy(ground, is_new && !known(calls) ? native_calls_first(ground) : 0);
  if (policy.wants_candidates()) policy.begin(propose_(call), known(calls));
  return outlook_of(policy);
}

bool CallPolicies::is_full_for(const SharedCall& call) const {
  return classes_.size() >= kMostClasses && !classes_.contains(class_of(call));
}

std::vector<TrialRecord> CallPolicies::records(const std::string& communicator) const {
  std::vector<TrialRecord> all;
  for (const auto& [calls, policy] : classes_) {
    auto record = policy.record(calls);
    if (!record) continue;
    record->communicator = communicator;
    all.push_back(std::move(*record));
  }
  return all;
}

std::size_t CallPolicies::undecided() const {
  return static_cast<std::size_t>(std::count_if(
      classes_.begin(), classes_.end(), [](const auto& one) { return one.second.is_undecided(); }));
}

void CallPolicies::add_to(Verdicts& verdicts) const {
  for (const auto& [calls, policy] : classes_) {
    // Those of neighbourhood collectives hold for one graph.
    if (schedule::is_neighbourhood(calls.operation)) continue;
    if (const auto kept = policy.decision()) verdicts.set(where_, calls, *kept);
  }
}

}  // namespace espalier::runtime
