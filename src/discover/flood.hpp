#pragma once

#include <optional>
#include <span>

#include "discover/experiment.hpp"

namespace espalier::discover {

/// When the sender of a Flood may go on: as many messages are under way as twice those that were
/// answered within the last round trip. So TCP's window may double as it does on a new connection,
/// and what waits in front of a slow link at the end is no more than one round trip's worth.
class FloodControl {
 public:
  explicit FloodControl(const Experiment& experiment) : e_(experiment) {}

  /// @param now since the first message was sent
  [[nodiscard]] bool may_send(Time now) const;
  /// Nothing more is sent, and all was answered.
  [[nodiscard]] bool is_over(Time now) const;
  void sent() { ++sent_; }
  void answered(Time now);
  [[nodiscard]] const std::vector<Time>& answers() const { return answers_; }

 private:
  [[nodiscard]] bool is_ending(Time now) const;

  Experiment e_;
  std::uint64_t sent_ = 0;
  std::size_t recent_ = 0;  ///< the first answer of the last round trip
  bool steady_ = false;
  std::vector<Time> answers_;
};

/// How fast the bytes of a Flood went once it was steady.
struct FloodRate {
  Bandwidth rate;
  bool grows = false;  ///< it was still becoming faster when time was over
};

/// Of one that ended when it was steady: from there to its end, since the link is full until then.
/// @pre not empty
[[nodiscard]] FloodRate rate_alone(const Experiment& experiment, std::span<const Time> answers);

/// Of one among several that began together: within the last two round trips of its patience, while
/// none of them had ended.
[[nodiscard]] FloodRate rate_among_others(const Experiment& experiment,
                                          std::span<const Time> answers);

}  // namespace espalier::discover
