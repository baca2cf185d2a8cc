#include "mpi/memory_use.hpp"

#include <algorithm>
#include <utility>

#include "mpi/device_buffers.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {

using runtime::Candidate;
using runtime::SharedCall;
using runtime::SharedMemory;

namespace {

/// Whether settings let any call go through memory.
bool may_share(const World& world) {
  return !kIsSimulated && !world.settings.reproducible && !names_a_plan(world.settings) &&
         world.tracer == nullptr;
}

}  // namespace

bool MemoryUse::wants_segment(const GroupPlans& group) const {
  constexpr std::size_t kMost = NodeSegment::kMostMembers;
  if (does_without_segment_ || group.members().size() > kMost || !may_share(world_)) return false;
  const runtime::Settings& settings = world_.settings;
  const bool is_tried = runtime::may_try(settings) && group.is_even() && group.far_pairs().empty();
  const bool is_asked_for = settings.shared == SharedMemory::Always ||
                            (settings.shared == SharedMemory::Tried && is_tried);
  return is_asked_for && select::is_one_node(group.machine());
}

bool MemoryUse::wants_one_copy(const GroupPlans& group) const {
  return world_.settings.one_copy != SharedMemory::Never && !does_without_one_copy_ &&
         wants_segment(group);
}

bool MemoryUse::wants_node_level(GroupPlans& group) const {
  const bool is_asked_for =
      world_.settings.shared == SharedMemory::Always && !does_without_segment_ && may_share(world_);
  // Nobody else looks at every member for nothing.
  return is_asked_for && group.nodes().are_several();
}

/// A newer machine may have other nodes than those that have segments.
bool MemoryUse::may_go_over_nodes(GroupPlans& group, bool is_made) const {
  if (!wants_node_level(group)) return false;
  if (node_level_ == nullptr) return !is_made;
  return node_level_->nodes() == group.nodes();
}

void MemoryUse::do_without(const GroupPlans& group) {
  if (lacks_one_copy(group)) {
    does_without_one_copy_ = true;
  } else {
    does_without_segment_ = true;
  }
}

int MemoryUse::processes_of_node(GroupPlans& group) const {
  const std::vector<int>& leaders = world_.places.leaders;
  if (leaders.empty()) return static_cast<int>(group.nodes().largest());
  return static_cast<int>(
      std::count(leaders.begin(), leaders.end(), leaders[static_cast<std::size_t>(world_.rank)]));
}

bool MemoryUse::make(Channel& channel, GroupPlans& group) {
  const bool has_level = wants_node_level(group);
  if (!has_level && !wants_segment(group)) return true;
  // Whoever asks for memory has no buffers on devices.
  const bool is_asked_for = world_.settings.shared == SharedMemory::Always;
  const SegmentWanted wanted{group.members(), world_.settings.shared_limit.value,
                             processes_of_node(group), !is_asked_for && takes_device_buffers(),
                             wants_one_copy(group)};
  if (!has_level) {
    segment_ = NodeSegment::make(channel, store_, wanted);
    return true;
  }
  node_level_ = NodeLevel::make(channel, store_, wanted, group.nodes());
  // Plans over memory may have been made before.
  return node_level_ != nullptr;
}

std::vector<Candidate> MemoryUse::candidates(GroupPlans& group, const SharedCall& call,
                                             bool is_made) const {
  const bool may_have_segment = wants_segment(group) && (!is_made || segment_ != nullptr);
  const schedule::Collective collective = runtime::collective_of(call, group.machine().size());
  if (may_have_segment && !call.gaps && NodeSegment::may_serve(collective)) {
    return in_segment(group, call, collective);
  }
  return with_nodes(group, call, is_made);
}

std::vector<Candidate> MemoryUse::in_segment(GroupPlans& group, const SharedCall& call,
                                             const schedule::Collective& collective) const {
  const auto time = select::predict_shared_memory(group.machine(), collective);
  const double predicted = time ? to_microseconds(*time) * 1e-6 : -1;
  const std::string name(select::kSharedMemory);
  const Candidate once{select::WhichPlan::OneCopy, std::string(select::kOneCopy), -1};
  const bool is_tried = runtime::may_try(world_.settings);
  const bool has_once = is_tried && wants_one_copy(group) && select::is_worth_one_copy(collective);
  std::vector<Candidate> all;
  if (group.is_even() && is_tried) {
    // What the chooser would name. It is not asked: that takes milliseconds, and there may never be
    // time for the trial.
    all = {{std::nullopt, "native", -1}, {select::WhichPlan::Best, name, predicted}};
    if (has_once) all.push_back(once);
    return all;
  }
  // Nothing is measured: one copy is taken only if that was asked for.
  const bool is_once = !is_tried && wants_one_copy(group) && select::may_copy_once(collective) &&
                       world_.settings.one_copy == SharedMemory::Always;
  // All plans go through memory: one of them stands for them.
  bool has_memory = false;
  for (const Candidate& one : group.candidates(call)) {
    if (!one.which) {
      all.push_back(one);
    } else if (!std::exchange(has_memory, true)) {
      all.push_back(is_once ? once : Candidate{one.which, name, time ? predicted : one.predicted});
    }
  }
  if (has_once && has_memory) all.push_back(once);
  return all;
}

/// A call over memory takes the place of the second best plan, where there is one, and is tried if
/// it is predicted near what prediction prefers.
std::vector<Candidate> MemoryUse::with_nodes(GroupPlans& group, const SharedCall& call,
                                             bool is_made) const {
  constexpr double kNear = 1.3;
  std::vector<Candidate> all = group.candidates(call);
  if (call.gaps || call.irregular || !may_go_over_nodes(group, is_made)) return all;
  const bool is_tried = runtime::may_try(world_.settings);
  // Without trials what is forced goes through memory only if that was asked for.
  if (!is_tried && !all.front().which) return all;
  auto over = group.candidate_over_memory(call);
  if (!over) return all;
  if (!is_tried) {
    all.front() = std::move(*over);
    return all;
  }
  const double preferred = all.front().predicted;
  if (preferred >= 0 && over->predicted > kNear * preferred) return all;
  if (all.size() == 3) all.pop_back();
  all.push_back(std::move(*over));
  return all;
}

std::string_view MemoryUse::name_of(const runtime::CachedPlan& plan) const {
  const bool is_in_memory =
      segment_ != nullptr && !plan.has_gaps && NodeSegment::may_serve(plan.call);
  if (!is_in_memory) return plan.name;
  return plan.is_one_copy ? select::kOneCopy : select::kSharedMemory;
}

void MemoryUse::mark_failed() {
  if (segment_ != nullptr) segment_->mark_failed();
  if (node_level_ != nullptr) node_level_->mark_failed();
}

void MemoryUse::leave() {
  segment_.reset();
  node_level_.reset();
}

}  // namespace espalier::mpi
