#include "runtime/plan_cache.hpp"

#include <algorithm>

#include "schedule/in_place.hpp"
#include "schedule/schedule.hpp"

namespace espalier::runtime {

const CachedPlan* PlanCache::look_up(const PlanKey& key) {
  const auto it = plans_.find(key);
  if (it == plans_.end()) return nullptr;
  it->second.used = ++clock_;
  last_key_ = &it->first;
  return last_ = &it->second;
}

const CachedPlan* PlanCache::insert(const PlanKey& key, CachedPlan plan) {
  messages_ += plan.prepared.messages.size();
  ++made_;
  plans_.emplace(key, std::move(plan));
  evict_all_but(key);
  return look_up(key);
}

void PlanCache::evict_all_but(const PlanKey& key) {
  while (plans_.size() > 1 && (plans_.size() > max_plans_ || messages_ > max_messages_)) {
    auto oldest = plans_.end();
    for (auto it = plans_.begin(); it != plans_.end(); ++it) {
      if (it->first == key) continue;
      if (oldest == plans_.end() || it->second.used < oldest->second.used) oldest = it;
    }
    messages_ -= oldest->second.prepared.messages.size();
    if (last_ == &oldest->second) last_ = nullptr;
    plans_.erase(oldest);
  }
}

CachedPlan make_plan(Planner& planner, const Settings& settings, Rank rank, const PlanKey& key) {
  const topology::Machine& machine = planner.hierarchy().machine();
  schedule::Collective call{key.operation,      machine.size(),  key.root, key.count,
                            Bytes{key.element}, key.commutative, {}};
  if (key.irregular) call.counts.assign(machine.size(), key.count);
  PlanChoice choice = planner.choose(call, settings);
  CachedPlan plan;
  plan.name = std::move(choice.name);
  plan.why = std::move(choice.why);
  plan.predicted = choice.predicted;
  plan.native_predicted = choice.native_predicted;
  plan.planned = choice.planned();
  if (!plan.planned) return plan;
  schedule::Program program = choice.program_of(rank);
  if (key.in_place) {
    if (auto joined = schedule::in_place(program)) {
      program = std::move(*joined);
    } else {
      plan.needs_input_copy = true;
    }
  }
  plan.prepared =
      prepare(std::move(program), [&](Rank peer) { return machine.path(rank, peer).level; });
  plan.signature = schedule::hash_of(call);
  return plan;
}

}  // namespace espalier::runtime
