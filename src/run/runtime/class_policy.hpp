#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/class_state.hpp"
#include "runtime/explain.hpp"
#include "runtime/settings.hpp"
#include "runtime/shared_call.hpp"
#include "runtime/start_trial.hpp"
#include "runtime/trial.hpp"
#include "runtime/trial_record.hpp"
#include "runtime/watch.hpp"
#include "select/chooser.hpp"

namespace espalier::runtime {

/// What the policies of one communicator share. The same on all its ranks at the same call.
struct PolicyGround {
  bool is_even = false;             ///< all ranks are alike: one level, equal costs
  bool is_near = true;              ///< no link is far, so links are not watched
  bool tries = true;                ///< plans are timed against native calls
  bool spares_first = true;         ///< the first call that would gain is native
  std::uint64_t gainful_calls = 0;  ///< calls that would have gained before there was `agreement`
  Evidence evidence = {};           ///< what trials here have found out so far
  double near_regret = 0;           ///< seconds that trials cost where no link is far
  /// Makes agreements over the hidden communicator; empty as long as there is none.
  std::function<std::unique_ptr<Agreement>()> agreement = {};
};

/// Calls of a class before its trial where a gain is likely to be small. A trial costs a hidden
/// communicator, so it is for calls that come again and again.
inline constexpr std::uint32_t kCallsUntilTrial = 64;

/// How many calls of a class are native before its candidates are asked for (state Few). More than
/// 0 only on an even machine without far links: there calls are native at first anyway, and most
/// communicators have few calls.
[[nodiscard]] std::uint32_t native_calls_first(const PolicyGround& ground);

/// How the next call of a class runs.
struct Take {
  /// What the communicator must do before the policy can tell.
  enum class First : std::uint8_t {
    Nothing,
    Join,    ///< make the hidden communicator; then ClassPolicy::joined()
    Measure  ///< measure far links; ClassPolicy::unchanged(), or new policies if some changed
  };
  First first = First::Nothing;
  std::optional<select::WhichPlan> which = {};  ///< the plan that runs; absent: native
  Reason why{};                                 ///< why the call is native
  bool is_for_good = false;                     ///< all further calls of the class are native too
  bool is_timed = false;                        ///< ClassPolicy::note() wants the time of this call
  /// All further calls of the class run alike, until the policy is forgotten: it need not be asked.
  bool is_settled = false;
};

/// Which candidate runs each call of one class on one communicator, and why a call is native:
/// trial, watch, decisions of earlier runs, first native calls and agreements are its parts. It
/// knows numbers of calls and agreed values, neither MPI nor a clock. What is decided elsewhere:
/// docs/adr/0025-a-call-is-a-value.md
///
/// How it is used, on every rank before each call of the class:
///   1. If wants_candidates(), begin().
///   2. next(). If the answer says so, the communicator acts and asks joined() or unchanged().
///   3. After a call that is_timed: note().
///
/// The states are those of ClassState; docs/runtime.md lists them and what leads from one to
/// another.
class ClassPolicy {
 public:
  /// @param ground must outlive it
  /// @param native_calls length of state Few, in calls
  ClassPolicy(PolicyGround& ground, std::uint32_t native_calls)
      : ground_(&ground), calls_left_(native_calls) {}

  [[nodiscard]] bool wants_candidates() const { return candidates_.empty() && calls_left_ == 0; }
  /// Ends state Few.
  /// @param candidates 1 to 3; prediction prefers the first
  /// @param known name of the candidate that an earlier run decided for, if any
  /// @pre wants_candidates()
  void begin(std::vector<Candidate> candidates, const std::optional<std::string>& known);

  /// Counts the call. @pre !wants_candidates()
  [[nodiscard]] Take next(const Clock& clock) { return settled_ ? *settled_ : decide(clock); }
  /// Answers First::Join, once the hidden communicator is there.
  [[nodiscard]] Take joined(const Clock& clock);
  /// Answers First::Measure: no link changed.
  [[nodiscard]] Take unchanged();
  /// Takes the time of the call that was begun last: when it began, how long it took on this rank,
  /// and how many bytes this rank gave or got. Native calls before the hidden communicator is there
  /// may be noted too. @pre Take::is_timed, or not joined
  void note(double begin, double seconds, std::uint64_t bytes);

  [[nodiscard]] ClassState state() const;
  /// How a call would run as things stand; counts nothing. @pre !wants_candidates()
  [[nodiscard]] Take outlook() const;
  /// Whether a trial, now or in an earlier run, has decided.
  [[nodiscard]] bool has_decision() const;
  /// Whether the state may still change without an alarm.
  [[nodiscard]] bool is_undecided() const;
  /// The name of the candidate that the trial decided for.
  [[nodiscard]] std::optional<std::string> decision() const;
  /// The plan that is ahead of the native call, as far as is known; absent: there is none.
  [[nodiscard]] std::optional<Lead> lead() const;
  /// The trial, without the communicator's name; absent if none has begun.
  [[nodiscard]] std::optional<TrialRecord> record(const CallClass& calls) const;

 private:
  [[nodiscard]] bool is_joined() const { return static_cast<bool>(ground_->agreement); }
  [[nodiscard]] bool is_watched() const {
    return !ground_->is_near && (!trial_ || trial_->runs_kept_candidate());
  }
  [[nodiscard]] Take decide(const Clock& clock);
  [[nodiscard]] Take step(const Clock& clock);
  [[nodiscard]] Take take(std::uint32_t candidate) const;
  [[nodiscard]] Reason why_native() const;
  /// A decision that an earlier run left says native, and links do not change.
  [[nodiscard]] bool is_near_native_known() const;
  [[nodiscard]] bool is_among_the_first();

  PolicyGround* ground_;
  std::uint32_t calls_left_;           // calls to come in state Few or Predicted
  std::vector<Candidate> candidates_;  // empty in state Few
  std::optional<Trial> trial_;         // absent if there is only one candidate
  std::optional<Watch> watch_;         // present once a candidate is kept and links may change
  std::unique_ptr<Agreement> trial_agreement_;  // absent once decided
  std::unique_ptr<Agreement> watch_agreement_;
  std::uint32_t candidate_ = 0;  // candidate of the call that was begun last
  bool is_alarmed_ = false;
  std::optional<Take> settled_;  // how all further calls run; absent as long as that may change
};

/// The rules by which plans are chosen under these settings and this MPI library.
[[nodiscard]] select::Rules rules_of(const Settings& settings, select::NativeMpi mpi);

/// Whether plans are timed against native calls. No if the settings demand plans or forbid trials.
[[nodiscard]] bool may_try(const Settings& settings);

/// What a class of calls may choose between: what the chooser names, or its first choice alone
/// without trials. Depends only on what all ranks share.
[[nodiscard]] std::vector<Candidate> candidates_of(select::Chooser& chooser,
                                                   const Settings& settings,
                                                   const SharedCall& call);

}  // namespace espalier::runtime
