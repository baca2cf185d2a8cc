#include "mpi/group_plans.hpp"

#include <algorithm>
#include <utility>

#include "base/float_environment.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/shared_by_ranks.hpp"
#include "topology/views.hpp"

namespace espalier::mpi {
namespace {

/// Whether a group sees the machine as it is: all processes in their own order, and an outermost
/// level that joins something.
bool sees_all_of_it(const std::vector<Rank>& members, const topology::Machine& machine) {
  if (members.size() != machine.size() || machine.clusters().front().member_count < 2) return false;
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    if (members[rank] != rank) return false;
  }
  return true;
}

/// A group as text that no other group has.
std::string key_of(std::uint64_t where, const std::vector<Rank>& members) {
  std::string key(reinterpret_cast<const char*>(&where), sizeof where);
  key.append(reinterpret_cast<const char*>(members.data()), members.size() * sizeof(Rank));
  return key;
}

}  // namespace

std::uint64_t bytes_of(const topology::Machine& machine) {
  // Of a process: its record, its place among the members, its place in the order, and back.
  constexpr std::uint64_t kOfProcess = 32;
  return machine.size() * kOfProcess + machine.clusters().size() * sizeof(topology::Cluster);
}

GroupPlans::GroupPlans(std::vector<Rank> members, std::uint64_t where, std::uint64_t place,
                       std::shared_ptr<const topology::Machine> machine,
                       std::vector<FarPair> far_pairs, runtime::Settings settings,
                       std::shared_ptr<Counters> counters)
    : members_(std::move(members)),
      where_(where),
      place_(place),
      machine_(std::move(machine)),
      settings_(std::move(settings)),
      is_even_(!select::is_uneven(*machine_)),
      far_pairs_(std::move(far_pairs)),
      counters_(std::move(counters)) {}

const select::Nodes& GroupPlans::nodes() {
  const std::lock_guard lock(mutex_);
  return known_nodes();
}

const select::Nodes& GroupPlans::known_nodes() {
  if (!nodes_) {
    ++counters_->nodes;
    nodes_.emplace(*machine_);
  }
  return *nodes_;
}

select::Chooser& GroupPlans::chooser() {
  if (chooser_ == nullptr) {
    hierarchy_ = std::make_unique<const collective::Hierarchy>(*machine_);
    select::SharedDecisions shared;
    if constexpr (kIsSimulated) shared = shared_decisions(*machine_);
    chooser_ = std::make_unique<select::Chooser>(
        *hierarchy_, runtime::rules_of(settings_, kNativeMpi), std::move(shared));
  }
  return *chooser_;
}

std::vector<runtime::Candidate> GroupPlans::candidates(const runtime::SharedCall& call) {
  ++counters_->choices;
  const std::lock_guard lock(mutex_);
  return candidates_of(chooser(), settings_, call);
}

runtime::CachedPlan GroupPlans::plan(Rank rank, const runtime::PlanKey& key) {
  ++counters_->choices;
  const std::lock_guard lock(mutex_);
  return make_plan(chooser(), rank, key);
}

select::Chooser& GroupPlans::chooser_of_leaders(Rank root) {
  const std::vector<Rank> leaders = known_nodes().leaders(root);
  auto found = leaders_.find(leaders);
  if (found == leaders_.end()) {
    if (leaders_.size() >= kMostLeaders) leaders_.clear();
    Leaders made;
    made.machine =
        std::make_unique<const topology::Machine>(topology::restrict_machine(*machine_, leaders));
    made.hierarchy = std::make_unique<const collective::Hierarchy>(*made.machine);
    made.chooser = std::make_unique<select::Chooser>(*made.hierarchy,
                                                     runtime::rules_of(settings_, kNativeMpi));
    found = leaders_.emplace(leaders, std::move(made)).first;
  }
  return *found->second.chooser;
}

std::optional<runtime::Candidate> GroupPlans::candidate_over_memory(
    const runtime::SharedCall& call) {
  const schedule::Collective collective = runtime::collective_of(call, machine_->size());
  if (!select::may_go_over_memory(collective)) return std::nullopt;
  ++counters_->choices;
  const DefaultFloats floats;
  const std::lock_guard lock(mutex_);
  const auto choice =
      select::choose_over_memory(chooser_of_leaders(collective.root), known_nodes(), collective);
  if (!choice) return std::nullopt;
  return runtime::Candidate{select::WhichPlan::OverMemory, choice->name(),
                            to_seconds(choice->predicted)};
}

std::optional<runtime::CachedPlan> GroupPlans::plan_over_memory(Rank rank,
                                                                const runtime::PlanKey& key) {
  const schedule::Collective collective = runtime::collective_of(key, machine_->size());
  if (!select::may_go_over_memory(collective)) return std::nullopt;
  ++counters_->choices;
  const std::lock_guard lock(mutex_);
  return make_plan_over_memory(chooser_of_leaders(collective.root), known_nodes(), rank, key);
}

std::shared_ptr<GroupPlans> Groups::known(std::uint64_t where, const std::vector<Rank>& members) {
  const auto [first, last] = groups_.equal_range(where);
  for (auto it = first; it != last; ++it) {
    auto group = it->second.lock();
    if (group != nullptr && group->members() == members) return group;
  }
  return nullptr;
}

void Groups::keep(std::shared_ptr<GroupPlans> group) {
  const auto it = std::find(kept_.begin(), kept_.end(), group);
  if (it != kept_.end()) {
    std::rotate(it, it + 1, kept_.end());
    return;
  }
  kept_.push_back(std::move(group));
  std::uint64_t bytes = 0;
  for (const auto& one : kept_) bytes += bytes_of(one->machine());
  while (kept_.size() > 1 && (kept_.size() > kMostKept || bytes > kMostKeptBytes)) {
    bytes -= bytes_of(kept_.front()->machine());
    kept_.erase(kept_.begin());
  }
}

std::shared_ptr<GroupPlans> Groups::made_for(const World& world, const std::vector<Rank>& members,
                                             std::uint64_t where, std::uint64_t place) {
  std::shared_ptr<const topology::Machine> machine = world.known()->machine;
  if (!sees_all_of_it(members, *machine)) {
    machine =
        std::make_shared<const topology::Machine>(topology::restrict_machine(*machine, members));
  }
  auto watched = runtime::may_try(world.settings) ? far_pairs(*machine) : std::vector<FarPair>{};
  return std::make_shared<GroupPlans>(members, where, place, std::move(machine), std::move(watched),
                                      world.settings, counters_);
}

std::shared_ptr<GroupPlans> Groups::find(const World& world, const std::vector<Rank>& members) {
  const KnownMachine& known_machine = *world.known();
  std::uint64_t where = known_machine.hash;
  std::uint64_t place = known_machine.place;
  for (const Rank rank : members) {
    where = (where ^ rank) * 0x100000001b3ULL;
    place = (place ^ rank) * 0x100000001b3ULL;
  }
  {
    const std::lock_guard lock(mutex_);
    if (auto group = known(where, members)) {
      keep(group);
      return group;
    }
  }
  std::shared_ptr<GroupPlans> made;
  if constexpr (kIsSimulated) {
    made = shared_by_ranks<GroupPlans>("group", key_of(where, members),
                                       [&] { return made_for(world, members, where, place); });
  } else {
    made = made_for(world, members, where, place);
  }
  const std::lock_guard lock(mutex_);
  if (auto group = known(where, members)) return group;  // another thread was quicker
  if (groups_.size() >= 2 * when_cleared_) {             // entries of groups that are gone
    std::erase_if(groups_, [](const auto& entry) { return entry.second.expired(); });
    when_cleared_ = std::max(groups_.size(), kMostKept);
  }
  ++made_;
  groups_.emplace(where, made);
  keep(made);
  return made;
}

std::shared_ptr<GroupPlans> Groups::changed(const World& world, const GroupPlans& before,
                                            topology::Machine machine) {
  return std::make_shared<GroupPlans>(before.members(), before.where(), before.place(),
                                      std::make_shared<const topology::Machine>(std::move(machine)),
                                      before.far_pairs(), world.settings, counters_);
}

}  // namespace espalier::mpi
