#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/agreement.hpp"

namespace espalier::runtime {

/// Notices when the calls of a class take clearly longer or shorter than they used to. Used while
/// one candidate is kept and links may change; see ClassPolicy.
///
/// How it is used, for each call of the class and on every member:
///   1. begin_call() before the call. If it returns true (an alarm), the caller measures the links,
///      and calls settle(false) if they are unchanged. If they changed, all plans are made anew,
///      and the watch goes with them.
///   2. If is_timed(), the caller hands the call's time to note().
/// All members get the same alarms at the same call.
///
/// What a watch goes through, again and again:
///   1. A window: kWindow calls are timed. Each rank keeps its shortest, so that one slow call does
///      not count.
///   2. Agreeing: a non-blocking allreduce finds the largest of these, while to_agree_ more calls
///      pass. The first calls of this time are the next window.
///   3. Judging: the first figure is the usual one. Later ones differ if they are kChanged times
///      larger or smaller. patience_ windows that differ in a row raise the alarm.
///   4. After settle(): the next figure is the usual one. If nothing had changed (the program
///      itself became slower or faster), the next alarm needs twice as many windows.
///
/// to_agree_ follows the program. Calls in one direction (a gather's, but for its root) may follow
/// each other a thousand times faster than an answer comes over a far link. So ranks also hand in
/// how long they waited for the last agreement and how fast their calls came.
class Watch {
 public:
  static constexpr std::uint32_t kWindow = 8;          ///< calls of a window
  static constexpr std::uint32_t kFewestToAgree = 4;   ///< fewest calls that pass while agreeing
  static constexpr std::uint32_t kMostToAgree = 4096;  ///< most calls that pass while agreeing
  static constexpr double kChanged = 1.5;              ///< windows differ from this factor on
  static constexpr std::uint32_t kMostPatience = 64;   ///< most windows that an alarm needs

  /// Called before each call, by all members. @return whether there is an alarm: calls take longer
  /// or shorter now
  bool begin_call(Agreement& agreement, const Clock& clock);
  /// Whether the call that was begun last shall be timed. While the ranks agree only the first
  /// kWindow calls are, since reading a clock takes longer than some calls.
  [[nodiscard]] bool is_timed() const { return calls_ <= kWindow; }
  /// Takes the time of that call on this rank. Ignores calls whose bytes differ from the first
  /// call's by more than 1/16. @pre is_timed()
  void note(double seconds, std::uint64_t bytes);
  /// Answers an alarm: whether the links had changed. The next window is the usual one again.
  void settle(bool had_changed);
  /// Whether the next begin_call() finishes an agreement. It then waits until all others have begun
  /// an earlier call, one that this rank has completed.
  [[nodiscard]] bool is_about_to_wait() const { return is_agreeing_ && since_start_ == to_agree_; }

 private:
  std::vector<double> finish_agreement(Agreement& agreement, const Clock& clock);
  void adapt(double needed, double period);
  bool judge(double now);

  std::optional<double> usual_;         // agreed seconds of the first window
  double least_ = -1;                   // this rank's shortest call of the window; negative: none
  std::optional<std::uint64_t> bytes_;  // bytes of the first timed call
  std::uint32_t calls_ = 0;             // calls since the window began
  std::uint32_t since_start_ = 0;       // calls since the agreement was started
  std::uint32_t to_agree_ = kFewestToAgree;  // calls from the start of an agreement to its end
  double agreement_began_ = 0;               // clock when the agreement was started
  double own_needed_ = 0;  // seconds that this rank's last agreement took; 0 if it did not wait
  double own_period_ = 0;  // seconds from call to call on this rank
  double needed_ = 0;      // agreed seconds that an agreement takes; fades
  bool is_agreeing_ = false;
  std::uint32_t patience_ = 1;   // windows in a row that must differ for an alarm
  std::uint32_t differing_ = 0;  // windows in a row that differed
};

}  // namespace espalier::runtime
