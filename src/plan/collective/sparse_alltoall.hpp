#pragma once

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::collective {

/// Alltoallv straight between all pairs that have something for each other, the longest blocks
/// first, all at once; for those who know all lengths. Empty blocks do not travel.
/// @pre call is an irregular alltoall
[[nodiscard]] schedule::Program sparse_alltoall(const schedule::Collective& call, Rank rank);

}  // namespace espalier::collective
