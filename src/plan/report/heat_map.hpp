#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/text.hpp"

namespace espalier::report {

struct HeatCell {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint64_t value = 0;
};

/// A square matrix of amounts, mostly empty: who sends to whom.
struct HeatMap {
  std::string title;
  std::string subtitle;
  std::uint32_t size = 0;       ///< number of rows, and of columns
  std::vector<HeatCell> cells;  ///< values of equal cells are added up
};

/// Blocks of five shades, two columns a cell where there is room; large ones are folded so that
/// they fit. Shades are steps of the fifth root of value over the greatest one: traffic spans
/// orders of magnitude.
[[nodiscard]] std::string heat_text(const HeatMap& map, const Canvas& canvas);
[[nodiscard]] std::string heat_svg(const HeatMap& map);
/// A page of its own with that drawing and the largest cells as a table; no scripts.
[[nodiscard]] std::string heat_html(const HeatMap& map);

}  // namespace espalier::report
