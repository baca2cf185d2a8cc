#include "runtime/count_planner.hpp"

#include <algorithm>

#include "select/chooser.hpp"
#include "select/counted_runs.hpp"

namespace espalier::runtime {

using schedule::Collective;
using schedule::Operation;

namespace {

/// Kept trees by counts and standing trees: so many ranks of all of them together.
constexpr std::size_t kMostRanks = std::size_t{1} << 18U;
constexpr std::size_t kMostEntries = 64;
constexpr const char* kRandom = "random";

template <typename Map>
bool is_full(const Map& map, Rank ranks) {
  return map.size() >= kMostEntries || map.size() * ranks > kMostRanks;
}

}  // namespace

std::vector<RoleEntry> roles_of(const tree::CommTree& tree, std::span<const std::uint64_t> bytes) {
  std::vector<RoleEntry> roles;
  std::vector<std::uint32_t> place(tree.size(), 0);
  for (const Rank rank : tree.preorder()) {
    place[rank] = static_cast<std::uint32_t>(roles.size());
    roles.push_back({rank, bytes[rank], 1});
  }
  for (auto role = roles.rbegin(); role != roles.rend(); ++role) {
    if (role->rank != tree.root()) roles[place[tree.parent(role->rank)]].tree += role->tree;
  }
  return roles;
}

bool is_by_counts(const Settings& settings, Operation operation) {
  if (operation != Operation::Scatter && operation != Operation::Gather) return false;
  return !settings.algorithm.contains(operation) || tree_named(settings, operation).has_value();
}

std::optional<std::string> tree_named(const Settings& settings, Operation operation) {
  const auto named = settings.algorithm.find(operation);
  if (named == settings.algorithm.end()) return std::nullopt;
  return select::tree_by_counts(named->second);
}

CountPlanner::CountPlanner(const topology::Machine& machine, const Settings& settings)
    : machine_(machine) {
  conditions_.bundle_limit = settings.bundle_limit;
  for (const Operation operation : {Operation::Scatter, Operation::Gather}) {
    if (const auto name = tree_named(settings, operation)) named_[operation] = *name;
  }
}

Collective CountPlanner::call_of(Operation operation, Rank root,
                                 std::vector<std::uint64_t> bytes) const {
  return {operation, machine_.size(), root, 0, Bytes{1}, true, std::move(bytes)};
}

const RolePlan& CountPlanner::scatter(Rank root, const std::vector<std::uint64_t>& bytes) {
  Entry& entry = entry_of(root, bytes);
  const Collective call = call_of(Operation::Scatter, root, bytes);
  const auto named = named_.find(Operation::Scatter);
  ++entry.calls;
  if (named != named_.end() && named->second == kRandom) {
    last_ = plan(call);
    return last_;
  }
  if (!entry.plan) {
    const auto from = select::planned_from(machine_, call);
    const bool is_worth = from && entry.calls >= *from;
    if (named == named_.end() && !is_worth) {
      last_ = standing(call);
      return last_;
    }
    entry.plan = plan(call);
  }
  return *entry.plan;
}

/// Named, or the quickest by prediction.
CountPlanner::Planned CountPlanner::choose(const Collective& call) {
  ++planned_;
  const auto named = named_.find(call.operation);
  if (named == named_.end()) {
    select::IrregularChoice choice = quick_choice(machine_, call, conditions_);
    return {std::move(choice.plan.algorithm), std::move(choice.plan.tree), choice.predicted};
  }
  if (named->second == kRandom) {
    const std::uint64_t seed = planned_ * 1000003 + call.root;
    return {kRandom, select::random_tree(call, seed, conditions_.bundle_limit), {}};
  }
  return {named->second, irregular_plan(named->second, machine_, call, conditions_).tree, {}};
}

RolePlan CountPlanner::plan(const Collective& call) {
  const Planned planned = choose(call);
  return {select::name_by_counts(planned.algorithm), planned.predicted,
          roles_of(planned.tree, call.counts)};
}

RolePlan CountPlanner::standing(const Collective& call) {
  auto found = standing_.find(call.root);
  if (found == standing_.end()) {
    if (usual_.empty()) usual_ = select::standing_algorithm(machine_, call, conditions_);
    if (is_full(standing_, call.size)) standing_.clear();
    tree::CommTree tree = select::standing_tree(usual_, machine_, call, conditions_);
    found = standing_.emplace(call.root, std::move(tree)).first;
  }
  return {select::name_by_counts(usual_), std::nullopt,
          roles_of(select::refitted(found->second, call, conditions_.bundle_limit), call.counts)};
}

CountPlanner::Entry& CountPlanner::entry_of(Rank root, const std::vector<std::uint64_t>& bytes) {
  const Key key{root, bytes};
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (is_full(entries_, machine_.size())) {
      entries_.erase(std::min_element(
          entries_.begin(), entries_.end(),
          [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    found = entries_.emplace(key, Entry{}).first;
  }
  found->second.used = ++clock_;
  return found->second;
}

std::optional<RolePlan> CountPlanner::better_gather(Rank root, std::vector<std::uint64_t> bytes,
                                                    bool is_first) {
  const Collective call =
      select::with_everybody(call_of(Operation::Gather, root, std::move(bytes)));
  const Planned planned = choose(call);
  const auto before = gathering_.find(root);
  if (!is_first && before != gathering_.end() && planned.predicted) {
    const select::IrregularPlan old{"", before->second, collective::Sending::AtOnce, {}, {}};
    const Time stays = predict(old, machine_, call, select::quick_conditions());
    if (!select::is_gain(*planned.predicted, stays)) return std::nullopt;
  }
  if (is_full(gathering_, call.size)) gathering_.clear();
  gathering_.insert_or_assign(root, planned.tree);
  return RolePlan{select::name_by_counts(planned.algorithm), planned.predicted,
                  roles_of(planned.tree, call.counts)};
}

}  // namespace espalier::runtime
