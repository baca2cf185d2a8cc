#include "mpi/agreed_length.hpp"

#include <algorithm>
#include <utility>

#include "mpi/seconds_now.hpp"
#include "select/chooser.hpp"

namespace espalier::mpi {
namespace {

constexpr std::uint64_t kFewestToPass = 28, kMostToPass = std::uint64_t{1} << 20U;
/// Most calls after which another length is noticed, unless waiting for it would take too long.
constexpr std::uint64_t kUsuallyToPass = 256;
/// Calls between an agreement and the next one.
constexpr std::uint64_t kCallsBetween = 4;
/// What waiting may take of the time of the calls.
constexpr double kShareOfWaiting = 0.01;

}  // namespace

void AgreedLength::begin_call(std::uint64_t longest) {
  longest_ = std::max(longest_, longest);
  ++calls_;
  if (agreement_ == nullptr) {
    if (!bytes_ || calls_ >= kCallsBetween) start();
  } else if (calls_ >= to_pass_) {
    finish();
  }
}

void AgreedLength::start() {
  const double now = seconds_now();
  if (started_at_ > 0) elapsed_ = now - started_at_;
  started_at_ = now;
  agreement_ = std::make_unique<LateAgreement>(comm_);
  agreement_->start(
      std::array{static_cast<double>(std::exchange(longest_, 0)), waited_, -elapsed_});
  calls_ = 0;
}

void AgreedLength::finish() {
  const double begin = seconds_now();
  const std::vector<double> agreed = agreement_->finish();
  agreement_.reset();
  waited_ = seconds_now() - begin;
  const std::uint64_t passed = std::exchange(calls_, 0) + kCallsBetween;
  if (agreed.size() != 3) return;
  const std::uint64_t now = select::block_class(static_cast<std::uint64_t>(agreed[0]));
  const bool has_changed = bytes_ != now;
  bytes_ = now;
  // How many calls have to pass so that what ranks waited last time is a small share of them.
  const double of_a_call = -agreed[2] / static_cast<double>(passed);
  const double needed = of_a_call > 0 ? agreed[1] / (kShareOfWaiting * of_a_call) : 0;
  const std::uint64_t usual = has_changed ? kFewestToPass : std::min(2 * to_pass_, kUsuallyToPass);
  const double most = static_cast<double>(kMostToPass);
  to_pass_ = std::clamp(std::max(usual, static_cast<std::uint64_t>(std::min(needed, most))),
                        kFewestToPass, kMostToPass);
}

}  // namespace espalier::mpi
