#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/agreement.hpp"

namespace espalier::runtime {

/// What is known of the candidates to run a call before any was tried: candidate 0 is the one that
/// prediction prefers.
struct TrialCandidate {
  double predicted = -1;  ///< seconds; negative: no prediction
  bool is_native = false;
  friend bool operator==(const TrialCandidate&, const TrialCandidate&) = default;
};

struct TrialOptions {
  /// What a plan must gain over the MPI library, measured, to be kept.
  double least_gain = 0.02;
  /// And in seconds: deciding costs as much at most, and a call of the MPI library's own is spared
  /// that once it is known to stay.
  double least_seconds = 150e-9;
  /// Whether a plan that won is compared with the MPI library once more, much later: a computer
  /// that was busy with something else in the wrong moment must not decide for good.
  bool looks_again = false;
  /// Calls that candidate 0 runs alone at first, in blocks of 4. Times of the MPI library's own
  /// count for it in all that follows: the more there are, the less it looks slow by chance.
  std::uint32_t first_calls = 4;
  /// Seconds that the program has run; the trial may take kShare of them.
  std::function<double()> elapsed = [] { return 0.0; };
};

/// Which candidate each call of one class takes (one communicator, operation, size class), so that
/// the fastest stays: not the one that a model prefers, the one that a clock does.
///
/// First candidate 0 alone; with `looks_again`, and if it is the MPI library's own, until there is
/// time to try short calls many times. If it takes what was predicted, those that are predicted to
/// take far longer are not tried; if those are all, it stays. Else the candidates are tried in
/// turn, in blocks of calls (of which the first is not timed), forwards and backwards; the mean of
/// a block is a sample, and of each candidate the maximum over ranks of each rank's least sample
/// counts: means, since single calls are short on ranks that come late. Where calls follow each
/// other closely the time from the first to the end of the last is taken, which is what the program
/// sees (and in long blocks no clock is read in between: that takes longer than some calls); else
/// the time within them. At most kMostTried calls take another candidate than 0. Then those that
/// came near the fastest go on, as long as that fits into kShare of the time so far.
///
/// With `looks_again` a plan that won and the MPI library's own take turns again when so many calls
/// have passed that those of the library's take no more than kShare of their time. Else a plan that
/// won is seen in the long run first: calls that go one way may return long before their messages
/// arrive, until what lies between is full. If it takes longer then, they take turns again in
/// blocks that are long beside that.
///
/// Every rank goes through it alike: nothing but the number of calls and what the ranks agreed on
/// (Agreement) decides.
class Trial {
 public:
  static constexpr std::uint32_t kMostTried = 20;
  static constexpr double kShare = 0.02;
  /// Calls between the start of an agreement and its end.
  static constexpr std::uint32_t kCallsToAgree = 4;
  /// A candidate that takes as much longer than predicted, or less than as much of it, is not as
  /// predicted.
  static constexpr double kAsPredicted = 1.25;
  static constexpr double kFarLess = 0.5;
  /// Others that are predicted to take as much longer are not tried, if candidate 0 is as
  /// predicted.
  static constexpr double kFarBehind = 1.5;

  /// @pre 2 or 3 candidates
  explicit Trial(std::vector<TrialCandidate> candidates, TrialOptions options = {});

  /// What an earlier run found out: no trial.
  void keep_known(std::uint32_t candidate) {
    is_known_ = true;
    keep(candidate, "found out in an earlier run");
  }
  /// The candidate of the next call; all members ask before it. May start an agreement or end one.
  std::uint32_t begin_call(Agreement& agreement) {
    return phase_ == Phase::Kept ? kept_ : step(agreement);
  }
  /// Whether the next begin_call() ends an agreement: it then waits for the others to have begun a
  /// call that is behind this rank.
  [[nodiscard]] bool is_about_to_wait() const {
    return (phase_ == Phase::AgreeingOnFirst || phase_ == Phase::AgreeingOnAll ||
            phase_ == Phase::AgreeingOnLongRun) &&
           calls_ == kCallsToAgree;
  }
  /// Whether the call that was begun last shall be timed.
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  /// When that began and how long it took here, in seconds, and how many bytes this rank gave or
  /// got. Calls of too different lengths cannot be compared: then candidate 0 stays. @pre
  /// is_timed()
  void note(double begin, double seconds, std::uint64_t bytes);

  [[nodiscard]] bool is_decided() const { return phase_ == Phase::Kept; }
  /// Whether the call that was begun last takes the candidate that is kept, for good or for now.
  [[nodiscard]] bool takes_what_is_kept() const {
    return phase_ == Phase::Kept || phase_ == Phase::LongRun ||
           phase_ == Phase::AgreeingOnLongRun || phase_ == Phase::Probation;
  }
  /// Whether a candidate was found to be the fastest, even if it shall be looked at again.
  [[nodiscard]] bool has_verdict() const { return is_decided() || looked_ || in_short_ > 0; }
  [[nodiscard]] std::uint32_t kept() const { return kept_; }
  /// Whether a plan was timed, now or in an earlier run. Else what is kept is kept by prediction,
  /// or because calls could not be compared.
  [[nodiscard]] bool has_timed_a_plan() const;
  /// What calls do as long as there is no verdict; exactly one of these.
  enum class Unended : std::uint8_t {
    ByPrediction,    ///< the preferred candidate runs, and nothing is agreed on yet
    WaitingForTime,  ///< the preferred candidate runs until there is time to try the others
    TakingTurns      ///< the candidates take turns and are timed
  };
  [[nodiscard]] Unended unended() const;
  /// What the ranks agreed each candidate takes, in seconds; infinite where it was not tried.
  [[nodiscard]] const std::vector<double>& times() const { return agreed_; }
  [[nodiscard]] std::string_view why() const { return why_; }

 private:
  enum class Phase : std::uint8_t {
    First,
    AgreeingOnFirst,
    Waiting,
    Turns,
    AgreeingOnAll,
    LongRun,
    AgreeingOnLongRun,
    Probation,
    Kept
  };
  std::uint32_t step(Agreement& agreement);
  bool take(std::vector<double> agreed);
  bool waits_for_time();
  void judge_first();
  bool goes_on_with_the_best(double least);
  void judge_all();
  void see_in_the_long_run();
  void judge_long_run();
  void look_again_later(std::uint32_t block);
  void forget_plans();
  void keep(std::uint32_t candidate, std::string_view why);
  void enter(Phase phase);
  void end_block();
  [[nodiscard]] std::vector<double> handed_in() const;
  [[nodiscard]] bool reads_no_clock_within() const;
  [[nodiscard]] std::uint32_t first_timed() const;
  /// Of call `number` of the turns.
  [[nodiscard]] std::uint32_t candidate_in_turn(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t calls_in_turns() const { return turns_ * block_; }

  std::vector<TrialCandidate> candidates_;
  TrialOptions options_;
  std::vector<std::uint32_t> rivals_{0};  // the candidates that are timed
  std::vector<double> least_;             // of this rank
  std::vector<double> agreed_;            // of all
  Phase phase_ = Phase::First;
  std::uint32_t calls_ = 0;      // in this phase
  std::uint32_t candidate_ = 0;  // of the call that was begun last
  bool is_known_ = false;
  std::uint32_t kept_ = 0;
  std::uint32_t block_ = 4;  // calls of a turn
  std::uint32_t turns_ = 0;
  std::uint64_t until_next_ = 0;  // calls that are not timed, then there is another look
  double elapsed_ = 0;            // of the program, agreed
  bool has_gone_on_ = false;      // with more calls of the best
  double in_short_ = 0;           // what a plan took that won, in short blocks
  bool looked_ = false;           // once, and a plan won
  bool is_timed_ = false;
  double sum_ = 0;                // of the timed calls of this block
  double began_ = 0, ended_ = 0;  // the first of them, the last
  std::uint32_t samples_ = 0;
  bool is_close_ = false;  // calls of the last block that was timed followed each other closely
  std::optional<std::uint64_t> bytes_;  // of a timed call
  bool are_comparable_ = true;
  std::string_view why_ = "not tried yet";
};

}  // namespace espalier::runtime
