#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bound/lower_bound.hpp"

namespace espalier::bound {

/// The witness of a bound as docs/formats.md has it: all figures that a checker needs beside the
/// machine and the call.
[[nodiscard]] nlohmann::ordered_json to_json(const LowerBound& bound,
                                             const topology::Machine& machine);

}  // namespace espalier::bound
