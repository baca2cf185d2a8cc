#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "select/chooser.hpp"
#include "select/simulated_times.hpp"
#include "sim/simulate.hpp"

namespace espalier::view {

/// What is known of a plan that stands in the table.
struct PlanRow {
  std::string name;
  std::optional<Time> predicted;
  std::optional<Time> simulated;
};

/// The candidates of a call on a machine: what does not depend on which of them is shown.
struct PlanTable {
  schedule::Collective call;
  std::uint64_t simulated_messages = 0;  ///< work that simulations were allowed
  std::vector<select::Choice> ranked;    ///< the chosen one first
  std::vector<PlanRow> rows;             ///< one for each of them
  Time bound;                            ///< no plan is faster
  std::string because;                   ///< why not
};

/// How plans that are shown are simulated. @param trace whether messages are taken down
[[nodiscard]] sim::SimOptions conditions(bool trace);

/// Simulated times of plans that are not shown, as far as so many messages go (sim/budget.hpp).
/// @pre hierarchy and call outlive it
[[nodiscard]] select::SimulatedTimes times_for_table(const collective::Hierarchy& hierarchy,
                                                     const schedule::Collective& call,
                                                     std::uint64_t messages);

/// @param messages work of simulations, as for times_for_table()
/// @pre the call's operation is known
[[nodiscard]] PlanTable make_table(select::Chooser& chooser, const schedule::Collective& call,
                                   std::uint64_t messages);

/// How many messages the plan has, counted without simulating them; above `enough` it does not
/// count to the end.
[[nodiscard]] std::uint64_t messages_in(const select::Plan& plan,
                                        const collective::Hierarchy& hierarchy,
                                        const schedule::Collective& call, std::uint64_t enough);

/// By time, the fastest first.
void sort_rows(std::vector<PlanRow>& rows);
[[nodiscard]] Json rows_json(const std::vector<PlanRow>& rows);

/// "multilevel exchange", "striped", "ring": plans of one kind differ in tree shapes and segments.
[[nodiscard]] std::string plan_kind(const std::string& plan);

}  // namespace espalier::view
