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

/// The same reduction on accumulators instead of numbers (docs/reproducible.md): the sum has the
/// same bits in any order, so plans for commutative operators may be used.
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
  std::vector<PlanRow> rows;  ///< sorted by simulated time if there is one, else by predicted time
  std::size_t chosen = 0;     ///< index of the row with the least predicted time
  std::string verdict;
  std::uint64_t hash = 0;
  bound::LowerBound least;
  select::Formula formula;  ///< predicted time of the chosen plan as a formula
  std::vector<select::Limit> limits;
  std::optional<OrderFree> order_free;  ///< set with --reproducible

  [[nodiscard]] const PlanRow& chosen_row() const { return rows[chosen]; }
  [[nodiscard]] Time chosen_time() const;
};

/// The report for people. @param shown how many rows of the table; the chosen one is always there
[[nodiscard]] std::string plan_text(const PlanReport& report, const report::Canvas& canvas,
                                    std::size_t shown);
/// The document espalier-plan-1 of docs/formats.md.
[[nodiscard]] std::string plan_json(const PlanReport& report);

}  // namespace espalier::cli
