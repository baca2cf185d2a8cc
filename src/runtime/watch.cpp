#include "runtime/watch.hpp"

#include <algorithm>
#include <array>

namespace espalier::runtime {

bool Watch::begin_call(Agreement& agreement) {
  bool alarm = false;
  if (is_about_to_wait()) {
    is_agreeing_ = false;
    const std::vector<double> agreed = agreement.finish();
    if (agreed.size() == 1) alarm = judge(agreed[0]);
  }
  if (calls_ == kWindow) {
    agreement.start(std::array{least_});
    is_agreeing_ = true;
    since_start_ = 0;
    calls_ = 0;
    least_ = -1;
  }
  ++calls_;
  ++since_start_;
  return alarm;
}

void Watch::note(double seconds, std::uint64_t bytes) {
  if (!bytes_) bytes_ = bytes;
  const auto [less, more] = std::minmax(*bytes_, bytes);
  if (more - less > less / 16) return;
  least_ = least_ < 0 ? seconds : std::min(least_, seconds);
}

bool Watch::judge(double now) {
  if (now <= 0) return false;  // nobody timed anything
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
