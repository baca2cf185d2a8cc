// Strict on purpose: the form that Svg writes, not all that XML allows.
#include "report/plain_svg.hpp"

#include <algorithm>
#include <array>

namespace espalier::report {
namespace {

constexpr std::array<std::string_view, 7> kElements{"svg",  "rect",   "line", "path",
                                                    "text", "circle", "title"};
constexpr std::array<std::string_view, 28> kAttributes{"xmlns",
                                                       "width",
                                                       "height",
                                                       "viewBox",
                                                       "font-family",
                                                       "font-size",
                                                       "font-weight",
                                                       "text-anchor",
                                                       "transform",
                                                       "fill",
                                                       "fill-opacity",
                                                       "stroke",
                                                       "stroke-width",
                                                       "d",
                                                       "x",
                                                       "y",
                                                       "x1",
                                                       "y1",
                                                       "x2",
                                                       "y2",
                                                       "cx",
                                                       "cy",
                                                       "r",
                                                       "rx",
                                                       "ry",
                                                       "opacity",
                                                       "stroke-opacity",
                                                       "stroke-dasharray"};

template <typename Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Takes letters, digits and hyphens off the front.
std::string_view take_name(std::string_view& text) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_name);
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(name.size());
  return name;
}

bool take(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

/// Takes ` name="value"` off the front.
bool take_attribute(std::string_view& text) {
  if (!take(text, " ") || !is_among(kAttributes, take_name(text)) || !take(text, "=\"")) {
    return false;
  }
  const std::size_t end = text.find('"');
  if (end == std::string_view::npos) return false;
  const std::string_view value = text.substr(0, end);
  text.remove_prefix(end + 1);
  return value.find_first_of("<>") == std::string_view::npos &&
         value.find("url") == std::string_view::npos;
}

/// Takes a tag off the front, which has a '<' there.
bool take_tag(std::string_view& text) {
  text.remove_prefix(1);
  const bool closes = take(text, "/");
  if (!is_among(kElements, take_name(text))) return false;
  while (!closes && text.starts_with(' ')) {
    if (!take_attribute(text)) return false;
  }
  if (!closes) take(text, "/");
  return take(text, ">");
}

}  // namespace

bool is_plain_svg(std::string_view drawing) {
  if (!drawing.starts_with("<svg")) return false;
  while (!drawing.empty()) {
    if (drawing.front() == '<' ? !take_tag(drawing) : drawing.front() == '>') return false;
    drawing.remove_prefix(std::min(drawing.size(), drawing.find_first_of("<>")));
  }
  return true;
}

}  // namespace espalier::report
