#include "runtime/plan_cache.hpp"

#include <algorithm>

#include "runtime/element_program.hpp"
#include "runtime/prepared.hpp"
#include "schedule/in_place.hpp"
#include "schedule/schedule.hpp"

namespace espalier::runtime {

const CachedPlan* PlanCache::look_up(const PlanKey& key) {
  auto it = plans_.find(key);
  if (it == plans_.end()) it = rescaled(key);
  if (it == plans_.end()) return nullptr;
  it->second->used = ++clock_;
  last_key_ = &it->first;
  return last_ = it->second.get();
}

PlanCache::Plans::iterator PlanCache::rescaled(const PlanKey& key) {
  const auto class_of = [&](std::uint64_t count) {
    return select::size_class(Bytes{count * key.element});
  };
  const auto is_like = [&](const PlanKey& other) {  // equal in all but the count
    PlanKey same = key;
    same.count = other.count;
    return other == same && class_of(other.count) == class_of(key.count);
  };
  // No count of the class is less than half of this one.
  auto it = plans_.lower_bound({{key.operation, key.root, key.count / 2, 0, false}});
  for (; it != plans_.end() && it->first.operation == key.operation && it->first.root == key.root &&
         class_of(it->first.count) <= class_of(key.count);
       ++it) {
    if (!is_like(it->first) || it->second->scales_to < key.count) continue;
    auto node = plans_.extract(it);
    if (node.mapped().use_count() > 1) {  // somebody runs it
      node.mapped() = std::make_shared<CachedPlan>(*node.mapped());
    }
    CachedPlan& plan = *node.mapped();
    rescale(plan.prepared, plan.call.count, key.count);
    plan.call.count = key.count;
    plan.signature = schedule::hash_of(plan.call);
    node.key() = key;
    return plans_.insert(std::move(node)).position;
  }
  return plans_.end();
}

const CachedPlan* PlanCache::insert(const PlanKey& key, CachedPlan plan) {
  bytes_ += bytes_of(plan);
  most_bytes_ = std::max(most_bytes_, bytes_);
  ++made_;
  plans_.emplace(key, std::make_shared<CachedPlan>(std::move(plan)));
  evict_all_but(key);
  return look_up(key);
}

void PlanCache::evict_all_but(const PlanKey& key) {
  while (plans_.size() > 1 && (plans_.size() > max_plans_ || bytes_ > max_bytes_)) {
    auto oldest = plans_.end();
    for (auto it = plans_.begin(); it != plans_.end(); ++it) {
      if (it->first == key) continue;
      if (oldest == plans_.end() || it->second->used < oldest->second->used) oldest = it;
    }
    bytes_ -= bytes_of(*oldest->second);
    if (last_ == oldest->second.get()) last_ = nullptr;
    plans_.erase(oldest);
  }
}

namespace {

/// Where in Out a rank's input lies under MPI_IN_PLACE.
std::uint64_t input_at(const schedule::Collective& call, Rank rank) {
  const bool gathers = call.operation == schedule::Operation::Gather ||
                       call.operation == schedule::Operation::Allgather;
  return gathers ? rank * call.block() : 0;
}

/// The part of a rank whose input lies in its Out; nothing if it needs a copy of it.
///
/// Reductions to one or all go up a tree and come down again, or work in Out from the start: there
/// a result may wait until the contribution in its place has left. Elsewhere ranks may so wait for
/// each other in a circle, since a message has left when its receiver took it.
std::optional<schedule::Program> joined_program(const schedule::Program& program,
                                                const schedule::Collective& call, Rank rank) {
  auto joined = schedule::in_place(program, input_at(call, rank));
  const bool may_wait = call.operation == schedule::Operation::Reduce ||
                        call.operation == schedule::Operation::Allreduce;
  if (joined && !may_wait && joined->deps.size() != program.deps.size()) return std::nullopt;
  return joined;
}

}  // namespace

std::uint64_t bytes_of(const CachedPlan& plan) {
  const auto held = [](const auto&... vectors) {
    return ((vectors.size() * sizeof(vectors[0])) + ...);
  };
  const PreparedProgram& p = plan.prepared;
  std::uint64_t runs = 0;
  for (const schedule::IndexSet& set : p.program.sets) runs += set.runs().size();
  return sizeof(plan) + plan.name.size() + plan.why.size() + runs * sizeof(schedule::IndexRun) +
         held(p.program.ops, p.program.deps, p.program.sets, p.lanes, p.messages, p.waits,
              p.message_count, p.first_dependent, p.dependents, p.first_message, p.messages_of_op,
              p.steps);
}

CachedPlan make_plan(select::Chooser& chooser, Rank rank, const PlanKey& key) {
  const topology::Machine& machine = chooser.hierarchy().machine();
  const schedule::Collective call = collective_of(key, machine.size());
  select::PlanChoice choice = chooser.choose(call, key.which);
  CachedPlan plan;
  plan.call = call;
  plan.has_gaps = key.gaps;
  plan.scales_to = choice.scales_to;
  plan.name = std::move(choice.name);
  plan.why = std::move(choice.why);
  plan.predicted = choice.predicted;
  plan.native_predicted = choice.native_predicted;
  plan.planned = choice.planned();
  if (!plan.planned) return plan;
  const auto part_of = [&](Rank r) { return own_part(choice, chooser.hierarchy(), call, r); };
  schedule::Program program =
      !key.counts.empty() ? element_program(call, rank, part_of) : part_of(rank);
  if (key.in_place) {
    if (auto joined = joined_program(program, call, rank)) {
      program = std::move(*joined);
    } else {
      plan.needs_input_copy = true;
    }
  }
  plan.prepared = prepare(std::move(program), [&](Rank peer) {
    const topology::Path path = machine.path(rank, peer);
    return PeerLink{path.level, topology::kTransport.is_far(path.latency)};
  });
  plan.signature = schedule::hash_of(call);
  return plan;
}

}  // namespace espalier::runtime
