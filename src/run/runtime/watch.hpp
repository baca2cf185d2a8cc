#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "runtime/agreement.hpp"

namespace espalier::runtime {

/// Whether the calls of a class still take what they took: asked of all ranks together, all along,
/// without any of them waiting.
///
/// Of every kWindow calls each rank hands in its shortest (one that came late in all of them does
/// not count as slow links, one slow call neither); the largest of those is compared with the first
/// such figure. Noise below kChanged is none. What an alarm is about is for the caller to measure:
/// if it was nothing (the program's own doing), the new figure is the usual one from then on, and
/// the next alarm needs twice as many windows.
///
/// Calls that go one way only (a gather's, but for its root) may follow each other a thousand times
/// faster than an answer comes over a far link. So ranks also hand in how long they had to wait for
/// the agreement before and how fast their calls came, and let as many more calls pass.
class Watch {
 public:
  static constexpr std::uint32_t kWindow = 8;
  static constexpr std::uint32_t kFewestToAgree = 4;
  static constexpr std::uint32_t kMostToAgree = 4096;
  static constexpr double kChanged = 1.5;
  static constexpr std::uint32_t kMostPatience = 64;

  /// @param clock seconds on this rank
  explicit Watch(std::function<double()> clock = [] { return 0.0; }) : clock_(std::move(clock)) {}

  /// Before each call; all members alike. @return an alarm: calls take longer or shorter now
  bool begin_call(Agreement& agreement);
  /// Whether the call that was begun last shall be timed: of those that pass while the ranks agree
  /// only the first, since a clock costs more than some calls.
  [[nodiscard]] bool is_timed() const { return calls_ <= kWindow; }
  /// Of that call on this rank. Calls of other lengths than the first are passed over.
  void note(double seconds, std::uint64_t bytes);
  /// After an alarm: whether something had changed. The next window is the first again.
  void settle(bool had_changed);
  /// Whether the next begin_call() waits for others to have begun a call that is behind this rank.
  [[nodiscard]] bool is_about_to_wait() const { return is_agreeing_ && since_start_ == to_agree_; }

 private:
  std::vector<double> agreed_at_last(Agreement& agreement);
  void adapt(double needed, double period);
  bool judge(double now);

  std::function<double()> clock_;
  std::optional<double> usual_;  // agreed
  double least_ = -1;            // of this window, here; negative: nothing was timed
  std::optional<std::uint64_t> bytes_;
  std::uint32_t calls_ = 0;  // in this window
  std::uint32_t since_start_ = 0;
  std::uint32_t to_agree_ = kFewestToAgree;  // calls from the start of an agreement to its end
  double started_ = 0;                       // the agreement under way, by the clock
  double own_needed_ = 0,
         own_period_ = 0;  // how long the last one took if it was waited for; a call
  double needed_ = 0;      // agreed
  bool is_agreeing_ = false;
  std::uint32_t patience_ = 1;  // windows that must differ
  std::uint32_t differing_ = 0;
};

}  // namespace espalier::runtime
