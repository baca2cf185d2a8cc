#pragma once

#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"

namespace espalier {

/// Lengths of blocks of every kind: all alike, any, one giant, many empty, long tails.
inline std::vector<Bytes> random_blocks(Random& rng, Rank ranks, std::uint64_t longest = 100'000) {
  std::vector<Bytes> bytes(ranks);
  const std::uint64_t kind = rng.below(5);
  const std::uint64_t same = 1 + rng.below(longest);
  for (Bytes& b : bytes) {
    switch (kind) {
      case 0:
        b.value = same;
        break;
      case 1:
        b.value = 1 + rng.below(longest);
        break;
      case 2:
        b.value = 1 + rng.below(1 + longest / 1000);
        break;
      case 3:
        b.value = rng.chance(60) ? 0 : 1 + rng.below(longest);
        break;
      default:
        b.value = 1 + longest / (1 + rng.below(longest));
    }
  }
  if (kind == 2) bytes[rng.below(ranks)].value = longest;
  return bytes;
}

}  // namespace espalier
