#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::report {

enum class Anchor : unsigned char { Start, Middle, End };

struct Stroke {
  std::string_view colour = "#222222";
  double width = 1;
  std::string_view dash = "";  ///< SVG's dash pattern, such as "4 3"; empty: solid
};

struct Font {
  double size = 13;
  std::string_view colour = "#222222";
  bool bold = false;
  Anchor anchor = Anchor::Start;
  double turned = 0;  ///< rotation around the point, in degrees
};

struct Fill {
  std::string_view colour = "none";
  std::string_view edge = "none";
  double edge_width = 1;
  double radius = 0;  ///< radius of the corners
  double opacity = 1;
};

/// Writes one SVG drawing, shape after shape. Coordinates are pixels, rounded to hundredths, so
/// that the same drawing is the same text; all text is escaped, and control characters dropped.
class Svg {
 public:
  Svg(double width, double height);

  void rect(double x, double y, double width, double height, const Fill& fill,
            std::string_view tooltip = "");
  void line(double x1, double y1, double x2, double y2, const Stroke& stroke = {});
  /// `path` is SVG's own: "M0 0L10 10".
  void path(std::string_view path, const Stroke& stroke, std::string_view fill = "none");
  void circle(double x, double y, double radius, const Fill& fill);
  /// The baseline starts, is centred or ends at the point.
  void text(double x, double y, std::string_view text, const Font& font = {});

  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

/// "&" -> "&amp;" and so on; control characters and what is not UTF-8 are dropped.
[[nodiscard]] std::string escape_xml(std::string_view text);
/// A coordinate: at most two digits after the point, no trailing zeros.
[[nodiscard]] std::string coordinate(double value);
/// Roughly how wide a text is drawn; the font is not known, so this errs on the wide side.
[[nodiscard]] double text_width(std::string_view utf8, double font_size);

/// The width of a drawing made by Svg.
[[nodiscard]] double width_of_svg(const std::string& drawing);

/// Drawings made by Svg, one below the other on one paper.
/// @pre each is what Svg::finish() returned
[[nodiscard]] std::string stack_svg(const std::vector<std::string>& drawings);

}  // namespace espalier::report
