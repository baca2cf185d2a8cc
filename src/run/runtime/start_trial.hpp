#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/agreement.hpp"
#include "runtime/shared_call.hpp"
#include "select/chooser.hpp"

namespace espalier::runtime {

/// The plan that is ahead of the native call in calls of a class that block.
struct Lead {
  select::WhichPlan which{};
  std::string_view name = {};
  double plan = -1;    ///< seconds of a call along it; negative: unknown
  double native = -1;  ///< seconds of a native call; negative: unknown
  bool is_measured = false;

  /// Whether it is so far ahead that calls that do not block are compared: by a tenth if it was
  /// measured, by a third if it is predicted. A decision of an earlier run has no times.
  [[nodiscard]] bool is_clear() const {
    if (plan < 0 || native < 0) return is_measured;
    return plan <= (is_measured ? 0.9 : 2.0 / 3) * native;
  }
};

/// What one call that does not block took, or what such calls took.
struct StartTimes {
  double span = 0;    ///< seconds from its start to its completion, as far as MPI looked for it
  double inside = 0;  ///< seconds of these that the program was inside MPI
};

/// Decides whether the calls of one class that do not block go along a plan, on one communicator
/// and where links are far (docs/adr/0038-measured-non-blocking-calls.md).
///
/// How it is used, on every member:
///   1. next() before each start says how that call runs. A call that is timed is handed to note()
///      when it is complete, which may be much later. If it `agrees`, agree() follows, in the same
///      order on all members, and before the next call that blocks.
///   2. While wants_call(), step() before each call on the communicator that blocks.
///
/// All members get the same answers: only numbers of starts and calls, and what was agreed on
/// inside calls that block, decide.
///
/// Phases, as docs/runtime.md ("Phases of a trial of starts") has them too:
///   1. Turns: native calls and planned ones take turns, 6 native, 12 planned, 6 native. All but
///      the first of each block are timed.
///   2. Due: native. The next start, or call that blocks, starts an agreement on the times.
///   3. Agreeing: native. A call that blocks takes the result, once kCallsToAgree starts and calls
///      that block have passed. To Turns, if some rank has too few times, since its calls were not
///      complete; else, or after kMostRounds, to Kept.
///   4. Kept: planned or native for good.
/// Without calls that block it stays in Agreeing. No start can take the result: a rank may start
/// any number of calls before another one starts its first, so at none of them all have it.
class StartTrial {
 public:
  enum class Phase : std::uint8_t { Turns, Due, Agreeing, Kept };
  static constexpr std::array<std::string_view, 4> kPhaseNames{"Turns", "Due", "Agreeing", "Kept"};
  static constexpr std::uint32_t kBlock = 6;
  static constexpr std::uint32_t kTurns = 4 * kBlock;
  static constexpr std::uint32_t kCallsToAgree = 4;
  static constexpr std::uint32_t kMostRounds = 4;
  static constexpr std::size_t kLeastSamples = 4;
  /// The plan is kept if it is ahead by a tenth in one of the two times, and not behind in the
  /// other by more than noise.
  static constexpr double kAhead = 0.9;
  static constexpr double kNotBehind = 1.02;
  static constexpr double kNoise = 20e-6;

  explicit StartTrial(const Lead& lead) : which_(lead.which), name_(lead.name) {}

  struct Next {
    bool is_planned = false;
    bool is_timed = false;
    bool agrees = false;  ///< agree() is to be called
  };
  /// @param bytes of the call: calls of the class that differ by more than 1/16 are not compared
  [[nodiscard]] Next next(std::uint64_t bytes);
  void note(bool is_planned, const StartTimes& times);
  /// Hands in this rank's times. @pre next() said so
  void agree(std::unique_ptr<Agreement> agreement);
  [[nodiscard]] bool wants_call() const {
    return phase_ == Phase::Due || phase_ == Phase::Agreeing;
  }
  /// @pre wants_call()
  void step(const std::function<std::unique_ptr<Agreement>()>& make);
  /// Ends an agreement that is under way, whose result nobody wants.
  void leave() { agreement_.reset(); }

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] select::WhichPlan which() const { return which_; }
  /// Whether calls go along the plan for good. @pre phase() is Kept
  [[nodiscard]] bool keeps_plan() const { return keeps_plan_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Why it was decided so, or why it was not decided, as ESPALIER_EXPLAIN prints it.
  [[nodiscard]] std::string_view why() const { return why_; }
  /// What was agreed on; nothing is 0 once there is something.
  [[nodiscard]] const StartTimes& native_times() const { return native_agreed_; }
  [[nodiscard]] const StartTimes& plan_times() const { return plan_agreed_; }

 private:
  void judge(const std::vector<double>& agreed);
  void keep(bool plan, std::string_view why);
  [[nodiscard]] std::vector<double> own_numbers() const;

  select::WhichPlan which_;
  std::string name_;
  Phase phase_ = Phase::Turns;
  std::uint32_t starts_ = 0;  // in this phase
  std::uint32_t calls_ = 0;   // starts and calls that block since the agreement was begun, or more
  std::uint32_t rounds_ = 0;  // that had too few times
  std::uint64_t bytes_ = 0;   // of the first start of this round
  std::vector<StartTimes> native_, planned_;
  StartTimes native_agreed_, plan_agreed_;
  std::unique_ptr<Agreement> agreement_;
  bool keeps_plan_ = false;
  std::string_view why_ = "too few calls";
};

}  // namespace espalier::runtime
