#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace espalier::cli {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 1000;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::size_t> parse_width(const std::string& text) {
  std::size_t width = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), width);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  return whole && width >= kNarrowest && width <= kWidest ? std::optional(width) : std::nullopt;
}

bool wants_colour(const Surroundings& around) {
  const bool refused = around.no_color && !around.no_color->empty();
  return around.is_terminal && !refused && around.term.value_or("dumb") != "dumb";
}

}  // namespace

Surroundings look_around() {
  Surroundings around;
  around.is_terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (around.is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    around.terminal_width = size.ws_col;
  }
  around.no_color = variable("NO_COLOR");
  around.term = variable("TERM");
  around.columns = variable("COLUMNS");
  return around;
}

Expected<report::Canvas> choose_canvas(const CanvasOptions& options, const Surroundings& around) {
  report::Canvas canvas;
  canvas.folds = around.is_terminal;
  if (options.color.empty() || options.color == "auto") {
    canvas.colour = wants_colour(around);
  } else if (options.color == "always" || options.color == "never") {
    canvas.colour = options.color == "always";
  } else {
    return Error{"--color", fmt::format("\"{}\" is not one of auto, always, never", options.color),
                 "leave it out: colours on a terminal, none elsewhere"};
  }
  if (!options.width.empty()) {
    const auto width = parse_width(options.width);
    if (!width) {
      return Error{"--width", fmt::format("\"{}\" is not a number of columns", options.width),
                   fmt::format("write a number from {} to {}", kNarrowest, kWidest)};
    }
    canvas.width = *width;
  } else if (around.terminal_width) {
    canvas.width = std::max(kNarrowest, *around.terminal_width);
  } else if (around.columns) {
    canvas.width = parse_width(*around.columns).value_or(canvas.width);
  }
  return canvas;
}

}  // namespace espalier::cli
