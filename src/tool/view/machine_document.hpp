#pragma once

#include "base/json.hpp"
#include "topology/machine.hpp"

namespace espalier::view {

/// The machine as the page draws it (espalier-view-1, docs/formats.md): clusters and leaves as
/// columns.
[[nodiscard]] Json machine_document(const topology::Machine& machine);

/// Least and largest latency and bandwidth of each level. null: unlimited.
[[nodiscard]] Json level_figures(const topology::Machine& machine);

}  // namespace espalier::view
