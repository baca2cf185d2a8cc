#pragma once

#include <string>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// Whether the argument is a file that espalier place --json wrote.
[[nodiscard]] bool is_placement_file(const std::string& argument);

/// What espalier place found.
struct PlacedProgram {
  topology::Machine machine;  ///< the hosts that it runs on, each rank where it was put
  std::string
      words;  ///< "placement of lu.S: 8 processes on 2 hosts, predicted 1.2 s, as listed 2 s"
};

/// The machine as the placed program sees it, and what was placed.
/// @param inventory what the placement was made for: see place::load_inventory()
Expected<PlacedProgram> program_of_placement(const std::string& file, const std::string& inventory);

}  // namespace espalier::cli
