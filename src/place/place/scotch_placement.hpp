#pragma once

#include "map/problem.hpp"

namespace espalier::place {

/// Down the machine's tree: the processes of each cluster are cut into its members' shares with
/// libscotch (F. Pellegrini, J. Roman: "Scotch: a software package for static mapping by dual
/// recursive bipartitioning of process and architecture graphs", HPCN 1996).
[[nodiscard]] map::Placement scotch_placement(const map::Problem& problem,
                                              const std::vector<std::uint32_t>& slots);

}  // namespace espalier::place
