#pragma once

#include <nlohmann/json_fwd.hpp>

#include "topology/machine.hpp"

namespace espalier::view {

/// The machine as the page draws it (espalier-view-1, docs/formats.md): clusters and leaves as
/// columns.
[[nodiscard]] nlohmann::ordered_json machine_document(const topology::Machine& machine);

/// Least and largest latency and bandwidth of each level. null: unlimited.
[[nodiscard]] nlohmann::ordered_json level_figures(const topology::Machine& machine);

}  // namespace espalier::view
