#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reproduce/findings.hpp"

namespace espalier::reproduce {

/// A cell of a table in a test: a text is a text, a number a number.
struct FoundCell {
  FoundCell(int number) : FoundCell(double(number)) {}            // NOLINT: implicit
  FoundCell(double number) : cell(report::Decimal{number, 3}) {}  // NOLINT: implicit
  FoundCell(const char* text) : cell(std::string(text)) {}        // NOLINT: implicit
  report::Cell cell;
};

/// A table of these columns.
inline report::Table made(const std::vector<std::string>& keys,
                          const std::vector<std::vector<FoundCell>>& rows) {
  report::Table table;
  for (const std::string& key : keys) {
    table.columns.push_back({key, key, report::Align::Left, false});
  }
  for (const auto& row : rows) {
    table.rows.emplace_back();
    for (const FoundCell& value : row) table.rows.back().push_back(value.cell);
  }
  return table;
}

inline std::string joined(const Findings& findings) {
  std::string all;
  for (const std::string& one : findings) all += one + "\n";
  return all;
}

inline void expect_says(const Findings& findings, const std::string& words) {
  EXPECT_NE(joined(findings).find(words), std::string::npos) << words << "\n" << joined(findings);
}
inline void expect_silent(const Findings& findings, const std::string& words) {
  EXPECT_EQ(joined(findings).find(words), std::string::npos) << words << "\n" << joined(findings);
}

}  // namespace espalier::reproduce
