#pragma once

#include <cstdint>
#include <vector>

#include "collective/hierarchy.hpp"
#include "select/choice.hpp"
#include "sim/options.hpp"

namespace espalier::select {

/// How many of the plans that are fastest by prediction are simulated event by event, and on what.
struct SimulationBudget {
  sim::SimOptions sim;
  std::uint32_t plans = 256;          ///< at most
  std::uint64_t messages = 1U << 20;  ///< at most, of all of them; whole plans only
};

/// A network whose flows share links in inverse proportion to their latencies and know no
/// connections, and an executor that sends parts one at a time: SimGrid's SMPI, and our executor
/// there.
///
/// H. Casanova, L. Marchal: "A network model for simulation of grid application", INRIA RR-4596,
/// 2002; P. Velho, L. Schnorr, H. Casanova, A. Legrand: "On the validity of flow-level TCP network
/// models for grid and cloud simulations", ACM TOMACS 23(4), 2013.
[[nodiscard]] sim::SimOptions without_connections();

/// The fastest by prediction, each with all the segment sizes that `ranked` has of it, by their
/// times when simulated; then the others as they were. Ties stay in the order of `ranked`.
///
/// Work: at most `plans` simulations of `messages` messages in all, whatever the machine; a plan
/// that does not fit is not simulated. If that is the fastest by prediction, nothing is.
/// @pre ranked is sorted by predicted time, its plans serve the call
[[nodiscard]] std::vector<Choice> ranked_by_simulation(std::vector<Choice> ranked,
                                                       const collective::Hierarchy& hierarchy,
                                                       const schedule::Collective& call,
                                                       const SimulationBudget& budget);

/// When the last rank is done with the plan.
[[nodiscard]] Time simulated_time(const Plan& plan, const collective::Hierarchy& hierarchy,
                                  const schedule::Collective& call, const sim::SimOptions& options);

}  // namespace espalier::select
