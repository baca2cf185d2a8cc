#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// K. Dichev, V. Rychkov, A. Lastovetsky: "Two algorithms of irregular scatter/gather operations
/// for heterogeneous platforms", EuroMPI 2010: both experiments of section 3, simulated.
[[nodiscard]] Paper dichev();

}  // namespace espalier::reproduce
