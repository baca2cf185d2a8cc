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

namespace {

std::uint64_t bytes_of_program(const PreparedProgram& p) {
  const auto held = [](const auto&... vectors) {
    return ((vectors.size() * sizeof(vectors[0])) + ...);
  };
  std::uint64_t runs = 0;
  for (const schedule::IndexSet& set : p.program.sets) runs += set.runs().size();
  return runs * sizeof(schedule::IndexRun) + held(p.program.ops, p.program.deps, p.program.sets,
                                                  p.lanes, p.messages, p.waits, p.message_count,
                                                  p.first_dependent, p.dependents, p.first_message,
                                                  p.messages_of_op, p.steps);
}

}  // namespace

std::uint64_t bytes_of(const CachedPlan& plan) {
  std::uint64_t bytes =
      sizeof(plan) + plan.name.size() + plan.why.size() + bytes_of_program(plan.prepared);
  if (plan.over_memory != nullptr) {
    bytes += sizeof(LeadersPart) + bytes_of_program(plan.over_memory->whole) +
             bytes_of_program(plan.over_memory->last);
  }
  return bytes;
}

namespace {

/// Whether its blocks differ in length and none of them brings its length along.
bool is_of_elements(const PlanKey& key) { return !key.counts.empty() && !key.irregular; }

}  // namespace

CachedPlan make_plan(select::Chooser& chooser, Rank rank, const PlanKey& key) {
  const topology::Machine& machine = chooser.hierarchy().machine();
  const schedule::Collective call = collective_of(key, machine.size());
  select::PlanChoice choice = chooser.choose(call, key.which);
  CachedPlan plan;
  plan.call = call;
  plan.has_gaps = key.gaps;
  plan.is_one_copy = key.which == select::WhichPlan::OneCopy;
  plan.scales_to = choice.scales_to;
  plan.name = std::move(choice.name);
  plan.why = std::move(choice.why);
  plan.predicted = choice.predicted;
  plan.native_predicted = choice.native_predicted;
  plan.planned = choice.planned();
  if (!plan.planned) return plan;
  const auto part_of = [&](Rank r) { return own_part(choice, chooser.hierarchy(), call, r); };
  schedule::Program program =
      is_of_elements(key) ? element_program(call, rank, part_of) : part_of(rank);
  if (key.in_place) {
    if (auto joined = joined_program(program, call, rank)) {
      program = std::move(*joined);
    } else {
      plan.needs_input_copy = true;
    }
  }
  plan.prepared =
      prepare(std::move(program), [&](Rank peer) { return link_along(machine.path(rank, peer)); });
  plan.signature = schedule::hash_of(call);
  return plan;
}

namespace {

/// A leader's program of one piece, with the ranks of the whole communicator instead of leaders'.
PreparedProgram leaders_program(select::Chooser& chooser, const select::PlanChoice& choice,
                                const schedule::Collective& call, const std::vector<Rank>& leaders,
                                Rank own) {
  const topology::Machine& machine = chooser.hierarchy().machine();
  PreparedProgram program = prepare(own_part(choice, chooser.hierarchy(), call, own),
                                    [&](Rank peer) { return link_along(machine.path(own, peer)); });
  for (Lane& lane : program.lanes) lane.peer = leaders[lane.peer];
  for (SequentialStep& step : program.steps) {
    const bool is_message =
        step.kind == schedule::OpKind::Send || step.kind == schedule::OpKind::Recv;
    if (is_message) step.peer = leaders[step.peer];
  }
  return program;
}

}  // namespace

std::optional<CachedPlan> make_plan_over_memory(select::Chooser& chooser,
                                                const select::Nodes& nodes, Rank rank,
                                                const PlanKey& key) {
  const schedule::Collective call = collective_of(key, nodes.size());
  const auto choice = select::choose_over_memory(chooser, nodes, call);
  if (!choice) return std::nullopt;
  const std::vector<Rank> leaders = nodes.leaders(call.root);
  auto part = std::make_shared<LeadersPart>();
  part->piece = choice->piece;
  part->leader = nodes.leader_of(nodes.node_of(rank), call.root);
  if (part->leader == rank) {
    const auto own =
        static_cast<Rank>(std::lower_bound(leaders.begin(), leaders.end(), rank) - leaders.begin());
    part->whole =
        leaders_program(chooser, choice->leaders,
                        select::call_of_leaders(call, leaders, part->piece), leaders, own);
    const std::uint64_t rest = part->piece == 0 ? 0 : call.count % part->piece;
    if (rest != 0) {
      const auto last = select::call_of_leaders(call, leaders, rest);
      part->last = leaders_program(chooser, chooser.choose(last, select::WhichPlan::Best), last,
                                   leaders, own);
    }
  }
  CachedPlan plan;
  plan.call = call;
  plan.name = choice->name();
  plan.why = "leaders of nodes send, the others share memory with them";
  plan.predicted = choice->predicted;
  plan.planned = true;
  plan.signature = schedule::hash_of(call);
  plan.over_memory = std::move(part);
  return plan;
}

}  // namespace espalier::runtime
