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
  bytes_ += bytes_of(plan);
  most_bytes_ = std::max(most_bytes_, bytes_);
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
    bytes_ -= bytes_of(oldest->second);
    if (last_ == &oldest->second) last_ = nullptr;
    plans_.erase(oldest);
  }
}

std::uint64_t bytes_of(const CachedPlan& plan) {
  const auto held = [](const auto&... vectors) {
    return ((vectors.size() * sizeof(vectors[0])) + ...);
  };
  const PreparedProgram& p = plan.prepared;
  return sizeof(plan) + plan.name.size() + plan.why.size() +
         held(p.program.ops, p.program.deps, p.program.sets, p.lanes, p.messages, p.waits,
              p.message_count, p.first_dependent, p.dependents, p.first_message, p.lanes_of_op,
              p.messages_of_op);
}

CachedPlan make_plan(Planner& planner, const Settings& settings, Rank rank, const PlanKey& key) {
  const topology::Machine& machine = planner.hierarchy().machine();
  const schedule::Collective call{key.operation,      machine.size(),  key.root, key.count,
                                  Bytes{key.element}, key.commutative, {}};
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
