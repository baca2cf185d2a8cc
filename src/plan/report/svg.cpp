#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/contract.hpp"
#include "report/text.hpp"

namespace espalier::report {
namespace {

std::string_view name(Anchor anchor) {
  if (anchor == Anchor::Start) return "start";
  return anchor == Anchor::Middle ? "middle" : "end";
}

/// Length of the well-formed UTF-8 sequence at the front, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::string attributes(const Fill& fill) {
  std::string text = fmt::format("fill=\"{}\"", fill.colour);
  if (fill.edge != "none") {
    text +=
        fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", fill.edge, coordinate(fill.edge_width));
  }
  if (fill.opacity < 1) text += fmt::format(" fill-opacity=\"{}\"", coordinate(fill.opacity));
  return text;
}

std::string attributes(const Stroke& stroke) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, coordinate(stroke.width));
  if (!stroke.dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dash);
  return text;
}

}  // namespace

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view utf8, double font_size) {
  constexpr double kAdvance = 0.6;  // mean width of figures and letters of DejaVu Sans, a wide font
  return kAdvance * font_size * static_cast<double>(display_width(utf8));
}

std::string escape_xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char c = text[0];
    if (length == 1 && c == '&') {
      out += "&amp;";
    } else if (length == 1 && c == '<') {
      out += "&lt;";
    } else if (length == 1 && c == '>') {
      out += "&gt;";
    } else if (length == 1 && c == '"') {
      out += "&quot;";
    } else if (length > 1 || (length == 1 && c >= 0x20 && c != 0x7f)) {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

Svg::Svg(double width, double height)
    : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                       "viewBox=\"0 0 {0} {1}\" font-family=\"'DejaVu Sans', Verdana, "
                       "'Helvetica Neue', Arial, sans-serif\">\n",
                       coordinate(width), coordinate(height))) {
  rect(0, 0, width, height, {.colour = "#ffffff"});
}

void Svg::rect(double x, double y, double width, double height, const Fill& fill,
               std::string_view tooltip) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(x),
                      coordinate(y), coordinate(width), coordinate(height));
  if (fill.radius > 0) out_ += fmt::format(" rx=\"{}\"", coordinate(fill.radius));
  out_ += " " + attributes(fill);
  out_ +=
      tooltip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escape_xml(tooltip));
}

void Svg::line(double x1, double y1, double x2, double y2, const Stroke& stroke) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", coordinate(x1),
                      coordinate(y1), coordinate(x2), coordinate(y2), attributes(stroke));
}

void Svg::path(std::string_view path, const Stroke& stroke, std::string_view fill) {
  out_ += fmt::format("<path d=\"{}\" fill=\"{}\" {}/>\n", path, fill, attributes(stroke));
}

void Svg::circle(double x, double y, double radius, const Fill& fill) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", coordinate(x), coordinate(y),
                      coordinate(radius), attributes(fill));
}

void Svg::text(double x, double y, std::string_view text, const Font& font) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", coordinate(x),
                      coordinate(y), coordinate(font.size), font.colour);
  if (font.bold) out_ += " font-weight=\"bold\"";
  if (font.anchor != Anchor::Start) out_ += fmt::format(" text-anchor=\"{}\"", name(font.anchor));
  if (font.turned != 0) {
    out_ += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(font.turned), coordinate(x),
                        coordinate(y));
  }
  out_ += fmt::format(">{}</text>\n", escape_xml(text));
}

std::string Svg::finish() && { return std::move(out_) + "</svg>\n"; }

namespace {

/// The number in the first tag's attribute, such as width="798".
double attribute(const std::string& drawing, const std::string& name) {
  const std::size_t at = drawing.find(" " + name + "=\"");
  expects(at != std::string::npos, "stack_svg: not a drawing of ours");
  return std::strtod(drawing.c_str() + at + name.size() + 3, nullptr);
}

}  // namespace

double width_of_svg(const std::string& drawing) { return attribute(drawing, "width"); }

std::string stack_svg(const std::vector<std::string>& drawings) {
  double width = 0;
  double height = 0;
  for (const std::string& drawing : drawings) {
    width = std::max(width, attribute(drawing, "width"));
    height += attribute(drawing, "height");
  }
  std::string out = Svg(width, height).finish();
  out.erase(out.rfind("</svg>"));
  double y = 0;
  for (const std::string& drawing : drawings) {
    out += "<svg y=\"" + coordinate(y) + "\"" + drawing.substr(std::string("<svg").size());
    y += attribute(drawing, "height");
  }
  return out + "</svg>\n";
}

}  // namespace espalier::report
