#pragma once

#include <cstdint>

#include "topology/machine.hpp"

namespace espalier::topology {

struct RandomMachineOptions {
  std::uint64_t min_processes = 1;
  std::uint64_t max_processes = 64;
  std::uint32_t max_levels = 4;
  bool shuffle_ranks = true;  ///< false: block placement
};

/// A machine with all that a machine may have: 1 to max_levels levels, uneven sizes and depths,
/// unequal distances, half duplex, backbones, caps, slow nodes. The same seed and options give the
/// same machine everywhere.
/// @pre 1 <= min_processes <= max_processes, max_levels >= 1
[[nodiscard]] Machine random_machine(std::uint64_t seed, const RandomMachineOptions& options = {});

}  // namespace espalier::topology
