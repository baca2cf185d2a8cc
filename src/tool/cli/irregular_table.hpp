#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "cli/irregular_call.hpp"
#include "report/table.hpp"
#include "select/irregular_exchange.hpp"

namespace espalier::cli {

/// Rows that are marked and always shown, by the names of their plans; empty: none.
struct RowMarks {
  std::string chosen;
  std::string first;  ///< what the first calls of a running program go along
};

/// Plans of a scatterv or gatherv. @param shown how many rows at most, beside those with a mark
[[nodiscard]] report::Table candidates_table(const IrregularCall& asked,
                                             const std::vector<select::IrregularChoice>& choices,
                                             std::size_t shown, const RowMarks& marks = {});
/// Plans of an allgatherv or alltoallv.
[[nodiscard]] report::Table candidates_table(const std::vector<select::ExchangeChoice>& choices,
                                             std::size_t shown, const RowMarks& marks = {});

/// A number of bytes or of messages.
[[nodiscard]] inline report::Cell count_cell(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
[[nodiscard]] inline std::string plan_name(const select::IrregularChoice& choice) {
  return name_of(choice.plan);
}
[[nodiscard]] inline std::string plan_name(const select::ExchangeChoice& choice) {
  return choice.name;
}
[[nodiscard]] inline schedule::Schedule schedule_of(const select::IrregularChoice& choice,
                                                    const schedule::Collective& call) {
  return schedule_of(choice.plan, call);
}

/// The call, as all documents espalier-irregular-1 begin.
[[nodiscard]] Json irregular_document(const IrregularCall& asked);

/// Writes a table in one of its forms. @param above, below stand around it for people
[[nodiscard]] Outcome write_table(const IrregularCall& asked, const report::Table& table,
                                  TableForm form, const std::string& above,
                                  const report::Canvas& canvas, const std::string& below = "");

/// How plans were simulated, and how many were not.
[[nodiscard]] std::string how_simulated(const IrregularCall& asked, std::size_t plans,
                                        std::size_t not_simulated);
template <typename Choices>
[[nodiscard]] std::string how_simulated(const IrregularCall& asked, const Choices& choices) {
  const auto others = std::count_if(choices.begin(), choices.end(),
                                    [](const auto& choice) { return !choice.is_simulated; });
  return how_simulated(asked, choices.size(), static_cast<std::size_t>(others));
}

}  // namespace espalier::cli
