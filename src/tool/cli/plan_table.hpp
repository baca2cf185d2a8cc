#pragma once

#include <string>

#include "cli/plan_report.hpp"

namespace espalier::cli {

/// The plans for people: one unit a column, the chosen one marked. Rows that take the same time and
/// move the same on every level are one row, with how many there are.
/// @param shown how many rows at most; the chosen one is always there
[[nodiscard]] std::string plan_table_text(const PlanReport& report, const report::Canvas& canvas,
                                          std::size_t shown);

}  // namespace espalier::cli
