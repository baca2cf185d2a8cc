#pragma once

#include <string>
#include <vector>

#include "report/table.hpp"

namespace espalier::reproduce {

/// One table or figure of a paper, computed again: for the terminal, for JSON and for CSV.
struct Exhibit {
  std::string key;    ///< "table2": names its CSV file and its JSON
  std::string title;  ///< "Table 2: FNF against the optimum"
  report::Table table;
  std::vector<std::string> notes;  ///< what the paper says, and why ours differs where it does
  std::string svg;                 ///< picture of the exhibit; empty if there is none
  std::vector<std::size_t> shown;  ///< rows that the terminal shows; empty means all
};

/// More notes, behind those that are there.
void add_notes(Exhibit& exhibit, const std::vector<std::string>& notes);

/// Titles, tables and notes one below the other.
[[nodiscard]] std::string to_text(const std::vector<Exhibit>& exhibits,
                                  const report::Canvas& canvas);
/// The document "espalier-reproduce-1" of docs/formats.md, of figures that were computed: the same
/// on every day and every computer.
[[nodiscard]] std::string to_json(const std::string& paper, const std::vector<Exhibit>& exhibits);

}  // namespace espalier::reproduce
