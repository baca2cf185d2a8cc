#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace espalier::report {

/// What a drawing is drawn on. Colours are escape codes: on for terminals only.
struct Canvas {
  bool colour = false;
  std::size_t width = 100;  ///< columns of a terminal
  bool folds = false;       ///< nothing is wider, since it would be cut: true for terminals
};

enum class Style : std::uint8_t { Plain, Bold, Dim, Good, Bad, Level0, Level1, Level2, Level3 };

/// The colour of a level, the same in every drawing; deeper ones share the last.
[[nodiscard]] Style level_style(std::uint32_t level);

/// `text` between escape codes, or as it is.
[[nodiscard]] std::string paint(std::string_view text, Style style, const Canvas& canvas);

/// A piece of a line, in one style.
struct Span {
  std::string text;
  Style style = Style::Plain;
};
using Spans = std::vector<Span>;
/// The letters alone.
[[nodiscard]] std::string plain(const Spans& spans);

/// Without control characters: names come from files, and a terminal obeys them.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns that UTF-8 text takes in a terminal, as fmt estimates them when it pads.
[[nodiscard]] std::size_t display_width(std::string_view utf8);
/// At most `width` columns; what was cut is replaced by one "…". Cuts between code points.
[[nodiscard]] std::string shortened(std::string_view utf8, std::size_t width);
[[nodiscard]] Spans shortened(const Spans& spans, std::size_t width);

/// 131072 -> "131,072"
[[nodiscard]] std::string grouped(std::uint64_t number);
/// (1, "node") -> "1 node"; (2, "process") -> "2 processes"
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);
[[nodiscard]] std::string plural(std::string_view noun);

/// Fills lines of at most `width` columns, each after `indent`; words are never cut.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width,
                                  std::string_view indent = "");

/// Where the canvas folds, lines that are too long go on in the next line. Those that begin with a
/// blank stay: they are drawings, tables, and commands to be copied. The last line ends too.
[[nodiscard]] std::string fitted(std::string_view text, const Canvas& canvas);

/// {0, 1, 2, 8} -> "0-2,8"; {0, 8, 16, 24} -> "0-24 step 8". At most `max_pieces` pieces, then "…".
/// @pre ranks ascend
[[nodiscard]] std::string rank_ranges(const std::vector<Rank>& ranks, std::size_t max_pieces = 4);

}  // namespace espalier::report
