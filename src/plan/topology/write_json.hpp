#pragma once

#include <span>
#include <string>

#include "topology/machine.hpp"

namespace espalier::topology {

/// The machine in the JSON form of docs/machine.md. Exact: read_json(write_json(m)) == m.
///
/// Compact: figures that the first member of a level has become the level's; equal neighbours are
/// written once, with a count or a range of names.
/// @param notes what a reader should know of the figures, a sentence each
[[nodiscard]] std::string write_json(const Machine& machine,
                                     std::span<const std::string> notes = {});

}  // namespace espalier::topology
