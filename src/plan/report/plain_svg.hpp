#pragma once

#include <string_view>

namespace espalier::report {

/// Whether a drawing from a file holds only what our drawings hold: shapes and text. Such a drawing
/// can stand in a page: it has no scripts, no style sheets, no links, and loads nothing.
[[nodiscard]] bool is_plain_svg(std::string_view drawing);

}  // namespace espalier::report
