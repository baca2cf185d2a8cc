#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan_cache.hpp"
#include "runtime/trial.hpp"
#include "runtime/watch.hpp"

namespace espalier::runtime {

/// Calls of one communicator that run alike: what ranks may decide on together.
struct CallClass {
  schedule::Operation operation = schedule::Operation::Barrier;
  Rank root = 0;
  std::uint32_t size_class = 0;
  bool commutative = true;
  bool irregular = false;
  bool unequal = false;
  friend auto operator<=>(const CallClass&, const CallClass&) = default;
};
[[nodiscard]] CallClass class_of(const PlanKey& key);

/// A way to run the calls of a class: along a plan, or as the MPI library does.
struct Candidate {
  std::optional<WhichPlan> which;  ///< of a plan; none: native
  std::string name;
  double predicted = -1;  ///< seconds; negative: not known
};

/// How the calls of a class go on: the ways there are, and the trial that picks one.
struct ClassPolicy {
  std::vector<Candidate> candidates;  ///< the first by prediction; one alone: nothing to try
  std::optional<Trial> trial = {};    ///< if there is something to try
  std::uint32_t calls_until_it = 0;   ///< that go the first candidate before the trial begins
  std::optional<Watch> watch = {};    ///< while a way is kept, where links may change

  /// How long the last call took here. @pre it was to be timed
  void note(double begin, double seconds, std::uint64_t bytes) {
    if (trial && trial->is_timed()) trial->note(begin, seconds, bytes);
    if (watch && (!trial || trial->takes_what_is_kept())) watch->note(seconds, bytes);
  }
};

/// Whether plans are timed beside the MPI library's own calls: not where plans were asked for.
[[nodiscard]] bool may_try(const Settings& settings);

/// How many calls of a class go to the MPI library before its policy is made. Where nothing tells
/// the ranks apart they would go there anyway, and most communicators have few calls.
[[nodiscard]] std::uint32_t calls_before_policy(const Settings& settings, bool is_even,
                                                bool is_near);

/// From nothing but what all ranks share. Where nothing tells the ranks apart (`is_even`) no
/// prediction is trusted, and a program with few calls is left alone; so it is where no link is far
/// (`is_near`) and no plan gains by prediction.
/// @param elapsed seconds that the program has run
[[nodiscard]] ClassPolicy make_class_policy(Planner& planner, const Settings& settings,
                                            const PlanKey& key, bool is_even, bool is_near,
                                            std::function<double()> elapsed);

/// A trial as it ended, for ESPALIER_EXPLAIN.
struct TrialRecord {
  std::string communicator;
  CallClass calls;
  std::vector<Candidate> candidates;
  std::vector<double> times;          ///< seconds, agreed; infinite: not tried
  std::optional<std::uint32_t> kept;  ///< none: the program ended before
  std::string why;
  Trial::Unended unended{};    ///< if none is kept
  bool was_made_anew = false;  ///< links changed later, and another trial followed
};
[[nodiscard]] std::string trials_text(const std::vector<TrialRecord>& records);

}  // namespace espalier::runtime
