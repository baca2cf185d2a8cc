#pragma once

#include "collective/multilevel_calls.hpp"

namespace espalier::collective {

/// MagPIe's trees: a multilevel plan on the machine seen as its clusters of one depth side by side
/// (topology::two_level_view). A baseline.
///
/// T. Kielmann, R. Hofman, H. Bal, A. Plaat, R. Bhoedjang: "MagPIe: MPI's collective communication
/// operations for clustered wide area systems", PPoPP 1999.
struct TwoLevelChoice {
  std::uint32_t depth = 1;  ///< depth of the clusters: 1 is the outermost, "by site"
  MultilevelChoice choice;  ///< one entry for each of the view's two levels
  friend bool operator==(const TwoLevelChoice&, const TwoLevelChoice&) = default;
};

}  // namespace espalier::collective
