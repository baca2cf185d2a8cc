#include "report/stack_svg.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/contract.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

/// The number in the first tag's attribute, such as width="798".
double attribute(const std::string& drawing, const std::string& name) {
  const std::size_t at = drawing.find(" " + name + "=\"");
  expects(at != std::string::npos, "stack_svg: not a drawing of ours");
  return std::strtod(drawing.c_str() + at + name.size() + 3, nullptr);
}

}  // namespace

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
