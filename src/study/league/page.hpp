#pragma once

#include <span>
#include <string>

#include "league/standings.hpp"

namespace espalier::league {

/// The league as one HTML file without anything outside it: what was to be shown and was found, the
/// standing of each machine, where we lose and by how much, and for each machine and operation who
/// wins at each size, with our time over the best selector's and over the bound.
[[nodiscard]] std::string page(std::span<const Line> lines);

}  // namespace espalier::league
