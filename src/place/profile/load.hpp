#pragma once

#include <string>

#include "base/expected.hpp"
#include "profile/profile.hpp"

namespace espalier::profile {

/// A profile from whatever a user names on the command line: a file (our JSON, Open MPI's
/// monitoring, CSV; told apart by content), or a workload ("lu.C", or "lu.C:heavy=8" with its
/// heavy channels) for `processes` processes.
Expected<Profile> load_profile(const std::string& argument, Rank processes);

/// The same from text that is already there; `file` is only named in errors.
Expected<Profile> parse_profile(const std::string& text, const std::string& file);

}  // namespace espalier::profile
