#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998.
[[nodiscard]] Paper banikazemi();

}  // namespace espalier::reproduce
