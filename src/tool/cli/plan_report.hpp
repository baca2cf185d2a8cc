#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/lower_bound.hpp"
#include "report/draw_machine.hpp"
#include "select/choose.hpp"
#include "select/formula.hpp"
#include "sim/result.hpp"

namespace espalier::cli {

/// One plan of a call: predicted, and simulated where the machine is small enough.
struct PlanRow {
  select::Choice choice;
  std::optional<sim::SimResult> simulated;
};

/// The same reduction as a sum without an order, on accumulators instead of numbers
/// (docs/reproducible.md): the same bits too, by any plan that commutes.
struct OrderFree {
  Bytes accumulator;
  std::string plan;
  Time predicted;
  std::optional<Time> simulated;
};

/// All that `espalier plan` has to say.
struct PlanReport {
  const topology::Machine& machine;
  const schedule::Collective& call;
  std::vector<PlanRow> rows;  ///< by simulated, else by predicted time
  std::size_t chosen = 0;     ///< the one of the least predicted time
  std::string verdict;
  std::uint64_t hash = 0;
  bound::LowerBound least;
  select::Formula formula;  ///< of the chosen one
  std::vector<select::Limit> limits;
  std::optional<OrderFree> order_free;  ///< with --reproducible

  [[nodiscard]] const PlanRow& chosen_row() const { return rows[chosen]; }
  [[nodiscard]] Time chosen_time() const;
};

/// @param shown so many rows of the table, and always the chosen one
[[nodiscard]] std::string plan_text(const PlanReport& report, const report::Canvas& canvas,
                                    std::size_t shown);
/// espalier-plan-1, see docs/formats.md.
[[nodiscard]] std::string plan_json(const PlanReport& report);

}  // namespace espalier::cli
