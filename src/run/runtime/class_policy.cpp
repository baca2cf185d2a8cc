#include "runtime/class_policy.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "base/float_environment.hpp"

namespace espalier::runtime {
namespace {

/// Native calls that are timed right before plans are, so that native does not look slow by chance.
constexpr std::uint32_t kNativeCallsFirst = 32;
constexpr double kLeastGainOnEvenMachines = 0.05;
constexpr std::string_view kTooLittleOnEvenMachines = "no plan was faster by 5 % and 0.15 us";
/// Calls that would gain and are native nevertheless, since many communicators are made, used once
/// and freed.
constexpr std::uint64_t kCallsBeforeHidden = 1;

double seconds_of(const std::optional<Time>& time) {
  return time ? to_microseconds(*time) * 1e-6 : -1;
}

}  // namespace

std::uint32_t native_calls_first(const PolicyGround& ground) {
  return ground.is_even && ground.is_near && ground.tries ? kCallsUntilTrial : 0;
}

void ClassPolicy::begin(std::vector<Candidate> candidates,
                        const std::optional<std::string>& known) {
  candidates_ = std::move(candidates);
  if (candidates_.size() < 2) return;
  const bool is_native_first = !candidates_.front().which;
  std::vector<TrialCandidate> tried;
  for (const Candidate& one : candidates_) {
    tried.push_back({ground_->is_even ? -1 : one.predicted, !one.which});
  }
  TrialOptions options;
  options.rechecks_winner = ground_->is_near;
  options.regret = &ground_->near_regret;
  if (!ground_->is_near) options.evidence = &ground_->evidence;
  if (ground_->is_even) {
    options.least_gain = kLeastGainOnEvenMachines;
    options.why_too_little = kTooLittleOnEvenMachines;
  }
  if (is_native_first && ground_->is_near) options.first_calls = kNativeCallsFirst;
  trial_.emplace(std::move(tried), options);
  for (std::uint32_t c = 0; known && c < candidates_.size(); ++c) {
    if (candidates_[c].name == *known) trial_->keep_from_earlier_run(c);
  }
  // Where no plan gains by prediction and no link is far, the trial waits for many calls.
  const bool waits = is_native_first && ground_->is_near && !ground_->is_even;
  if (waits && !trial_->is_decided()) calls_left_ = kCallsUntilTrial;
}

Take ClassPolicy::decide(const Clock& clock) {
  if (calls_left_ > 0) {
    --calls_left_;
    return outlook();
  }
  if (is_joined()) return step(clock);
  // What is native for good counts nothing and joins nothing: some ranks remember it, and do not
  // come here again.
  if (is_near_native_known()) return take(trial_->kept());
  const bool would_plan = candidates_.front().which.has_value();
  if (!would_plan && !trial_) return take(0);
  if (is_among_the_first()) {
    if (would_plan) return {.why = Reason::FirstCalls};
    Take first = take(0);
    first.is_for_good = false;
    return first;
  }
  return {.first = Take::First::Join};
}

Take ClassPolicy::joined(const Clock& clock) {
  const bool is_known = trial_ && trial_->is_decided();
  return candidates_.front().which && !is_known ? take(0) : step(clock);
}

Take ClassPolicy::step(const Clock& clock) {
  candidate_ = trial_ ? trial_->kept() : 0;
  const bool is_settled = (!trial_ || trial_->is_decided()) && !is_watched();
  if (is_settled) {
    Take result = take(candidate_);
    result.is_settled = true;
    return result;
  }
  const DefaultFloats floats;
  if (trial_ && !trial_->is_decided()) {
    if (!trial_agreement_) trial_agreement_ = ground_->agreement();
    candidate_ = trial_->begin_call(*trial_agreement_, clock);
    if (trial_->is_decided()) trial_agreement_.reset();
  }
  if (is_watched()) {
    if (!watch_) {
      watch_.emplace();
      watch_agreement_ = ground_->agreement();
    }
    is_alarmed_ = watch_->begin_call(*watch_agreement_, clock);
    if (is_alarmed_) return {.first = Take::First::Measure};
  }
  Take result = take(candidate_);
  result.is_timed = (trial_ && trial_->is_timed()) || (is_watched() && watch_->is_timed());
  if (ground_->is_near && (!trial_ || trial_->is_decided())) settled_ = result;
  return result;
}

Take ClassPolicy::unchanged() {
  is_alarmed_ = false;
  watch_->settle(false);
  Take result = take(candidate_);
  result.is_timed = (trial_ && trial_->is_timed()) || watch_->is_timed();
  return result;
}

void ClassPolicy::note(double begin, double seconds, std::uint64_t bytes) {
  if (!is_joined()) {
    if (trial_) trial_->note_native_before(seconds, bytes);
    return;
  }
  if (trial_ && trial_->is_timed()) trial_->note(begin, seconds, bytes);
  if (watch_ && is_watched()) watch_->note(seconds, bytes);
}

Take ClassPolicy::take(std::uint32_t candidate) const {
  Take result;
  result.which = candidates_[candidate].which;
  if (result.which) return result;
  result.why = why_native();
  result.is_for_good = ground_->is_near && (!trial_ || trial_->is_decided());
  return result;
}

Take ClassPolicy::outlook() const {
  if (candidates_.empty()) return {.why = Reason::OneLevel};
  return take(has_decision() ? trial_->kept() : 0);
}

Reason ClassPolicy::why_native() const {
  const bool is_tried = trial_ && calls_left_ == 0 && (is_joined() || trial_->is_decided());
  if (is_tried && !trial_->is_decided()) return Reason::Trial;
  if (is_tried && trial_->has_timed_a_plan()) return Reason::Slower;
  return ground_->is_even ? Reason::OneLevel : Reason::NoGain;
}

bool ClassPolicy::is_near_native_known() const {
  return ground_->is_near && trial_ && trial_->is_decided() && !candidates_[trial_->kept()].which;
}

bool ClassPolicy::is_among_the_first() {
  return ground_->spares_first && ground_->gainful_calls++ < kCallsBeforeHidden;
}

ClassState ClassPolicy::state() const {
  if (candidates_.empty()) return ClassState::Few;
  if (calls_left_ > 0) return ClassState::Predicted;
  if (is_alarmed_) return ClassState::Alarm;
  if (!is_joined() && (trial_ || candidates_.front().which)) return ClassState::Joining;
  return trial_ ? trial_->phase() : ClassState::Kept;
}

bool ClassPolicy::has_decision() const {
  return trial_ && calls_left_ == 0 && trial_->has_decision();
}

bool ClassPolicy::is_undecided() const {
  return candidates_.empty() || (trial_ && !trial_->is_decided());
}

std::optional<std::string> ClassPolicy::decision() const {
  if (!trial_ || !trial_->has_decision() || !trial_->could_compare()) return std::nullopt;
  return candidates_[trial_->kept()].name;
}

std::optional<Lead> ClassPolicy::lead() const {
  if (!trial_ || calls_left_ > 0) return std::nullopt;
  const std::uint32_t first = has_decision() ? trial_->kept() : 0;
  const Candidate& plan = candidates_[first];
  std::uint32_t native = 0;
  while (native < candidates_.size() && candidates_[native].which) ++native;
  if (!plan.which || native == candidates_.size()) return std::nullopt;
  const std::vector<double>& times = trial_->times();
  if (std::isfinite(times[first]) && std::isfinite(times[native])) {
    return Lead{*plan.which, plan.name, times[first], times[native], true};
  }
  if (trial_->is_from_earlier_run()) return Lead{*plan.which, plan.name, -1, -1, true};
  return Lead{*plan.which, plan.name, plan.predicted, candidates_[native].predicted, false};
}

std::optional<TrialRecord> ClassPolicy::record(const CallClass& calls) const {
  if (!trial_ || calls_left_ > 0) return std::nullopt;
  TrialRecord record{{},
                     calls,
                     candidates_,
                     trial_->times(),
                     std::nullopt,
                     std::string(trial_->why()),
                     trial_->before_decision()};
  if (trial_->has_decision()) record.kept = trial_->kept();
  return record;
}

select::Rules rules_of(const Settings& settings, select::NativeMpi mpi) {
  select::Rules rules = select::rules_for(mpi);
  rules.force = settings.force;
  rules.bits = settings.reproducible ? select::Bits::Reference : select::Bits::Any;
  rules.named = settings.algorithm;
  return rules;
}

bool may_try(const Settings& settings) {
  return settings.trial && !settings.force && !settings.reproducible && !names_a_plan(settings);
}

std::vector<Candidate> candidates_of(select::Chooser& chooser, const Settings& settings,
                                     const SharedCall& call) {
  const Rank size = chooser.hierarchy().machine().size();
  std::vector<Candidate> candidates;
  for (select::Alternative& one : chooser.alternatives(collective_of(call, size))) {
    candidates.push_back({one.which, std::move(one.name), seconds_of(one.predicted)});
    if (!may_try(settings)) break;
  }
  return candidates;
}

}  // namespace espalier::runtime
