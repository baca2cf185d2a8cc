#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "measure/measured.hpp"
#include "measure/stacks.hpp"
#include "report/table.hpp"
#include "topology/machine.hpp"

namespace espalier::measure {

/// All that was measured: for each stack the same calls in the same order.
struct Bench {
  std::vector<MeasuredCall> calls;
  std::vector<Time> bounds;  ///< lower bound of each call's time
  std::vector<Stack> stacks;
  std::vector<std::vector<MeasuredTimes>> measured;  ///< what was measured, as [stack][call]
  Clocks clocks = Clocks::Shared;
  Taken taken = Taken::Median;  ///< which of the repeated times tables and drawings show
};

/// One row for each operation and size, times in milliseconds: means over the roots of medians,
/// each with its ratio to the bound, and Espalier's best against the best peer. Wrong results are
/// called so.
[[nodiscard]] report::Table summary_table(const Bench& bench);

/// What the ratios of summary_table() divide, to stand below it.
[[nodiscard]] std::string about_summary(const Bench& bench);

/// One row for each call and stack, for programs.
[[nodiscard]] report::Table full_table(const Bench& bench);

/// The document espalier-bench-1, with every single time.
[[nodiscard]] Json to_json(const Bench& bench, const topology::Machine& machine);

/// Times over sizes, both logarithmic, of one operation; "" if it has fewer than two sizes.
[[nodiscard]] std::string to_svg(const Bench& bench, const CallKind& kind);

}  // namespace espalier::measure
