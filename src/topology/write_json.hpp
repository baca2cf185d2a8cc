#pragma once

#include <string>

#include "topology/machine.hpp"

namespace espalier::topology {

/// The machine in the JSON form of docs/machine.md. Exact: read_json(write_json(m)) == m.
///
/// Compact: figures that the first member of a level has become the level's; equal neighbours are
/// written once, with a count or a range of names.
[[nodiscard]] std::string write_json(const Machine& machine);

}  // namespace espalier::topology
