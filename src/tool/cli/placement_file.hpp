#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// What espalier place --json writes begins with it.
inline constexpr std::string_view kPlacementFormat = "espalier-placement-1";

/// What espalier place found.
struct PlacedProgram {
  topology::Machine machine;  ///< the hosts that it runs on, each rank where it was put
  std::string
      words;  ///< "placement of lu.S: 8 processes on 2 hosts, predicted 1.2 s, as listed 2 s"
};

/// The machine as the placed program sees it, and what was placed.
/// @param file name of the placement's file, for errors
/// @param inventory what the placement was made for: see place::load_inventory()
Expected<PlacedProgram> program_of_placement(const std::string& text, const std::string& file,
                                             const std::string& inventory);

}  // namespace espalier::cli
