#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/shared_call.hpp"
#include "runtime/trial.hpp"
#include "select/chooser.hpp"

namespace espalier::runtime {

/// One of the alternatives for the calls of a class: a plan, or the MPI library's own call.
struct Candidate {
  std::optional<select::WhichPlan> which;  ///< which plan; absent means the MPI library's own call
  std::string name;                        ///< the plan's name, or "native"
  double predicted = -1;                   ///< predicted seconds of a call; negative means unknown
};

/// A trial as it stands at the end of the program, for ESPALIER_EXPLAIN. What is printed:
///   1. There is a decision: "kept NAME (WHY)".
///   2. BeforeDecision::ByPrediction: "not ended, too few calls: NAME by prediction alone"; where
///      native goes first without a prediction: "not ended, too few calls: native until it has
///      decided".
///   3. BeforeDecision::WaitingForTime: "not begun, too short calls: NAME until there is time to
///      try others".
///   4. BeforeDecision::WaitingToPay: "not begun, others are likely to be slower: NAME until the
///      program has run long enough to try them".
///   5. BeforeDecision::TakingTurns: "not ended, too few calls: they took turns".
/// Each of these may be followed by "; then links changed, and plans were made anew".
struct TrialRecord {
  std::string communicator;
  CallClass calls;
  std::vector<Candidate> candidates;
  std::vector<double> times;          ///< agreed seconds of each candidate; infinite: not tried
  std::optional<std::uint32_t> kept;  ///< the candidate decided for; absent without a decision
  std::string why;                    ///< reason of the decision
  Trial::BeforeDecision before_decision{};  ///< what calls did before a decision; meaningless once
                                            ///< a candidate is kept
  bool was_replanned = false;               ///< links changed later, and another trial followed
};
/// A class of calls in words: operation, size and what else tells it from others.
[[nodiscard]] std::string text_of(const CallClass& calls);
/// All trials with their candidates; a last line explains "took" if a candidate was timed.
[[nodiscard]] std::string trials_text(const std::vector<TrialRecord>& records);

}  // namespace espalier::runtime
