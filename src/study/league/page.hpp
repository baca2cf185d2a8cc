#pragma once

#include <span>
#include <string>

#include "league/standings.hpp"

namespace espalier::league {

/// The league as one HTML file that loads nothing else: the criteria, the standing of each machine,
/// our losses, and for each machine, operation and size the winner, our time over the best
/// selector's, and our time over the bound.
[[nodiscard]] std::string page(std::span<const EventResults> lines);

}  // namespace espalier::league
