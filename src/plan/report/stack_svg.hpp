#pragma once

#include <string>
#include <vector>

namespace espalier::report {

/// Drawings made by Svg, one below the other on one paper.
/// @pre each is what Svg::finish() returned
[[nodiscard]] std::string stack_svg(const std::vector<std::string>& drawings);

}  // namespace espalier::report
