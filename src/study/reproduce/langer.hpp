#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
/// trees on system-ranked process groups", EuroMPI 2012: section 6, simulated, and what it left
/// open.
[[nodiscard]] Paper langer();

}  // namespace espalier::reproduce
