#include "report/text.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier::report {
namespace {

fmt::text_style escape_of(Style style) {
  switch (style) {
    case Style::Plain:
      break;
    case Style::Bold:
      return fmt::emphasis::bold;
    case Style::Dim:
      return fmt::emphasis::faint;
    case Style::Good:
      return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::green);
    case Style::Bad:
    case Style::Level0:
      return fmt::fg(fmt::terminal_color::red);
    case Style::Level1:
      return fmt::fg(fmt::terminal_color::yellow);
    case Style::Level2:
      return fmt::fg(fmt::terminal_color::blue);
    case Style::Level3:
      return fmt::fg(fmt::terminal_color::cyan);
  }
  return {};
}

bool continues_a_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The longest front of `utf8` of at most `width` columns.
std::string_view front(std::string_view utf8, std::size_t width) {
  std::size_t end = 0;
  while (end < utf8.size()) {
    std::size_t next = end + 1;
    while (next < utf8.size() && continues_a_code_point(utf8[next])) ++next;
    if (display_width(utf8.substr(0, next)) > width) break;
    end = next;
  }
  return utf8.substr(0, end);
}

}  // namespace

Style level_style(std::uint32_t level) {
  constexpr std::array kStyles{Style::Level0, Style::Level1, Style::Level2, Style::Level3};
  return kStyles[std::min<std::size_t>(level, kStyles.size() - 1)];
}

std::string paint(std::string_view text, Style style, const Canvas& canvas) {
  if (!canvas.colour || style == Style::Plain || text.empty()) return std::string(text);
  return fmt::format(escape_of(style), "{}", text);
}

std::string plain(const Spans& spans) {
  std::string text;
  for (const Span& span : spans) text += span.text;
  return text;
}

std::string printable(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return out;
}

// fmt pads by columns, not bytes: what it adds to reach a width known to be enough tells the width.
std::size_t display_width(std::string_view utf8) {
  const std::size_t enough = 2 * utf8.size();
  return enough - (fmt::format("{:<{}}", utf8, enough).size() - utf8.size());
}

std::string shortened(std::string_view utf8, std::size_t width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  if (width == 0) return "";
  return std::string(front(utf8, width - 1)) + "…";
}

Spans shortened(const Spans& spans, std::size_t width) {
  if (display_width(plain(spans)) <= width) return spans;
  Spans kept;
  for (const Span& span : spans) {
    const std::size_t needed = display_width(span.text);
    if (needed >= width) {
      // Even where this span would just fit, something after it is cut.
      kept.push_back({shortened(span.text + " ", width), span.style});
      return kept;
    }
    kept.push_back(span);
    width -= needed;
  }
  return kept;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string plural(std::string_view noun) {
  const auto ends = [&](std::string_view tail) { return noun.ends_with(tail); };
  const bool hisses = ends("s") || ends("x") || ends("ch") || ends("sh");
  return fmt::format("{}{}", noun, hisses ? "es" : "s");
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}", grouped(number), number == 1 ? std::string(noun) : plural(noun));
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) out += fmt::format("{}{}\n", indent, line);
    line.clear();
  };
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \n", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t needed = display_width(indent) + display_width(line) + 1;
    if (!line.empty() && needed + display_width(word) > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    at = end;
  }
  flush();
  return out;
}

std::string fitted(std::string_view text, const Canvas& canvas) {
  if (!canvas.folds) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool stays = line.starts_with(' ') || display_width(line) <= canvas.width;
    out += stays ? fmt::format("{}\n", line) : wrapped(line, canvas.width);
  }
  return out;
}

namespace {

/// How many ranks from `first` on go up in steps of `step`.
std::size_t run_length(const std::vector<Rank>& ranks, std::size_t first, Rank step) {
  std::size_t length = 1;
  while (first + length < ranks.size() &&
         ranks[first + length] - ranks[first + length - 1] == step) {
    ++length;
  }
  return length;
}

}  // namespace

std::string rank_ranges(const std::vector<Rank>& ranks, std::size_t max_pieces) {
  const bool strided = ranks.size() > 2 && ranks[1] - ranks[0] > 1 &&
                       run_length(ranks, 0, ranks[1] - ranks[0]) == ranks.size();
  if (strided) {
    return fmt::format("{}-{} step {}", ranks.front(), ranks.back(), ranks[1] - ranks[0]);
  }
  std::string text;
  std::size_t pieces = 0;
  for (std::size_t at = 0; at < ranks.size(); ++pieces) {
    if (pieces == max_pieces) return text + ",…";
    const std::size_t length = run_length(ranks, at, 1);
    if (pieces > 0) text += ',';
    text += fmt::format("{}", ranks[at]);
    if (length > 1) text += fmt::format("-{}", ranks[at + length - 1]);
    at += length;
  }
  return text;
}

}  // namespace espalier::report
