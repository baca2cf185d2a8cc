#pragma once

// Machines and plans as SVG, the same drawings that the tool makes.

#include <string>

#include "espalier/plan.hpp"

namespace espalier {

/// Boxes in boxes, each cluster with its channel. Large machines show equal neighbours once.
[[nodiscard, gnu::visibility("default")]] std::string to_svg(const Machine& machine);

/// The plan's messages over time, simulated message by message: one line for each rank, and the
/// critical path on top. Large machines show the ranks that matter. A plan of more messages than
/// kMostDrawn is a line of text that says so.
[[nodiscard, gnu::visibility("default")]] std::string to_svg(const Plan& plan);

}  // namespace espalier
