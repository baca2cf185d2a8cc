#include "runtime/trial.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier::runtime {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Most calls of a second round, and of the short calls that a trial waits for.
constexpr double kMostCalls = 4096;
/// Calls in the longest block. Senders of calls in one direction run ahead of their receivers;
/// blocks must be long beside that lead.
constexpr std::uint32_t kLongBlock = 512;
/// From this length on, the clock is read at the begin and the end of a block only.
constexpr std::uint32_t kBlockTimedAsAWhole = 16;
constexpr std::uint32_t kTurnsOfRecheck = 4;
/// Seconds of calls after which all buffers between the ranks are full, if senders run ahead.
constexpr double kSecondsThatFillBuffers = 0.2;
/// Seconds of a block in the recheck that follows LongRun.
constexpr double kSecondsOfFilledBlock = 0.05;
constexpr std::uint32_t kTimedInLongRun = 32, kFewestInLongRun = 4;
/// Seconds of calls that suffice to compare short calls; more would tell little.
constexpr double kSecondsThatSuffice = 1e-3;
/// Most calls in phase Waiting. Then the clock is asked again, since the program may have done much
/// else meanwhile.
constexpr double kMostCallsToWait = 1024;
/// Candidates within this factor of the fastest are near it.
constexpr double kNearFastest = 1.3;
/// Likewise where no link is far, by times of short blocks.
constexpr double kNearInShortBlocks = 3;
/// Calls follow closely if a block takes at most this many times the time within its calls.
constexpr double kMostBetweenCalls = 2;
/// How much longer than predicted calls are taken to be on a busy computer, at most.
constexpr double kMostSlower = 2;

}  // namespace

Trial::Trial(std::vector<TrialCandidate> candidates, const TrialOptions& options)
    : candidates_(std::move(candidates)),
      options_(options),
      least_(candidates_.size(), kNever),
      agreed_(candidates_.size(), kNever) {}

void Trial::enter(Phase phase) {
  phase_ = phase;
  calls_ = 0;
}

void Trial::keep(std::uint32_t candidate, std::string_view why) {
  kept_ = candidate;
  why_ = why;
  if (options_.evidence != nullptr) options_.evidence->release(std::exchange(reserved_, 0));
  enter(Phase::Kept);
}

bool Trial::has_timed_a_plan() const {
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (!candidates_[w].is_native && agreed_[w] < kNever) return true;
  }
  return is_known_;
}

Trial::BeforeDecision Trial::before_decision() const {
  if (phase_ == Phase::Turns || phase_ == Phase::AgreeingOnAll) return BeforeDecision::TakingTurns;
  if (agreed_[0] == kNever) return BeforeDecision::ByPrediction;
  return options_.evidence != nullptr ? BeforeDecision::WaitingToPay
                                      : BeforeDecision::WaitingForTime;
}

/// Candidates 0 1 2 take turns as 0 1 2 2 1 0 0 1 2 ...
std::uint32_t Trial::candidate_in_turn(std::uint32_t number) const {
  const auto n = static_cast<std::uint32_t>(rivals_.size());
  const std::uint32_t turn = number / block_ % (2 * n);
  return rivals_[turn < n ? turn : 2 * n - 1 - turn];
}

std::uint32_t Trial::step(Agreement& agreement, const Clock& clock) {
  is_timed_ = false;
  if (calls_ % block_ == 0) end_block();
  if (phase_ == Phase::Waiting && calls_ == until_next_) enter(Phase::First);
  if (phase_ == Phase::First && calls_ == options_.first_calls) {
    agreement.start(own_numbers(clock));
    enter(Phase::AgreeingOnFirst);
  }
  if (phase_ == Phase::AgreeingOnFirst && calls_ == kCallsToAgree) {
    std::vector<double> agreed = agreement.finish();
    if (accept_agreed(std::move(agreed))) judge_first();
  }
  if (phase_ == Phase::Turns && calls_ == calls_in_turns()) {
    agreement.start(own_numbers(clock));
    enter(Phase::AgreeingOnAll);
  }
  if (phase_ == Phase::AgreeingOnAll && calls_ == kCallsToAgree) {
    if (accept_agreed(agreement.finish())) judge_all();
  }
  if (phase_ == Phase::LongRun && calls_ == block_) {
    agreement.start(own_numbers(clock));
    enter(Phase::AgreeingOnLongRun);
  }
  if (phase_ == Phase::AgreeingOnLongRun && calls_ == kCallsToAgree) {
    if (accept_agreed(agreement.finish())) judge_long_run();
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

void Trial::note_native_before(double seconds, std::uint64_t bytes) {
  if (!bytes_) bytes_ = bytes;
  const auto [less, more] = std::minmax(*bytes_, bytes);
  if (more - less > less / 16) return;
  ++native_before_;
  const auto native =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [](const TrialCandidate& candidate) { return candidate.is_native; });
  if (native_before_ > 2 && native != candidates_.end()) {
    double& least = least_[static_cast<std::size_t>(native - candidates_.begin())];
    least = std::min(least, (last_native_before_ + seconds) / 2);
  }
  last_native_before_ = seconds;
}

bool Trial::reads_no_clock_within() const {
  return is_close_ && block_ >= kBlockTimedAsAWhole && phase_ != Phase::LongRun;
}

/// The place of the first timed call in its block. Where a block is timed as a whole, its first
/// quarter is left out: there messages of the block before may still be under way.
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
      is_close_ = all <= kMostBetweenCalls * sum_;
    }
    least_[candidate_] = std::min(least_[candidate_], (is_close_ ? all : sum_) / samples_);
  }
  sum_ = 0;
  samples_ = 0;
}

/// What this rank hands in to an agreement, which takes the maximum of each number. So one rank
/// that cannot compare calls (infinite) decides for all, and the shortest elapsed time counts.
std::vector<double> Trial::own_numbers(const Clock& clock) const {
  std::vector<double> mine =
      are_comparable_ ? least_ : std::vector<double>(candidates_.size(), kNever);
  const Evidence none;
  const auto shared =
      (options_.evidence != nullptr ? *options_.evidence : none).own_numbers(clock());
  mine.insert(mine.end(), shared.begin(), shared.end());
  return mine;
}

/// Takes what the ranks agreed on; false if the trial ends here.
bool Trial::accept_agreed(std::vector<double> agreed) {
  if (agreed.size() != candidates_.size() + Evidence::kNumbers) {
    could_compare_ = false;
    keep(kept_, "the ranks could not agree");
    return false;
  }
  if (agreed[rivals_.front()] == kNever) {
    could_compare_ = false;
    keep(kept_, "calls too different to compare");
    return false;
  }
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (agreed[w] < kNever) agreed_[w] = agreed[w];
  }
  Evidence none;
  Evidence& evidence = options_.evidence != nullptr ? *options_.evidence : none;
  evidence.take_agreed(std::span(agreed).subspan(candidates_.size()));
  elapsed_ = evidence.elapsed();
  return true;
}

void Trial::forget_plans() {
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (!candidates_[w].is_native) least_[w] = kNever;
  }
}

/// A few short calls tell little: native calls go on until there is time to compare many.
bool Trial::waits_for_time() {
  if (!candidates_[0].is_native || !options_.rechecks_winner) return false;
  const double needed = std::min(kMostCalls * agreed_[0], kSecondsThatSuffice);
  if (kMostOtherCalls * agreed_[0] >= needed || kShare * elapsed_ >= needed) return false;
  const double calls = (needed / kShare - elapsed_) / std::max(agreed_[0], 1e-9);
  until_next_ = static_cast<std::uint64_t>(std::clamp(calls, 64.0, kMostCallsToWait));
  enter(Phase::Waiting);
  return true;
}

/// What this trial has found out goes to those that follow.
void Trial::learn_from_times() {
  if (options_.evidence == nullptr) return;
  for (std::size_t w = 0; w < candidates_.size(); ++w) {
    if (candidates_[w].is_native && agreed_[w] < kNever) {
      options_.evidence->add_native(agreed_[w], candidates_[w].predicted);
    }
  }
}

double Trial::regret_of_trying(std::uint32_t candidate) const {
  const TrialCandidate& other = candidates_[candidate];
  constexpr double kCallsOfTwoBlocks = 10;
  if (agreed_[candidate] < kNever) {
    return kCallsOfTwoBlocks * std::max(0.0, agreed_[candidate] - agreed_[0]);
  }
  // How much longer candidate 0 took than predicted; on a busy computer all others do too.
  const double slower = candidates_[0].predicted > 0 ? agreed_[0] / candidates_[0].predicted : 1;
  const double seconds =
      other.predicted * (other.is_native ? options_.evidence->native_ratio : slower);
  if (seconds <= agreed_[0]) return 0;
  return kCallsOfTwoBlocks *
         (seconds * (other.is_native ? std::clamp(slower, 1.0, kMostSlower) : 1) - agreed_[0]);
}

void Trial::wait_to_pay(double regret) {
  const double calls = (regret / kShare - elapsed_) / std::max(agreed_[0], 1e-9);
  until_next_ = static_cast<std::uint64_t>(std::clamp(calls, 16.0, kMostCallsToWait));
  enter(Phase::Waiting);
}

void Trial::judge_first() {
  if (waits_for_time()) return;
  learn_from_times();
  const double predicted = candidates_[0].predicted;
  const bool is_as_predicted = predicted > 0 && agreed_[0] <= kLongestAsPredicted * predicted &&
                               agreed_[0] >= kShortestAsPredicted * predicted;
  rivals_ = {0};
  std::string_view why = "as predicted, and all others far behind";
  double regret = options_.evidence != nullptr ? options_.evidence->committed() : 0;
  const double regret_before = regret;
  for (std::uint32_t w = 1; w < candidates_.size(); ++w) {
    // What was measured goes before what was predicted.
    const bool is_far_behind = agreed_[w] < kNever
                                   ? agreed_[w] >= kFarBehind * agreed_[0]
                                   : candidates_[w].predicted >= kFarBehind * predicted;
    if (is_as_predicted && is_far_behind) continue;
    if (options_.evidence != nullptr) {
      if (candidates_[w].is_native && agreed_[0] <= kClearlyAhead * agreed_[w] &&
          agreed_[w] < kNever) {
        why = "faster than native calls before it";
        continue;
      }
      regret += regret_of_trying(w);
    }
    rivals_.push_back(w);
  }
  if (regret > regret_before && regret > kShare * elapsed_) {
    rivals_ = {0};
    return wait_to_pay(regret);
  }
  if (rivals_.size() == 1) {
    why_ = why;
    return candidates_[0].is_native ? keep(0, why_) : see_in_the_long_run();
  }
  // Each candidate has two blocks in any case.
  block_ = rivals_.size() == 2 ? 5 : 4;
  turns_ = 2 * static_cast<std::uint32_t>(rivals_.size());
  reserved_ = regret - regret_before;
  if (options_.evidence != nullptr) options_.evidence->reserve(reserved_);
  forget_plans();
  enter(Phase::Turns);
}

/// Candidates near the fastest take turns again in more and longer blocks, if there is time.
bool Trial::starts_second_round(double least) {
  if (had_second_round_) return false;
  std::vector<std::uint32_t> near;
  double slowest = 0;
  for (const std::uint32_t w : rivals_) {
    const double near_by = options_.rechecks_winner ? kNearInShortBlocks : kNearFastest;
    if (agreed_[w] > near_by * least && !(candidates_[w].is_native && options_.rechecks_winner)) {
      continue;
    }
    near.push_back(w);
    slowest = std::max(slowest, agreed_[w]);
  }
  const auto candidates = static_cast<std::uint32_t>(near.size());
  const double paid = options_.evidence != nullptr ? options_.evidence->of_trials() : 0;
  const double left = std::max(0.0, kShare * elapsed_ - paid);
  const double calls = std::min(kMostCalls, left / std::max(slowest, 1e-9));
  if (candidates < 2 || calls < 4.0 * candidates * block_) return false;
  had_second_round_ = true;
  rivals_ = std::move(near);
  block_ = std::clamp(static_cast<std::uint32_t>(calls / (4 * candidates)), block_, kLongBlock);
  turns_ = 2 * candidates * static_cast<std::uint32_t>(calls / (2 * candidates * block_));
  if (options_.rechecks_winner && block_ >= kBlockTimedAsAWhole) {
    std::fill(least_.begin(), least_.end(), kNever);
  }
  if (options_.evidence != nullptr) {
    for (const std::uint32_t w : rivals_) {
      reserved_ += calls_in_turns() / static_cast<double>(candidates) * (agreed_[w] - least);
    }
    reserved_ = std::max(0.0, reserved_);
    options_.evidence->reserve(reserved_);
  }
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
  learn_from_times();
  if (options_.evidence != nullptr) options_.evidence->release(std::exchange(reserved_, 0));
  for (const std::uint32_t w : rivals_) {
    const double calls =
        static_cast<double>(calls_in_turns()) / static_cast<double>(rivals_.size());
    const double regret = calls * std::max(0.0, agreed_[w] - agreed_[best]);
    if (options_.evidence != nullptr) {
      options_.evidence->add_regret(regret);
    } else if (options_.regret != nullptr) {
      *options_.regret += regret;
    }
  }
  if (starts_second_round(agreed_[best])) return;
  kept_ = best;
  const bool is_fastest = std::none_of(rivals_.begin(), rivals_.end(),
                                       [&](std::uint32_t w) { return agreed_[w] < agreed_[best]; });
  why_ = is_fastest ? "the fastest of those tried" : options_.why_too_little;
  if (recheck_scheduled_ || candidates_[best].is_native) return keep(best, why_);
  options_.rechecks_winner ? schedule_recheck(block_) : see_in_the_long_run();
}

/// Calls in one direction may follow each other far faster than messages arrive, until all buffers
/// between are full. Short blocks tell nothing then.
void Trial::see_in_the_long_run() {
  time_in_short_blocks_ = agreed_[kept_];
  const double calls = kSecondsThatFillBuffers / std::max(time_in_short_blocks_, 1e-9);
  block_ = static_cast<std::uint32_t>(std::clamp(calls, 2.0 * kFewestInLongRun, 2 * kMostCalls));
  rivals_ = {kept_};
  forget_plans();
  enter(Phase::LongRun);
}

void Trial::judge_long_run() {
  const double seconds = agreed_[kept_];
  if (seconds <= kNearFastest * time_in_short_blocks_) {
    agreed_[kept_] = time_in_short_blocks_;  // the time by which it was compared with the others
    return keep(kept_, why_);
  }
  std::fill(least_.begin(), least_.end(), kNever);  // times of short blocks mean nothing here
  schedule_recheck(static_cast<std::uint32_t>(
      std::clamp(kSecondsOfFilledBlock / seconds, 1.0 * kBlockTimedAsAWhole, 1.0 * kLongBlock)));
}

void Trial::schedule_recheck(std::uint32_t block) {
  const auto native =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [](const TrialCandidate& candidate) { return candidate.is_native; });
  if (native == candidates_.end()) return keep(kept_, why_);
  const auto other = static_cast<std::uint32_t>(native - candidates_.begin());
  recheck_scheduled_ = true;
  rivals_ = {kept_, other};
  had_second_round_ = true;
  turns_ = kTurnsOfRecheck;
  block_ = block;
  const bool is_known = agreed_[other] < kNever;
  const double slower = is_known ? agreed_[other] / agreed_[kept_]
                                 : candidates_[other].predicted / candidates_[kept_].predicted;
  const double calls = kTurnsOfRecheck / 2.0 * block_ * std::clamp(slower, 1.0, 1e6);
  until_next_ = static_cast<std::uint64_t>(std::min(calls / kShare, 1e9));
  forget_plans();
  enter(Phase::Probation);
}

}  // namespace espalier::runtime
