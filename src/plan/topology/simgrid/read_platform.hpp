#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "topology/simgrid/platform.hpp"

namespace espalier::topology::simgrid {

/// The platform of a file of version 4 or 4.1. What it has no use for (disks, profiles, bypass
/// routes, deployment) is named in the notes; what it does not know is refused.
/// @param file only named in errors
Expected<Platform> read_platform(std::string_view text, const std::string& file);

}  // namespace espalier::topology::simgrid
