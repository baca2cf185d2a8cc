#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/table.hpp"

namespace espalier::reproduce {

/// One number that a paper states, and ours.
struct Comparison {
  std::string what;  ///< "participants 4: fnf_us"
  double ours = 0;
  double paper = 0;
  /// @pre paper is not 0
  [[nodiscard]] double ratio() const { return ours / paper; }
  /// How far ours is off, as a part of the paper's number; of a 0 that the paper states, how far it
  /// is from 0.
  [[nodiscard]] double off() const;
  /// Within 5 %.
  [[nodiscard]] bool is_same() const { return off() <= 0.05; }
};

/// One table or figure of a paper, computed again: for the terminal, for JSON and for CSV.
struct Exhibit {
  std::string key;    ///< "table2": names its CSV file and its JSON
  std::string title;  ///< "Table 2: FNF against the optimum"
  report::Table table;
  std::vector<std::string> notes;  ///< what the paper says, and why ours differs where it does
  std::string svg;                 ///< picture of the exhibit; empty if there is none
  std::vector<std::size_t> shown;  ///< rows that the terminal shows; empty means all
  /// Numbers of the paper that stand beside none of the table's columns: see compare().
  std::vector<Comparison> stated = {};
};

/// More notes, behind those that are there.
void add_notes(Exhibit& exhibit, const std::vector<std::string>& notes);

[[nodiscard]] Json comparisons_json(const std::vector<Comparison>& comparisons);

/// Titles, tables and notes one below the other.
[[nodiscard]] std::string to_text(const std::vector<Exhibit>& exhibits,
                                  const report::Canvas& canvas);
/// The document "espalier-reproduce-1" of docs/formats.md, of figures that were computed: the same
/// on every day and every computer.
[[nodiscard]] std::string to_json(const std::string& paper, const std::vector<Exhibit>& exhibits);

}  // namespace espalier::reproduce
