#include "runtime/start_trial.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace espalier::runtime {
namespace {

/// The times in the middle. Each kind by itself. @pre there are some
StartTimes middle(std::vector<StartTimes> all) {
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  StartTimes result;
  std::nth_element(all.begin(), half, all.end(),
                   [](const auto& a, const auto& b) { return a.span < b.span; });
  result.span = half->span;
  std::nth_element(all.begin(), half, all.end(),
                   [](const auto& a, const auto& b) { return a.inside < b.inside; });
  result.inside = half->inside;
  return result;
}

bool is_ahead(double plan, double native) { return plan <= StartTrial::kAhead * native; }
bool is_not_behind(double plan, double native) {
  return plan <= StartTrial::kNotBehind * native + StartTrial::kNoise;
}

}  // namespace

StartTrial::Next StartTrial::next(std::uint64_t bytes) {
  if (phase_ == Phase::Kept) return {.is_planned = keeps_plan_};
  if (phase_ == Phase::Due) {
    phase_ = Phase::Agreeing;
    calls_ = 1;
    return {.agrees = true};
  }
  if (phase_ == Phase::Agreeing) {
    calls_ = std::min(calls_ + 1, kCallsToAgree);
    return {};
  }
  const std::uint32_t number = starts_++;
  if (number == 0) bytes_ = bytes;
  const bool is_like_first = 16 * std::max(bytes, bytes_) <= 17 * std::min(bytes, bytes_);
  if (starts_ == kTurns) phase_ = Phase::Due;
  const std::uint32_t block = number / kBlock;
  const bool is_planned = block == 1 || block == 2;
  // The two blocks of planned calls are one.
  const bool is_first = number % kBlock == 0 && block != 2;
  return {.is_planned = is_planned, .is_timed = !is_first && is_like_first};
}

void StartTrial::note(bool is_planned, const StartTimes& times) {
  if (phase_ == Phase::Kept) return;
  (is_planned ? planned_ : native_).push_back(times);
}

std::vector<double> StartTrial::own_numbers() const {
  if (native_.size() < kLeastSamples || planned_.size() < kLeastSamples) return {0, 0, 0, 0, 1};
  const StartTimes native = middle(native_), planned = middle(planned_);
  return {native.span, native.inside, planned.span, planned.inside, 0};
}

void StartTrial::agree(std::unique_ptr<Agreement> agreement) {
  agreement_ = std::move(agreement);
  agreement_->start(own_numbers());
}

void StartTrial::step(const std::function<std::unique_ptr<Agreement>()>& make) {
  if (phase_ == Phase::Due) {
    phase_ = Phase::Agreeing;
    calls_ = 0;
    return agree(make());
  }
  calls_ = std::min(calls_ + 1, kCallsToAgree);
  if (calls_ < kCallsToAgree) return;
  expects(agreement_ != nullptr, "the agreement on starts has begun");
  judge(agreement_->finish());
  agreement_.reset();
}

void StartTrial::judge(const std::vector<double>& agreed) {
  if (agreed.size() != 5) return keep(false, "the ranks could not agree");
  if (agreed[4] > 0) {
    if (++rounds_ == kMostRounds) return keep(false, "too few calls ended before later ones began");
    phase_ = Phase::Turns;
    starts_ = 0;
    native_.clear();
    planned_.clear();
    return;
  }
  native_agreed_ = {agreed[0], agreed[1]};
  plan_agreed_ = {agreed[2], agreed[3]};
  const bool is_shorter = is_ahead(plan_agreed_.span, native_agreed_.span) &&
                          is_not_behind(plan_agreed_.inside, native_agreed_.inside);
  const bool is_lighter = is_ahead(plan_agreed_.inside, native_agreed_.inside) &&
                          is_not_behind(plan_agreed_.span, native_agreed_.span);
  if (is_shorter) return keep(true, "complete earlier");
  if (is_lighter) return keep(true, "less time inside MPI");
  keep(false, "the plan is not clearly ahead");
}

void StartTrial::keep(bool plan, std::string_view why) {
  phase_ = Phase::Kept;
  keeps_plan_ = plan;
  why_ = why;
  native_ = {};
  planned_ = {};
}

}  // namespace espalier::runtime
