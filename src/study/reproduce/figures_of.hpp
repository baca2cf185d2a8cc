#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"

namespace espalier::reproduce {

/// What a table holds, by column: sentences about an exhibit are computed from it.
/// @pre the table outlives it
class FiguresOf {
 public:
  explicit FiguresOf(const report::Table& table) : table_(table) {}

  [[nodiscard]] std::size_t rows() const { return table_.rows.size(); }
  [[nodiscard]] bool has(std::string_view key) const;
  /// The number in a row; NaN if the cell holds none. @pre has(key)
  [[nodiscard]] double number(std::size_t row, std::string_view key) const;
  /// The text of a cell as programs read it. @pre has(key)
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view key) const;
  /// The numbers of a column, without the cells that hold none. @pre has(key)
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  /// Heading of a column. @pre has(key)
  [[nodiscard]] const std::string& title(std::string_view key) const;

 private:
  [[nodiscard]] std::size_t column(std::string_view key) const;
  const report::Table& table_;
};

/// The largest and the smallest of these, NaN left out; NaN if there are no others.
[[nodiscard]] double largest_of(const std::vector<double>& values);
[[nodiscard]] double smallest_of(const std::vector<double>& values);

}  // namespace espalier::reproduce
