#pragma once

#include "cases.hpp"

namespace measure {

/// Communicator::multicast() of the C++ interface, from a root to the other members. All ranks of
/// MPI_COMM_WORLD call it. Along a plan where Espalier's library is preloaded; else along a
/// binomial tree.
/// @param members ranks of MPI_COMM_WORLD, the root among them
[[nodiscard]] Case multicast(const std::vector<int>& members, long bytes, int root);

}  // namespace measure
