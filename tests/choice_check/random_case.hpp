#pragma once

#include <cstdint>
#include <string>

#include "schedule/collective.hpp"
#include "topology/machine.hpp"

namespace espalier::choice_check {

/// A random call on a random machine of 2 to 40 ranks: one to three levels, backbones, narrow inner
/// links, clusters of unequal size, two placements; all operations and roots, sizes off powers of
/// two up to 1 MiB.
struct RandomCase {
  std::string text;  ///< the machine as one line
  topology::Machine machine;
  schedule::Collective call;
};
[[nodiscard]] RandomCase random_case(std::uint64_t seed);

}  // namespace espalier::choice_check
