#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan_cache.hpp"
#include "runtime/settings.hpp"
#include "runtime/trial.hpp"
#include "runtime/watch.hpp"

namespace espalier::runtime {

/// A class of calls on one communicator: calls of one class share candidates, trial and decision.
struct CallClass {
  schedule::Operation operation = schedule::Operation::Barrier;
  Rank root = 0;
  std::uint32_t size_class = 0;  ///< see size_class() in select/chooser.hpp
  bool commutative = true;       ///< the reduction may combine in any order
  bool irregular = false;        ///< blocks whose lengths not all ranks know
  bool unequal = false;          ///< blocks of different lengths that all ranks know
  friend auto operator<=>(const CallClass&, const CallClass&) = default;
};
[[nodiscard]] CallClass class_of(const PlanKey& key);

/// One of the alternatives for the calls of a class: a plan, or the MPI library's own call.
struct Candidate {
  std::optional<select::WhichPlan> which;  ///< which plan; absent means the MPI library's own call
  std::string name;                        ///< the plan's name, or "native"
  double predicted = -1;                   ///< predicted seconds of a call; negative means unknown
};

/// How the calls of one class run. Made by make_class_policy() before the first call that it
/// decides, and kept by mpi::Communicator, the same on all ranks.
///
/// States of a class, in this order (mpi::Communicator counts the calls of the first):
///   1. No policy yet: calls are native, see calls_before_policy().
///   2. Before the trial: candidate 0 runs, `calls_until_trial` calls.
///   3. On trial: `trial` says which candidate runs each call.
///   4. Kept: the trial is decided, or there is no trial. If links may change, `watch` looks on,
///      and its alarm may lead back to 1.
struct ClassPolicy {
  std::vector<Candidate> candidates;    ///< 1 to 3; prediction prefers the first
  std::optional<Trial> trial = {};      ///< absent if there is only one candidate
  std::uint32_t calls_until_trial = 0;  ///< calls that candidate 0 runs before the trial begins
  std::optional<Watch> watch = {};      ///< present once a candidate is kept and links may change

  /// Hands the time of the last call on this rank to whoever asked for it.
  /// @pre the trial or the watch wants it timed
  void note(double begin, double seconds, std::uint64_t bytes) {
    if (trial && trial->is_timed()) trial->note(begin, seconds, bytes);
    if (watch && (!trial || trial->runs_kept_candidate())) watch->note(seconds, bytes);
  }
};

/// The rules by which plans are chosen under these settings and this MPI library.
[[nodiscard]] select::Rules rules_of(const Settings& settings, select::NativeMpi mpi);

/// Whether plans are timed against native calls. No if the settings demand plans or forbid trials.
[[nodiscard]] bool may_try(const Settings& settings);

/// How many calls of a class are native before its policy is made. More than 0 only on an even
/// machine without far links: there calls are native at first anyway, and most communicators have
/// few calls.
/// @param is_even all ranks are alike: one level, equal costs
/// @param is_near no link is far
[[nodiscard]] std::uint32_t calls_before_policy(const Settings& settings, bool is_even,
                                                bool is_near);

/// Prepares the trial of a class between the alternatives that the chooser names. Depends only on
/// what all ranks share, so that all make the same policy. Where no plan gains by prediction and no
/// link is far, the trial waits until the class has had many calls.
/// @param is_even all ranks are alike: one level, equal costs
/// @param is_near no link is far
/// @param elapsed seconds that the program has run
[[nodiscard]] ClassPolicy make_class_policy(select::Chooser& chooser, const Settings& settings,
                                            const PlanKey& key, bool is_even, bool is_near,
                                            std::function<double()> elapsed);

/// A trial as it stands at the end of the program, for ESPALIER_EXPLAIN. What is printed:
///   1. There is a decision: "kept NAME (WHY)".
///   2. BeforeDecision::ByPrediction: "not ended, too few calls: NAME by prediction alone".
///   3. BeforeDecision::WaitingForTime: "not begun, too few calls: NAME until there is time to try
///      others".
///   4. BeforeDecision::TakingTurns: "not ended, too few calls: they took turns".
/// Each of these may be followed by "; then links changed, and plans were made anew".
struct TrialRecord {
  std::string communicator;
  CallClass calls;
  std::vector<Candidate> candidates;
  std::vector<double> times;          ///< agreed seconds of each candidate; infinite: not tried
  std::optional<std::uint32_t> kept;  ///< the candidate decided for; absent without a decision
  std::string why;                    ///< reason of the decision
  Trial::BeforeDecision before_decision{};  ///< what calls did; meaningless once one is kept
  bool was_replanned = false;               ///< links changed later, and another trial followed
};
[[nodiscard]] std::string trials_text(const std::vector<TrialRecord>& records);

}  // namespace espalier::runtime
