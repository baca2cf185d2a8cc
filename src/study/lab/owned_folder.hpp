#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

/// Why nothing in this folder may be written or removed: it is neither empty nor a lab's, or
/// belongs to another user. A lab's has a file in it that says so (StateFolder::sign()).
/// @pre the folder is there
std::optional<Error> why_not_a_labs(const StateFolder& folder);

/// Why a lab's files there are not to be believed: others may have written them.
std::optional<Error> why_not_trusted(const StateFolder& folder);

/// Says that the folder is a lab's.
std::optional<Error> put_sign(const StateFolder& folder);

/// Removes the files that labs make, by their names, and nothing else.
/// @return what else is there, and stays
/// @pre !why_not_a_labs(folder)
Expected<std::vector<std::string>> remove_lab_files(const StateFolder& folder);

}  // namespace espalier::lab
