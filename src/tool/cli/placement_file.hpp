#pragma once

#include <string>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// Whether the argument is a file that espalier place --json wrote.
[[nodiscard]] bool is_placement_file(const std::string& argument);

/// The machine as the placed program sees it: the hosts that it runs on, each rank where the
/// placement puts it.
/// @param inventory what the placement was made for: see place::load_inventory()
Expected<topology::Machine> machine_of_placement(const std::string& file,
                                                 const std::string& inventory);

}  // namespace espalier::cli
