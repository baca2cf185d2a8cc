#include "runtime/watch.hpp"

#include <algorithm>
#include <array>

namespace espalier::runtime {

bool Watch::begin_call(Agreement& agreement, const Clock& clock) {
  bool alarm = false;
  if (is_about_to_wait()) {
    const std::vector<double> agreed = finish_agreement(agreement, clock);
    if (agreed.size() == 3) {
      adapt(agreed[1], -agreed[2]);
      alarm = judge(agreed[0]);
    }
  }
  if (calls_ >= kWindow && !is_agreeing_) {
    agreement.start(std::array{least_, own_needed_, -own_period_});
    agreement_began_ = clock();
    is_agreeing_ = true;
    since_start_ = 0;
    calls_ = 0;
    least_ = -1;
  }
  ++calls_;
  ++since_start_;
  return alarm;
}

std::vector<double> Watch::finish_agreement(Agreement& agreement, const Clock& clock) {
  const double came = clock() - agreement_began_;
  std::vector<double> agreed = agreement.finish();
  const double left = clock() - agreement_began_;
  is_agreeing_ = false;
  own_period_ = came / to_agree_;
  own_needed_ = left - came > came / 20 ? left : 0;
  return agreed;
}

/// The rank that waited longest and the rank whose calls come fastest decide. A long wait that came
/// from a late program fades by 5 % with each agreement.
void Watch::adapt(double needed, double period) {
  needed_ = std::max(needed, 0.95 * needed_);
  const double calls = period > 0 ? 2 * needed_ / period : 0;
  to_agree_ =
      static_cast<std::uint32_t>(std::clamp(calls, double{kFewestToAgree}, double{kMostToAgree}));
}

void Watch::note(double seconds, std::uint64_t bytes) {
  if (!bytes_) bytes_ = bytes;
  const auto [less, more] = std::minmax(*bytes_, bytes);
  if (more - less > less / 16) return;
  least_ = least_ < 0 ? seconds : std::min(least_, seconds);
}

bool Watch::judge(double now) {
  if (now <= 0) return false;  // no rank timed a call
  if (!usual_) {
    usual_ = now;
    return false;
  }
  const bool differs = now > kChanged * *usual_ || *usual_ > kChanged * now;
  differing_ = differs ? differing_ + 1 : 0;
  return differing_ >= patience_;
}

void Watch::settle(bool had_changed) {
  usual_.reset();
  bytes_.reset();
  differing_ = 0;
  calls_ = 0;
  least_ = -1;
  patience_ = had_changed ? 1 : std::min(2 * patience_, kMostPatience);
}

}  // namespace espalier::runtime
