#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/schedule.hpp"
#include "select/plan.hpp"
#include "select/schedule_times.hpp"
#include "select/transport.hpp"
#include "sim/options.hpp"

namespace espalier::select {

/// A plan for an allgatherv or alltoallv whose lengths are all known, and its time: by simulation,
/// or, if the budget did not last, predicted for blocks of the mean length.
struct ExchangeChoice {
  std::string name;
  /// Its shape follows the lengths; others have the shape of a regular call.
  bool by_counts = false;
  Time predicted;
  bool is_simulated = true;
  std::function<schedule::Program(Rank)> program_of;
  std::optional<Plan> plan = {};  ///< absent: no algorithm of the table
};

/// How messages of such calls are simulated. Above 64 ranks each link serves its messages one after
/// the other: sharing it exactly among thousands of messages takes long.
[[nodiscard]] sim::SimOptions exchange_conditions(NativeMpi mpi, const topology::Machine& machine);

/// All blocks as long as the mean.
[[nodiscard]] schedule::Collective with_mean_blocks(const schedule::Collective& call);

/// A plan that ranks choose without all of the lengths, for a call with these lengths: not
/// simulated, predicted for blocks of the mean length.
/// @pre the plan can do the call; `hierarchy` outlives it
[[nodiscard]] ExchangeChoice exchange_choice(const collective::Hierarchy& hierarchy,
                                             const schedule::Collective& call, const Plan& plan);

/// All plans, the fastest first; ties in the order of the table: those for equal blocks, whose
/// messages carry what the lengths say; of allgatherv along trees that follow the lengths
/// (collective/irregular_allgather.hpp). Of alltoallv also one that leaves empty blocks out.
///
/// With a budget of messages: first the best by prediction, then those that follow the lengths and
/// have few long blocks, then the others by prediction, and at last those of many long blocks. What
/// is not simulated comes behind, by prediction.
/// @pre call is an irregular allgather or alltoall; `hierarchy` outlives the plans
[[nodiscard]] std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                                           const schedule::Collective& call,
                                                           const sim::SimOptions& options,
                                                           std::uint64_t messages = kAnyMessages,
                                                           AlgorithmTable table = algorithms());
/// The same beside a plan that was chosen, and simulated before within the same budget: it stands
/// in the place of the one of its name.
[[nodiscard]] std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                                           const schedule::Collective& call,
                                                           ScheduleTimes& times,
                                                           const ExchangeChoice& chosen);

[[nodiscard]] schedule::Schedule schedule_of(const ExchangeChoice& choice,
                                             const schedule::Collective& call);

}  // namespace espalier::select
