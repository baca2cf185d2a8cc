#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/agreement.hpp"
#include "runtime/class_state.hpp"
#include "runtime/evidence.hpp"

namespace espalier::runtime {

/// What is known of a candidate before it was timed. Candidate 0 is the one that prediction
/// prefers.
struct TrialCandidate {
  double predicted = -1;   ///< predicted seconds of a call; negative means no prediction
  bool is_native = false;  ///< the candidate is the MPI library's own call
  friend bool operator==(const TrialCandidate&, const TrialCandidate&) = default;
};

struct TrialOptions {
  /// A plan is kept only if it is faster than the native call by this share of the native time.
  double least_gain = 0.02;
  /// A plan is kept only if it is faster than the native call by this many seconds: what a planned
  /// call costs more than a native one before its first message.
  double least_seconds = 150e-9;
  /// Why the native call is kept though a plan took less: the two bounds above in words.
  std::string_view why_too_little = "no plan was faster by 2 % and 0.15 us";
  /// A plan that won is compared with the native call once more, much later (phase Probation). So
  /// a computer that was busy at the wrong moment does not decide for good. Set where no link is
  /// far; over far links phase LongRun takes its place.
  bool rechecks_winner = false;
  /// Length of phase First, in calls; a multiple of 4. Native times of this phase count in all
  /// later comparisons: the more there are, the less native looks slow by chance.
  std::uint32_t first_calls = 4;
  /// Set where links are far, and trying what is behind is dear: shared by all trials of a
  /// communicator. A candidate that is behind as far as is known is tried only when the regret of
  /// all trials, with what else Evidence::committed() counts, stays within kShare of the time that
  /// the program has run. Must outlive the trial.
  Evidence* evidence = nullptr;
  /// Adds to this what the calls of a trial without `evidence` took beyond its best candidate, for
  /// the report alone; nullptr: nobody wants it. Must outlive the trial.
  double* regret = nullptr;
};

/// Decides by the clock which candidate runs the calls of one class (one communicator, operation,
/// root and size class). The candidates are a plan, the MPI library's own call and at most one
/// other plan.
///
/// How it is used, for each call of the class and on every member:
///   1. begin_call() says which candidate runs the call.
///   2. If is_timed(), the caller times the call and hands the time to note().
///
/// All members get the same answers: only the number of the call and what the ranks agreed on
/// (Agreement) decide. A call never waits for the decision, but see is_about_to_wait().
///
/// Phases:
///   1. First: candidate 0 runs and is timed, `first_calls` calls.
///   2. AgreeingOnFirst: candidate 0 runs, kCallsToAgree calls. Then the ranks know its time.
///      To Waiting, if candidate 0 is native, `rechecks_winner` is set and the calls are too short
///      to be compared in the time that the trial may take now.
///      To Waiting also, with `evidence`, if another candidate is likely to be behind and the
///      program has not run long enough to pay for the regret of trying it.
///      To Turns, if some candidate is worth trying. Candidates are not worth trying if candidate
///      0 took what was predicted and they are predicted to take kFarBehind times that. Nor is
///      native, if its calls before the plans came in took clearly longer than candidate 0.
///      Else to LongRun (candidate 0 is a plan) or to Kept (it is native).
///   3. Waiting: candidate 0 runs, 16 to 1,024 calls. Then First again.
///   4. Turns: the candidates that are compared take turns forwards and backwards (0 1 2 2 1 0),
///      a block of calls each. The first calls of a block are not timed.
///   5. AgreeingOnAll: the candidate preferred so far runs, kCallsToAgree calls. Then the fastest
///      is known.
///      To Turns, once, for those near the fastest, with as many calls as kShare allows. Where no
///      link is far, near means up to kNearInShortBlocks: what few calls take says little of calls
///      in one direction, whose senders run ahead.
///      To Kept, if native won or the winner was rechecked.
///      Else to Probation (`rechecks_winner`) or to LongRun.
///   6. LongRun: the winner runs for as many calls as would take 0.2 s. The last 32 are timed, or
///      the second half if that is less.
///      Calls in one direction over far links return before their messages arrive, until all
///      buffers between are full: only then does their time count.
///   7. AgreeingOnLongRun: the winner runs, kCallsToAgree calls. To Kept, if it took at most 1.3 of
///      its time before; else to Probation.
///   8. Probation: the winner runs until so many calls have passed that native calls in the
///      next Turns take at most kShare of their time. To Turns of winner and native.
///   9. Kept: one candidate runs for good. No clock is read.
/// Where the ranks cannot agree, or calls cannot be compared, each agreeing phase ends in Kept.
///
/// What is compared: the mean of a block is a sample, since single calls look short on ranks that
/// come late. A candidate's time is the maximum over ranks of each rank's least sample. Where calls
/// follow each other closely, a sample is the time from the first call's begin to the last call's
/// end; else it is the time within calls. In long blocks no clock is read in between, since that
/// takes longer than some calls. Where no link is far, samples of short blocks are forgotten once
/// there are long ones: messages that wait already make a few native calls look faster than they
/// are.
class Trial {
 public:
  /// No fewer calls than the first Turns give to other candidates than 0 (16). If so many calls
  /// take long enough to compare, the trial does not wait for more time.
  static constexpr std::uint32_t kMostOtherCalls = 20;
  /// The share of the program's time that a trial may take beyond that.
  static constexpr double kShare = 0.02;
  /// Calls between the start of an agreement and its end.
  static constexpr std::uint32_t kCallsToAgree = 4;
  /// Candidate 0 took what was predicted if measured / predicted lies between these two.
  static constexpr double kShortestAsPredicted = 0.5;
  static constexpr double kLongestAsPredicted = 1.25;
  /// A candidate predicted to take this many times candidate 0's prediction is not tried, if
  /// candidate 0 took what was predicted.
  static constexpr double kFarBehind = 1.5;
  /// Native is not tried if candidate 0 takes at most this share of what native calls took before.
  static constexpr double kClearlyAhead = 0.9;

  /// @pre 2 or 3 candidates
  explicit Trial(std::vector<TrialCandidate> candidates, const TrialOptions& options = {});

  /// Goes to Kept at once, with what an earlier run found out. @pre no call was begun
  void keep_from_earlier_run(std::uint32_t candidate) {
    is_known_ = true;
    keep(candidate, "found out in an earlier run");
  }
  /// The candidate of the next call. All members ask before that call. May start an agreement or
  /// finish one. The clock is read when one is started: the trial may take the share kShare.
  std::uint32_t begin_call(Agreement& agreement, const Clock& clock) {
    return phase_ == Phase::Kept ? kept_ : step(agreement, clock);
  }
  /// Whether the next begin_call() finishes an agreement. It then waits until all others have begun
  /// an earlier call, one that this rank has completed.
  [[nodiscard]] bool is_about_to_wait() const {
    return (phase_ == Phase::AgreeingOnFirst || phase_ == Phase::AgreeingOnAll ||
            phase_ == Phase::AgreeingOnLongRun) &&
           calls_ == kCallsToAgree;
  }
  /// Whether the call that was begun last shall be timed.
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  /// Takes the time of the call that was begun last. Calls whose bytes differ by more than 1/16
  /// cannot be compared: the trial then ends with the candidate preferred so far.
  /// @param begin when the call began, in seconds of any clock
  /// @param seconds how long it took on this rank
  /// @param bytes how many bytes this rank gave or got
  /// @pre is_timed()
  void note(double begin, double seconds, std::uint64_t bytes);
  /// Takes the time of a native call that was made before the first begin_call(): what native takes
  /// is known then without a trial. Two calls in a row make a sample; the first call is left out.
  void note_native_before(double seconds, std::uint64_t bytes);

  /// First to Kept.
  [[nodiscard]] ClassState phase() const { return phase_; }
  [[nodiscard]] bool is_decided() const { return phase_ == Phase::Kept; }
  /// Whether the call that was begun last runs the winner, kept for good or until it is rechecked.
  [[nodiscard]] bool runs_kept_candidate() const {
    return phase_ == Phase::Kept || phase_ == Phase::LongRun ||
           phase_ == Phase::AgreeingOnLongRun || phase_ == Phase::Probation;
  }
  /// Whether there is a decision, even one that is to be rechecked.
  [[nodiscard]] bool has_decision() const {
    return is_decided() || recheck_scheduled_ || time_in_short_blocks_ > 0;
  }
  /// The candidate that was decided for; before a decision, candidate 0.
  [[nodiscard]] std::uint32_t kept() const { return kept_; }
  /// Whether an earlier run decided.
  [[nodiscard]] bool is_from_earlier_run() const { return is_known_; }
  /// Whether a plan was timed, now or in an earlier run. If not, the decision rests on prediction,
  /// or calls could not be compared.
  [[nodiscard]] bool has_timed_a_plan() const;
  /// Whether calls could be compared. If not, the decision rests on prediction, and another run may
  /// find out more.
  [[nodiscard]] bool could_compare() const { return could_compare_; }
  /// What calls do while there is no decision. ESPALIER_EXPLAIN prints a line for each.
  enum class BeforeDecision : std::uint8_t {
    ByPrediction,    ///< candidate 0 runs; no time is agreed on yet
    WaitingForTime,  ///< candidate 0 runs until there is time to try the others; calls are short
    WaitingToPay,    ///< candidate 0 runs until the regret of trying slower ones fits the bound
    TakingTurns      ///< the candidates take turns and are timed
  };
  /// @pre !has_decision()
  [[nodiscard]] BeforeDecision before_decision() const;
  /// Agreed seconds of each candidate; infinite for candidates that were not tried.
  [[nodiscard]] const std::vector<double>& times() const { return agreed_; }
  /// Why kept() was decided for, as ESPALIER_EXPLAIN prints it.
  [[nodiscard]] std::string_view why() const { return why_; }

 private:
  using Phase = ClassState;
  std::uint32_t step(Agreement& agreement, const Clock& clock);
  bool accept_agreed(std::vector<double> agreed);
  bool waits_for_time();
  void judge_first();
  /// Seconds that trying a candidate in the first Turns would cost, as far as is known; 0 if it is
  /// likely to be as fast as candidate 0.
  [[nodiscard]] double regret_of_trying(std::uint32_t candidate) const;
  void wait_to_pay(double regret);
  void learn_from_times();
  bool starts_second_round(double least);
  void judge_all();
  void see_in_the_long_run();
  void judge_long_run();
  void schedule_recheck(std::uint32_t block);
  void forget_plans();
  void keep(std::uint32_t candidate, std::string_view why);
  void enter(Phase phase);
  void end_block();
  [[nodiscard]] std::vector<double> own_numbers(const Clock& clock) const;
  [[nodiscard]] bool reads_no_clock_within() const;
  [[nodiscard]] std::uint32_t first_timed() const;
  /// The candidate of call `number` of phase Turns.
  [[nodiscard]] std::uint32_t candidate_in_turn(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t calls_in_turns() const { return turns_ * block_; }

  std::vector<TrialCandidate> candidates_;
  TrialOptions options_;
  std::vector<std::uint32_t> rivals_{0};  // candidates that are timed in this phase
  std::vector<double> least_;             // this rank's least sample of each candidate, seconds
  std::vector<double> agreed_;            // agreed time of each candidate, seconds
  Phase phase_ = Phase::First;
  std::uint32_t calls_ = 0;      // calls begun in this phase
  std::uint32_t candidate_ = 0;  // candidate of the call that was begun last
  bool is_known_ = false;        // an earlier run decided
  std::uint32_t kept_ = 0;
  std::uint32_t block_ = 4;             // calls in a block
  std::uint32_t turns_ = 0;             // blocks in phase Turns
  std::uint64_t until_next_ = 0;        // calls in phase Waiting or Probation
  double elapsed_ = 0;                  // agreed seconds that the program has run
  bool had_second_round_ = false;       // Turns may not be entered again from AgreeingOnAll
  double time_in_short_blocks_ = 0;     // the winner's time before LongRun; 0 if never entered
  bool recheck_scheduled_ = false;      // Probation was entered
  bool is_timed_ = false;               // the call that was begun last shall be timed
  double sum_ = 0;                      // seconds within the timed calls of this block
  double began_ = 0;                    // begin of the first timed call of this block
  double ended_ = 0;                    // end of the last timed call of this block
  std::uint32_t samples_ = 0;           // timed calls of this block
  bool is_close_ = false;               // calls of the last timed block followed closely
  std::optional<std::uint64_t> bytes_;  // bytes of the first timed call
  bool are_comparable_ = true;          // all timed calls had about as many bytes
  std::uint32_t native_before_ = 0;     // native calls noted before the first begin_call()
  double last_native_before_ = 0;       // seconds of the last of them
  bool could_compare_ = true;           // false: the trial ended without a comparison
  double reserved_ = 0;                 // of Evidence::reserve() while candidates take turns
  std::string_view why_ = "not tried yet";
};

}  // namespace espalier::runtime
