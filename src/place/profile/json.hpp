#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "profile/profile.hpp"

namespace espalier::profile {

inline constexpr std::string_view kProfileFormat = "espalier-profile-1";

/// The document espalier-profile-1 of docs/formats.md. Pairs that are left out are counted from the
/// trace.
/// @param file only named in errors
/// Refuses with file:line what no program can have done: ranks, roots and communicators that do not
/// exist, loops deeper than kMaxLoopDepth or of more than kMaxCount steps in all, a trace of part
/// of the processes.
Expected<Profile> read_json(std::string_view text, const std::string& file);

/// Reading it back gives an equal value.
[[nodiscard]] std::string write_json(const Profile& profile);

}  // namespace espalier::profile
