#include "report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/palette.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

/// At most `most` rows, each of `fold` rows of the map.
struct Folded {
  std::uint32_t size = 0;
  std::uint32_t fold = 1;
  std::vector<std::uint64_t> values;
  std::uint64_t greatest = 0;
};

Folded folded(const HeatMap& map, std::uint32_t most) {
  Folded result;
  result.fold = std::max(1U, (map.size + most - 1) / most);
  result.size = (map.size + result.fold - 1) / result.fold;
  result.values.resize(std::size_t{result.size} * result.size);
  for (const HeatCell& cell : map.cells) {
    std::uint64_t& value =
        result
            .values[std::size_t{cell.row / result.fold} * result.size + cell.column / result.fold];
    if (__builtin_add_overflow(value, cell.value, &value)) value = ~std::uint64_t{0};
    result.greatest = std::max(result.greatest, value);
  }
  return result;
}

/// 0 for nothing, up to 1.
double heat(std::uint64_t value, std::uint64_t greatest) {
  if (value == 0 || greatest == 0) return 0;
  return std::pow(static_cast<double>(value) / static_cast<double>(greatest), 0.2);
}

std::string rank_label(std::uint32_t row, std::uint32_t fold, std::uint32_t size) {
  if (fold == 1) return fmt::format("{}", row);
  return fmt::format("{}-{}", row * fold, std::min(size, (row + 1) * fold) - 1);
}

/// What the blocks of heat_text() stand for: heat() of these shares of the greatest value is 2, 3
/// and 4 fifths.
constexpr std::string_view kKey =
    "· nothing; of the greatest value ░ below 1 %, ▒ below 8 %, ▓ below 33 %, █ more";

/// From white over yellow to red.
std::string colour(double h) {
  const auto mix = [h](double low, double high) {
    return static_cast<int>(low + h * (high - low));
  };
  return h == 0 ? std::string("#ffffff")
                : fmt::format("#{:02x}{:02x}{:02x}", mix(255, 178), mix(245, 24), mix(200, 43));
}

}  // namespace

std::string heat_text(const HeatMap& map, const Canvas& canvas) {
  constexpr std::array<std::string_view, 5> kBlocks{"·", "░", "▒", "▓", "█"};
  const std::size_t room = canvas.width > 20 ? canvas.width - 12 : 8;
  const Folded f = folded(map, static_cast<std::uint32_t>(std::min<std::size_t>(room, 64)));
  const std::size_t wide = 2 * std::size_t{f.size} <= room ? 2 : 1;
  std::string text = paint(map.title, Style::Bold, canvas) + "\n";
  if (!map.subtitle.empty()) text += map.subtitle + "\n";
  if (f.fold > 1) text += fmt::format("each block is {0} x {0} processes\n", f.fold);
  for (std::uint32_t row = 0; row < f.size; ++row) {
    std::string line = fmt::format("{:>9} ", rank_label(row, f.fold, map.size));
    for (std::uint32_t column = 0; column < f.size; ++column) {
      const double h = heat(f.values[std::size_t{row} * f.size + column], f.greatest);
      const auto shade =
          h == 0 ? std::size_t{0} : std::clamp<std::size_t>(static_cast<std::size_t>(h * 5), 1, 4);
      for (std::size_t i = 0; i < wide; ++i) line += kBlocks[shade];
    }
    text += line + "\n";
  }
  return text + wrapped(kKey, canvas.width, "");
}

std::string heat_svg(const HeatMap& map) {
  const Folded f = folded(map, 256);
  const double cell = std::clamp(512.0 / f.size, 2.0, 28.0);
  const double left = 60, top = 64, side = cell * f.size;
  const double words = std::max(text_width(map.title, 16), text_width(map.subtitle, 12));
  Svg svg(left + std::max({side, words, 280.0}) + 20, top + side + 36);
  svg.text(left, 24, map.title, {.size = 16, .bold = true});
  svg.text(left, 44, map.subtitle, {.size = 12, .colour = kFaintInk});
  for (std::uint32_t row = 0; row < f.size; ++row) {
    for (std::uint32_t column = 0; column < f.size; ++column) {
      const std::uint64_t value = f.values[std::size_t{row} * f.size + column];
      if (value == 0) continue;
      const std::string fill = colour(heat(value, f.greatest));
      svg.rect(left + cell * column, top + cell * row, cell, cell, {.colour = fill},
               fmt::format("{} to {}: {}", rank_label(row, f.fold, map.size),
                           rank_label(column, f.fold, map.size), grouped(value)));
    }
  }
  const std::uint32_t step = std::max(1U, f.size / 16);
  for (std::uint32_t i = 0; i < f.size; i += step) {
    const double middle = cell * (i + 0.5);
    svg.text(left - 6, top + middle + 4, fmt::format("{}", i * f.fold),
             {.size = 11, .anchor = Anchor::End});
    svg.text(left + middle, top + side + 14, fmt::format("{}", i * f.fold),
             {.size = 11, .anchor = Anchor::Middle});
  }
  svg.text(left, top + side + 30, "from: rows, to: columns", {.size = 11, .colour = kFaintInk});
  svg.rect(left, top, side, side, {.edge = kRule});
  return std::move(svg).finish();
}

std::string heat_html(const HeatMap& map) {
  std::vector<HeatCell> cells = map.cells;
  std::stable_sort(cells.begin(), cells.end(),
                   [](const HeatCell& a, const HeatCell& b) { return a.value > b.value; });
  if (cells.size() > 50) cells.resize(50);
  std::string svg = heat_svg(map);
  svg.erase(0, svg.find("<svg"));
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<style>body{{font-family:sans-serif;margin:2em}}td,th{{text-align:right;padding:0 "
      "1em}}</style></head>\n<body>\n{}\n<h2>The largest</h2>\n<table>\n"
      "<tr><th>from</th><th>to</th><th>bytes</th></tr>\n",
      escape_xml(map.title), svg);
  for (const HeatCell& cell : cells) {
    page += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", cell.row, cell.column,
                        grouped(cell.value));
  }
  return page + "</table>\n</body>\n</html>\n";
}

}  // namespace espalier::report
