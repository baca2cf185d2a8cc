#include "mpi/class_plans.hpp"

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "mpi/seconds_now.hpp"
#include "runtime/neighbour_plan.hpp"
#include "schedule/schedule.hpp"
#include "select/chooser.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::SharedCall;
using select::WhichPlan;

void ClassPlans::begin(std::shared_ptr<GroupPlans> group, bool is_changed) {
  forget_plans();
  start_trials_.forget();
  hidden_.forget_trees();
  multicasts_.forget();
  counted_calls_.forget();
  neighbours_.forget_choices();
  group_ = std::move(group);
  verdicts_ = world_.verdicts;
  policies_.evidence().count_in(world_.account);
  if (world_.learns_late) policies_.evidence().count_work(world_.expected_seconds);
  // The network may have been another in earlier runs.
  policies_.begin(group_->is_even(), group_->far_pairs().empty(), world_.settings, group_->place(),
                  is_changed ? nullptr : verdicts_.get(),
                  [this](const SharedCall& call) { return candidates(call); });
}

void ClassPlans::leave() {
  start_trials_.forget();
  policies_.leave();
}

bool ClassPlans::makes_room_for(const SharedCall& call) {
  if (!policies_.is_full_for(call)) return false;
  settled_.plan = nullptr;
  start_trials_.forget();
  return true;
}

void ClassPlans::forget_plans() {
  plans_ = runtime::PlanCache();
  settled_.plan = nullptr;
}

const CachedPlan* ClassPlans::find(const runtime::PlanKey& key) {
  settled_.plan = nullptr;  // it may be evicted now
  const CachedPlan* plan = plans_.find(key);
  if (plan != nullptr) return plan;
  const double begin = seconds_now();
  plan = plans_.insert(key, plan_of(static_cast<Rank>(user_.rank), key));
  if (!world_.learns_late) world_.spend_on_node(seconds_now() - begin);
  if (world_.settings.log > 1 && world_.rank == 0) {
    write_message(fmt::format("espalier: {} of {} B on {}, root {}: {} ({})\n",
                              schedule::name_of(key.operation), key.count * key.element,
                              user_.name(), key.root, hidden_.memory().name_of(*plan), plan->why));
  }
  return plan;
}

std::vector<runtime::Candidate> ClassPlans::candidates(const SharedCall& call) {
  if (schedule::is_neighbourhood(call.operation)) {
    return runtime::neighbour_candidates(neighbours_.chooser(*group_), world_.settings, call);
  }
  return hidden_.memory().candidates(*group_, call, hidden_.is_made());
}

CachedPlan ClassPlans::plan_of(Rank rank, const runtime::PlanKey& key) {
  const bool is_over_memory = key.which == WhichPlan::OverMemory;
  if (is_over_memory && hidden_.memory().may_go_over_nodes(*group_, hidden_.is_made())) {
    if (auto plan = group_->plan_over_memory(rank, key)) return std::move(*plan);
  }
  if (!schedule::is_neighbourhood(key.operation)) return group_->plan(rank, key);
  return runtime::make_neighbour_plan(neighbours_.chooser(*group_), group_->machine(), key, rank);
}

/// Everybody derives rank 0's parts and compares: a self-test of the planner.
std::uint64_t ClassPlans::hash_to_agree(const SharedCall& call) {
  std::uint64_t hash =
      schedule::hash_of(plan_of(0, {call, false, WhichPlan::Best}).prepared.program);
  if (hidden_.memory().wants_node_level(*group_)) {
    const auto over = group_->plan_over_memory(0, {call, false, WhichPlan::OverMemory});
    if (over) hash ^= 3 * schedule::hash_of(over->over_memory->whole.program);
  }
  return hash;
}

bool ClassPlans::take_lengths(SharedCall& call, Blocks blocks) {
  if (call.operation != schedule::Operation::Allgather || call.counts.empty()) return false;
  const schedule::Collective known =
      runtime::collective_of(call, static_cast<Rank>(group_->machine().size()));
  const bool is_counted = select::is_chosen_by_counts(known);
  if (is_counted && blocks == Blocks::Yes) counted_calls_.note(call, group_->machine());
  if (!is_counted || !counted_calls_.are_due(call)) {
    call.count = select::with_assumed_blocks(known).count;
    call.counts.clear();
  }
  return is_counted;
}

CallOutlook ClassPlans::outlook(SharedCall call) {
  const runtime::Settings& settings = world_.settings;
  if (is_named_native(settings, call.operation)) {
    return {false, "native", std::string(name_of(runtime::Reason::Named))};
  }
  (void)take_lengths(call, Blocks::No);
  const runtime::CallPolicies::Outlook expected = policies_.outlook(call);
  const runtime::Take& take = expected.take;
  CallOutlook outlook{take.which.has_value(), "native", std::string(name_of(take.why))};
  if (expected.state == runtime::ClassState::Few) return outlook;
  const CachedPlan& plan = *find({call, false, take.which.value_or(WhichPlan::ByPrediction)});
  outlook.predicted = plan.predicted;
  outlook.native_predicted = plan.native_predicted;
  if (!take.which) return outlook;
  outlook.name = std::string(hidden_.memory().name_of(plan));
  outlook.why = plan.why;
  // A gatherv has the plan at first, and other trees when its root has told one.
  if (call.irregular && call.operation == schedule::Operation::Scatter &&
      runtime::is_by_counts(settings, call.operation)) {
    outlook.name = "by counts";
    outlook.why = "the root chooses a tree by the lengths, which it alone knows; else " + plan.why;
  }
  if (expected.has_decision) {
    outlook.why += "; it has proved to be faster than the MPI library's own";
  }
  const bool is_asked_for = settings.force || settings.reproducible;
  if (!hidden_.is_made() && !policies_.had_gainful_call() && !is_asked_for) {
    outlook.why += "; from the second call on";
  }
  return outlook;
}

std::vector<runtime::TrialRecord> ClassPlans::trials() const {
  std::vector<runtime::TrialRecord> records = past_trials_;
  for (runtime::TrialRecord& one : policies_.records(user_.name())) {
    records.push_back(std::move(one));
  }
  return records;
}

void ClassPlans::keep_trials() {
  constexpr std::size_t kMostPastTrials = 1000;
  if (world_.settings.explain.empty() || past_trials_.size() >= kMostPastTrials) return;
  past_trials_ = trials();
  for (runtime::TrialRecord& record : past_trials_) record.was_replanned = true;
}

}  // namespace espalier::mpi
