#include "runtime/trial.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier::runtime {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostCalls = 1024;
constexpr std::uint32_t kLongBlock = 16;
/// Up to here the program does little but these calls.
constexpr double kMostBetween = 2;

}  // namespace

Trial::Trial(std::vector<TrialWay> ways, TrialOptions options)
    : ways_(std::move(ways)),
      options_(std::move(options)),
      least_(ways_.size(), kNever),
      agreed_(ways_.size(), kNever) {}

void Trial::enter(Phase phase) {
  phase_ = phase;
  calls_ = 0;
}

void Trial::keep(std::uint32_t way, std::string_view why) {
  kept_ = way;
  why_ = why;
  enter(Phase::Kept);
}

/// 0 1 2 2 1 0 0 1 2 ...
std::uint32_t Trial::way_in_turn(std::uint32_t number) const {
  const auto n = static_cast<std::uint32_t>(rivals_.size());
  const std::uint32_t turn = number / block_ % (2 * n);
  return rivals_[turn < n ? turn : 2 * n - 1 - turn];
}

std::uint32_t Trial::step(Agreement& agreement) {
  is_timed_ = false;
  if (calls_ % block_ == 0) end_block();
  if (phase_ == Phase::First && calls_ == block_) {
    agreement.start(handed_in());
    enter(Phase::AgreeingOnFirst);
  }
  if (phase_ == Phase::AgreeingOnFirst && calls_ == kCallsToAgree) {
    std::vector<double> agreed = agreement.finish();
    const double elapsed = agreed.empty() ? 0 : -agreed.back();
    if (take(std::move(agreed))) judge_first(elapsed);
  }
  if (phase_ == Phase::Turns && calls_ == calls_in_turns()) {
    agreement.start(handed_in());
    enter(Phase::AgreeingOnAll);
  }
  if (phase_ == Phase::AgreeingOnAll && calls_ == kCallsToAgree) {
    if (take(agreement.finish())) judge_all();
  }
  if (phase_ == Phase::Kept) return kept_;
  way_ = phase_ == Phase::Turns ? way_in_turn(calls_) : 0;
  is_timed_ = (phase_ == Phase::First || phase_ == Phase::Turns) && calls_ % block_ > 0;
  ++calls_;
  return way_;
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

void Trial::end_block() {
  if (samples_ > 0) {
    const double all = ended_ - began_;
    const bool is_close = all <= kMostBetween * sum_;
    least_[way_] = std::min(least_[way_], (is_close ? all : sum_) / samples_);
  }
  sum_ = 0;
  samples_ = 0;
}

/// The largest counts: one rank that cannot compare speaks for all, and the shortest time elapsed.
std::vector<double> Trial::handed_in() const {
  std::vector<double> mine = are_comparable_ ? least_ : std::vector<double>(ways_.size(), kNever);
  mine.push_back(-options_.elapsed());
  return mine;
}

bool Trial::take(std::vector<double> agreed) {
  if (agreed.size() != ways_.size() + 1) {
    keep(0, "the ranks could not agree");
    return false;
  }
  agreed.pop_back();
  agreed_ = std::move(agreed);
  if (agreed_[0] < kNever) return true;
  keep(0, "calls too different to compare");
  return false;
}

void Trial::judge_first(double elapsed) {
  const double predicted = ways_[0].predicted;
  const bool is_as_predicted =
      predicted > 0 && agreed_[0] <= kAsPredicted * predicted && agreed_[0] >= kFarLess * predicted;
  rivals_ = {0};
  for (std::uint32_t w = 1; w < ways_.size(); ++w) {
    if (is_as_predicted && ways_[w].predicted >= kFarBehind * predicted) continue;
    rivals_.push_back(w);
  }
  if (rivals_.size() == 1) return keep(0, "as predicted, and all others far behind");
  const auto ways = static_cast<std::uint32_t>(rivals_.size());
  // Twice each in any case; more and longer blocks if there is time.
  const double calls = std::min(kMostCalls, kShare * elapsed / std::max(agreed_[0], 1e-9));
  const std::uint32_t few = ways == 2 ? 5 : 4;
  block_ = std::clamp(static_cast<std::uint32_t>(calls / (4 * ways)), few, kLongBlock);
  const auto rounds = static_cast<std::uint32_t>(calls / (2 * ways * block_));
  turns_ = 2 * ways * std::max(1U, rounds);
  std::fill(least_.begin(), least_.end(), kNever);
  enter(Phase::Turns);
}

void Trial::judge_all() {
  std::uint32_t best = 0;
  double least = kNever;
  for (const std::uint32_t w : rivals_) {
    const double time = agreed_[w] * (ways_[w].is_native ? 1 - options_.least_gain : 1);
    if (time >= least) continue;
    best = w;
    least = time;
  }
  keep(best, "the fastest of those tried");
}

}  // namespace espalier::runtime
