#include "runtime/class_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.hpp"
#include "runtime/explain.hpp"

namespace espalier::runtime {
namespace {

/// Calls of a class before its trial where a gain is likely to be small. A trial costs a hidden
/// communicator, so it is for calls that come again and again.
constexpr std::uint32_t kCallsUntilTrial = 64;
/// Native calls that are timed right before plans are, so that native does not look slow by chance.
constexpr std::uint32_t kNativeCallsFirst = 32;
constexpr double kLeastGainOnEvenMachines = 0.05;

double seconds_of(const std::optional<Time>& time) {
  return time ? to_microseconds(*time) * 1e-6 : -1;
}

}  // namespace

CallClass class_of(const PlanKey& key) {
  std::uint64_t elements = key.count;
  if (!key.counts.empty()) {
    elements =
        std::accumulate(key.counts.begin(), key.counts.end(), std::uint64_t{0}) / key.counts.size();
  }
  return {key.operation,   key.root,      select::size_class(Bytes{elements * key.element}),
          key.commutative, key.irregular, !key.counts.empty()};
}

select::Rules rules_of(const Settings& settings, select::NativeMpi mpi) {
  select::Rules rules = select::rules_for(mpi);
  rules.force = settings.force;
  rules.bits = settings.reproducible ? select::Bits::Reference : select::Bits::Any;
  rules.named = settings.algorithm;
  return rules;
}

bool may_try(const Settings& settings) {
  return settings.trial && !settings.force && !settings.reproducible && settings.algorithm.empty();
}

std::uint32_t calls_before_policy(const Settings& settings, bool is_even, bool is_near) {
  return is_even && is_near && may_try(settings) ? kCallsUntilTrial : 0;
}

ClassPolicy make_class_policy(select::Chooser& chooser, const Settings& settings,
                              const PlanKey& key, bool is_even, bool is_near,
                              std::function<double()> elapsed) {
  const schedule::Collective call = call_of(key, chooser.hierarchy().machine().size());
  ClassPolicy policy;
  for (select::Alternative& one : chooser.alternatives(call)) {
    policy.candidates.push_back({one.which, std::move(one.name), seconds_of(one.predicted)});
    if (!may_try(settings)) return policy;
  }
  if (!policy.candidates.front().which && is_near && !is_even && policy.candidates.size() > 1) {
    policy.calls_until_trial = kCallsUntilTrial;
  }
  if (policy.candidates.size() < 2) return policy;
  std::vector<TrialCandidate> candidates;
  for (const Candidate& candidate : policy.candidates)
    candidates.push_back({is_even ? -1 : candidate.predicted, !candidate.which});
  TrialOptions options;
  options.elapsed = std::move(elapsed);
  options.rechecks_winner = is_near;
  if (is_even) options.least_gain = kLeastGainOnEvenMachines;
  if (!policy.candidates.front().which && is_near) options.first_calls = kNativeCallsFirst;
  policy.trial.emplace(std::move(candidates), std::move(options));
  return policy;
}

namespace {

std::string undecided_text(const TrialRecord& record) {
  const std::string& first = record.candidates.front().name;
  switch (record.before_decision) {
    case Trial::BeforeDecision::TakingTurns:
      return "not ended, too few calls: they took turns";
    case Trial::BeforeDecision::WaitingForTime:
      return fmt::format("not begun, too few calls: {} until there is time to try others", first);
    case Trial::BeforeDecision::ByPrediction:
      break;
  }
  return fmt::format("not ended, too few calls: {} by prediction alone", first);
}

/// What distinguishes the class from others of the same operation and size.
std::string kind_of(const CallClass& calls) {
  std::string text;
  if (has_root(calls.operation)) text += fmt::format(", root {}", calls.root);
  if (!calls.commutative) text += ", in order";
  if (calls.unequal) text += ", unequal blocks";
  return text;
}

}  // namespace

std::string trials_text(const std::vector<TrialRecord>& records) {
  std::string text;
  for (const TrialRecord& record : records) {
    text += fmt::format(
        "\n  trial of {}, {}{}, on {}: {}{}\n", schedule::name_of(record.calls.operation),
        record.calls.irregular ? "blocks" : size_class_text(record.calls.size_class),
        kind_of(record.calls), record.communicator,
        record.kept ? fmt::format("kept {} ({})", record.candidates[*record.kept].name, record.why)
                    : undecided_text(record),
        record.was_replanned ? "; then links changed, and plans were made anew" : "");
    std::size_t widest = 40;
    for (const Candidate& candidate : record.candidates)
      widest = std::max(widest, candidate.name.size());
    for (std::size_t w = 0; w < record.candidates.size(); ++w) {
      text +=
          fmt::format("    {:<{}} took {:>8}, predicted {:>8}\n", record.candidates[w].name, widest,
                      time_text(record.times[w]), time_text(record.candidates[w].predicted));
    }
  }
  return text;
}

}  // namespace espalier::runtime
