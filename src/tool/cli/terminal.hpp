#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/expected.hpp"
#include "report/text.hpp"

namespace espalier::cli {

/// What the surroundings say about standard output.
struct Surroundings {
  bool is_terminal = false;
  std::optional<std::size_t> terminal_width;
  // The environment variables NO_COLOR, TERM and COLUMNS, if set.
  std::optional<std::string> no_color;
  std::optional<std::string> term;
  std::optional<std::string> columns;
};
[[nodiscard]] Surroundings look_around();

/// What the user said: --color and --width, as written; empty where not given.
struct CanvasOptions {
  std::string color;
  std::string width;
};

/// --color decides; else colours are for terminals that are not dumb, and only if NO_COLOR is not
/// set (https://no-color.org). --width decides; else the terminal, COLUMNS, 100.
/// Terminals alone fold: what a program reads or a file keeps has its lines whole.
Expected<report::Canvas> choose_canvas(const CanvasOptions& options, const Surroundings& around);

}  // namespace espalier::cli
