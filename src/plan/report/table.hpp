#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/types.hpp"
#include "report/text.hpp"

namespace espalier::report {

enum class Align : std::uint8_t { Left, Right };

struct Column {
  std::string key;    ///< name in CSV and JSON ("finish_ps"); empty: shown in the terminal only
  std::string title;  ///< heading in the terminal; empty: in CSV and JSON only
  Align align = Align::Left;
  std::size_t shrinks_to = 0;  ///< least width in a narrow terminal; 0: never shortened
};

/// A number shown with a fixed count of digits after the point.
struct Decimal {
  double value = 0;
  int places = 2;
};

/// One value as people see it and as programs read it: nothing, text (in one style or several), a
/// number, or a time (for people "30 ms", for programs picoseconds).
class Cell {
 public:
  enum class Kind : std::uint8_t { Nothing, Text, Number };

  Cell() = default;
  Cell(std::string text, Style style = Style::Plain);     // NOLINT: implicit
  Cell(std::int64_t number, Style style = Style::Plain);  // NOLINT: implicit
  Cell(Decimal number, Style style = Style::Plain);       // NOLINT: implicit
  Cell(Time time, Style style = Style::Plain);            // NOLINT: implicit
  Cell(const Spans& spans);                               // NOLINT: implicit

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const Spans& shown() const { return shown_; }
  [[nodiscard]] const std::string& raw() const { return raw_; }
  [[nodiscard]] bool is_blank() const { return width_ == 0; }
  /// Columns that it takes in a terminal.
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  Cell(Kind kind, Spans shown, std::string raw);

  Kind kind_ = Kind::Nothing;
  Spans shown_;
  std::string raw_;
  std::size_t width_ = 0;
};

/// Rows of values, written in three ways: for people, as CSV, as JSON.
/// @pre every row has one cell for each column
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Aligned, with a heading; columns without a single value are left out. Lines stay within the
/// canvas if the columns that may shrink allow it. Where the canvas folds, a table that is wider
/// nevertheless comes in parts, one below the other: each begins with the first column, and a note
/// on the row (a column whose title is " ") stands in the first.
[[nodiscard]] std::string to_text(const Table& table, const Canvas& canvas);

/// RFC 4180 with "\n" line ends; nothing is an empty field.
[[nodiscard]] std::string to_csv(const Table& table);

/// An array of objects; nothing is null.
[[nodiscard]] Json to_json(const Table& table);

/// Columns of the canvas that to_text() leaves free to the right of this table.
[[nodiscard]] std::size_t free_width(const Table& table, const Canvas& canvas);

}  // namespace espalier::report
