#pragma once

#include <cstdint>
#include <vector>

#include "collective/hierarchy.hpp"
#include "select/candidates.hpp"
#include "select/plan.hpp"
#include "sim/options.hpp"
#include "sim/result.hpp"

namespace espalier::select {

/// A plan and its time, predicted by closed forms (predict.hpp) or simulated (see below).
struct Choice {
  Plan plan;
  Time predicted;
  /// Choices for all roots are predicted from root 0. A plan that does not know the machine may fit
  /// root 0 by luck. This factor says how much longer it takes over several roots, relative to a
  /// plan that knows the machine. `predicted` includes it.
  double over_roots = 1;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// How many of the best plans by prediction are simulated event by event, and with which options.
struct SimulationBudget {
  sim::SimOptions sim = {};
  std::uint32_t plans = 256;  ///< most plans that are simulated
  /// Work of all simulations together (sim/budget.hpp); plans are never cut.
  std::uint64_t messages = 1U << 20;
};

/// Options that simulate SimGrid's SMPI and our executor on it: flows share a link in inverse
/// proportion to their latencies, there are no connections, and a rank sends one part at a time.
///
/// H. Casanova, L. Marchal: "A network model for simulation of grid application", INRIA RR-4596,
/// 2002; P. Velho, L. Schnorr, H. Casanova, A. Legrand: "On the validity of flow-level TCP network
/// models for grid and cloud simulations", ACM TOMACS 23(4), 2013.
[[nodiscard]] sim::SimOptions without_connections();

/// Simulates the best plans by prediction, each with all segment sizes that `ranked` has of it.
/// Returns them ordered by simulated time, then the other plans as they were. Ties stay in the
/// order of `ranked`.
///
/// Work: at most budget.plans simulations within budget.messages in total. A plan that does not fit
/// into what is left, or that would take half of all for messages that share links at once, is
/// not simulated. If the best by prediction is not, no plan is.
/// @pre ranked is sorted by predicted time, its plans serve the call
[[nodiscard]] std::vector<Choice> ranked_by_simulation(std::vector<Choice> ranked,
                                                       const collective::Hierarchy& hierarchy,
                                                       const schedule::Collective& call,
                                                       const SimulationBudget& budget);

/// Simulated time until the last rank is done with the plan.
[[nodiscard]] Time simulated_time(const Plan& plan, const collective::Hierarchy& hierarchy,
                                  const schedule::Collective& call, const sim::SimOptions& options);

/// A candidate and its simulation.
struct Scored {
  Candidate candidate;
  sim::SimResult result;
};

/// Simulates all candidates and returns them fastest first; ties stay in the order of candidates().
/// Every rank gets the same order for the same machine and call.
[[nodiscard]] std::vector<Scored> score(std::vector<Candidate> candidates,
                                        const schedule::Collective& call,
                                        const topology::Machine& machine,
                                        const sim::SimOptions& options);

}  // namespace espalier::select
