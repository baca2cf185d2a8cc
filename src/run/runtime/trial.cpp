#include "runtime/trial.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier::runtime {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostCalls = 4096;
/// Of calls that go one way only a receiver finds several that came before: blocks must be long
/// beside that.
constexpr std::uint32_t kLongBlock = 512;
/// Blocks as long are timed from their first call to their last only.
constexpr std::uint32_t kTimedAsAWhole = 16;
constexpr std::uint32_t kTurnsOfSecondLook = 4;
/// Seconds of calls after which what lies between the ranks is full, if they run ahead.
constexpr double kTimeThatFills = 0.2;
constexpr double kBlockThatFills = 0.05;
constexpr std::uint32_t kTimedInLongRun = 32, kFewestInLongRun = 4;
/// Seconds of calls after which more would say little.
constexpr double kTimeThatSays = 1e-3;
/// After as many calls at most the clock is asked again; the program may do much in between.
constexpr double kMostCallsToWait = 1024;
/// Beyond that a candidate is not worth a second round.
constexpr double kFarSlower = 1.3;
/// Up to here the program does little but these calls.
constexpr double kMostBetween = 2;

}  // namespace

Trial::Trial(std::vector<TrialCandidate> candidates, TrialOptions options)
    : candidates_(std::move(candidates)),
      options_(std::move(options)),
      least_(candidates_.size(), kNever),
      agreed_(candidates_.size(), kNever) {}

void Trial::enter(Phase phase) {
  phase_ = phase;
  calls_ = 0;
}

void Trial::keep(std::uint32_t candidate, std::string_view why) {
  kept_ = candidate;
  why_ = why;
  enter(Phase::Kept);
}

bool Trial::has_timed_a_plan() const {
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (!candidates_[w].is_native && agreed_[w] < kNever) return true;
  }
  return is_known_;
}

Trial::Unended Trial::unended() const {
  if (phase_ == Phase::Turns || phase_ == Phase::AgreeingOnAll) return Unended::TakingTurns;
  return agreed_[0] < kNever ? Unended::WaitingForTime : Unended::ByPrediction;
}

/// 0 1 2 2 1 0 0 1 2 ...
std::uint32_t Trial::candidate_in_turn(std::uint32_t number) const {
  const auto n = static_cast<std::uint32_t>(rivals_.size());
  const std::uint32_t turn = number / block_ % (2 * n);
  return rivals_[turn < n ? turn : 2 * n - 1 - turn];
}

std::uint32_t Trial::step(Agreement& agreement) {
  is_timed_ = false;
  if (calls_ % block_ == 0) end_block();
  if (phase_ == Phase::Waiting && calls_ == until_next_) enter(Phase::First);
  if (phase_ == Phase::First && calls_ == options_.first_calls) {
    agreement.start(handed_in());
    enter(Phase::AgreeingOnFirst);
  }
  if (phase_ == Phase::AgreeingOnFirst && calls_ == kCallsToAgree) {
    std::vector<double> agreed = agreement.finish();
    if (take(std::move(agreed))) judge_first();
  }
  if (phase_ == Phase::Turns && calls_ == calls_in_turns()) {
    agreement.start(handed_in());
    enter(Phase::AgreeingOnAll);
  }
  if (phase_ == Phase::AgreeingOnAll && calls_ == kCallsToAgree) {
    if (take(agreement.finish())) judge_all();
  }
  if (phase_ == Phase::LongRun && calls_ == block_) {
    agreement.start(handed_in());
    enter(Phase::AgreeingOnLongRun);
  }
  if (phase_ == Phase::AgreeingOnLongRun && calls_ == kCallsToAgree) {
    if (take(agreement.finish())) judge_long_run();
  }
  if (phase_ == Phase::Probation && calls_ == until_next_) enter(Phase::Turns);
  if (phase_ == Phase::Kept) return kept_;
  candidate_ = phase_ == Phase::Turns ? candidate_in_turn(calls_) : kept_;
  const std::uint32_t place = calls_ % block_;
  const bool has_samples =
      phase_ == Phase::First || phase_ == Phase::Turns || phase_ == Phase::LongRun;
  is_timed_ = has_samples && place >= first_timed() &&
              (place == first_timed() || place + 1 == block_ || !reads_no_clock_within());
  ++calls_;
  return candidate_;
}

void Trial::note(double begin, double seconds, std::uint64_t bytes) {
  is_timed_ = false;
  if (samples_ == 0) began_ = begin;
  ended_ = begin + seconds;
  sum_ += seconds;
  ++samples_;
  if (!bytes_) bytes_ = bytes;
  const auto [less, more] = std::minmax(*bytes_, bytes);
  if (more - less > less / 16) are_comparable_ = false;
}

bool Trial::reads_no_clock_within() const {
  return is_close_ && block_ >= kTimedAsAWhole && phase_ != Phase::LongRun;
}

/// In a block that is timed as a whole those before it have left messages behind.
std::uint32_t Trial::first_timed() const {
  if (phase_ == Phase::LongRun) return block_ - std::min(block_ / 2, kTimedInLongRun);
  return reads_no_clock_within() ? block_ / 4 : 1;
}

void Trial::end_block() {
  if (samples_ > 0) {
    const double all = ended_ - began_;
    if (reads_no_clock_within()) {
      samples_ = block_ - first_timed();
    } else {
      is_close_ = all <= kMostBetween * sum_;
    }
    least_[candidate_] = std::min(least_[candidate_], (is_close_ ? all : sum_) / samples_);
  }
  sum_ = 0;
  samples_ = 0;
}

/// The largest counts: one rank that cannot compare speaks for all, and the shortest time elapsed.
std::vector<double> Trial::handed_in() const {
  std::vector<double> mine =
      are_comparable_ ? least_ : std::vector<double>(candidates_.size(), kNever);
  mine.push_back(-options_.elapsed());
  return mine;
}

bool Trial::take(std::vector<double> agreed) {
  if (agreed.size() != candidates_.size() + 1) {
    keep(kept_, "the ranks could not agree");
    return false;
  }
  if (agreed[rivals_.front()] == kNever) {
    keep(kept_, "calls too different to compare");
    return false;
  }
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (agreed[w] < kNever) agreed_[w] = agreed[w];
  }
  elapsed_ = -agreed.back();
  return true;
}

void Trial::forget_plans() {
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (!candidates_[w].is_native) least_[w] = kNever;
  }
}

/// A few short calls say little: the MPI library's own go on until there is time for many.
bool Trial::waits_for_time() {
  if (!candidates_[0].is_native || !options_.looks_again) return false;
  const double needed = std::min(kMostCalls * agreed_[0], kTimeThatSays);
  if (kMostTried * agreed_[0] >= needed || kShare * elapsed_ >= needed) return false;
  const double calls = (needed / kShare - elapsed_) / std::max(agreed_[0], 1e-9);
  until_next_ = static_cast<std::uint64_t>(std::clamp(calls, 64.0, kMostCallsToWait));
  enter(Phase::Waiting);
  return true;
}

void Trial::judge_first() {
  if (waits_for_time()) return;
  const double predicted = candidates_[0].predicted;
  const bool is_as_predicted =
      predicted > 0 && agreed_[0] <= kAsPredicted * predicted && agreed_[0] >= kFarLess * predicted;
  rivals_ = {0};
  for (std::uint32_t w = 1; w < candidates_.size(); ++w) {
    if (is_as_predicted && candidates_[w].predicted >= kFarBehind * predicted) continue;
    rivals_.push_back(w);
  }
  if (rivals_.size() == 1) {
    why_ = "as predicted, and all others far behind";
    return candidates_[0].is_native ? keep(0, why_) : see_in_the_long_run();
  }
  // Twice each in any case.
  block_ = rivals_.size() == 2 ? 5 : 4;
  turns_ = 2 * static_cast<std::uint32_t>(rivals_.size());
  forget_plans();
  enter(Phase::Turns);
}

/// Those that are near the fastest go on with more and longer blocks, if there is time for them.
bool Trial::goes_on_with_the_best(double least) {
  if (has_gone_on_) return false;
  std::vector<std::uint32_t> near;
  double slowest = 0;
  for (const std::uint32_t w : rivals_) {
    if (agreed_[w] > kFarSlower * least && !(candidates_[w].is_native && options_.looks_again))
      continue;
    near.push_back(w);
    slowest = std::max(slowest, agreed_[w]);
  }
  const auto candidates = static_cast<std::uint32_t>(near.size());
  const double calls = std::min(kMostCalls, kShare * elapsed_ / std::max(slowest, 1e-9));
  if (candidates < 2 || calls < 4.0 * candidates * block_) return false;
  has_gone_on_ = true;
  rivals_ = std::move(near);
  block_ = std::clamp(static_cast<std::uint32_t>(calls / (4 * candidates)), block_, kLongBlock);
  turns_ = 2 * candidates * static_cast<std::uint32_t>(calls / (2 * candidates * block_));
  forget_plans();
  enter(Phase::Turns);
  return true;
}

void Trial::judge_all() {
  std::uint32_t best = 0;
  double least = kNever;
  for (const std::uint32_t w : rivals_) {
    const double time = candidates_[w].is_native ? std::min(agreed_[w] * (1 - options_.least_gain),
                                                            agreed_[w] - options_.least_seconds)
                                                 : agreed_[w];
    if (time >= least) continue;
    best = w;
    least = time;
  }
  if (goes_on_with_the_best(agreed_[best])) return;
  kept_ = best;
  why_ = "the fastest of those tried";
  if (looked_ || candidates_[best].is_native) return keep(best, why_);
  options_.looks_again ? look_again_later(block_) : see_in_the_long_run();
}

/// Calls that go one way may follow each other far faster than messages arrive, until what lies
/// between is full: short blocks say nothing then.
void Trial::see_in_the_long_run() {
  in_short_ = agreed_[kept_];
  const double calls = kTimeThatFills / std::max(in_short_, 1e-9);
  block_ = static_cast<std::uint32_t>(std::clamp(calls, 2.0 * kFewestInLongRun, 2 * kMostCalls));
  rivals_ = {kept_};
  forget_plans();
  enter(Phase::LongRun);
}

void Trial::judge_long_run() {
  const double seconds = agreed_[kept_];
  if (seconds <= kFarSlower * in_short_) {
    agreed_[kept_] = in_short_;  // what it was compared by, beside the others' times
    return keep(kept_, why_);
  }
  std::fill(least_.begin(), least_.end(), kNever);  // short blocks told nothing
  look_again_later(static_cast<std::uint32_t>(
      std::clamp(kBlockThatFills / seconds, 1.0 * kTimedAsAWhole, 1.0 * kLongBlock)));
}

void Trial::look_again_later(std::uint32_t block) {
  const auto native =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [](const TrialCandidate& candidate) { return candidate.is_native; });
  if (native == candidates_.end()) return keep(kept_, why_);
  const auto other = static_cast<std::uint32_t>(native - candidates_.begin());
  looked_ = true;
  rivals_ = {kept_, other};
  has_gone_on_ = true;
  turns_ = kTurnsOfSecondLook;
  block_ = block;
  const bool is_known = agreed_[other] < kNever;
  const double slower = is_known ? agreed_[other] / agreed_[kept_]
                                 : candidates_[other].predicted / candidates_[kept_].predicted;
  const double calls = kTurnsOfSecondLook / 2.0 * block_ * std::clamp(slower, 1.0, 1e6);
  until_next_ = static_cast<std::uint64_t>(std::min(calls / kShare, 1e9));
  forget_plans();
  enter(Phase::Probation);
}

}  // namespace espalier::runtime
