#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/random.hpp"

namespace espalier {

/// Runs `property(rng)` for `cases` seeds and stops at the first failure, whose seed is printed.
/// ESPALIER_SEED=n replays that one; ESPALIER_CASES=n runs n cases instead.
template <typename Property>
void for_all_seeds(std::uint64_t cases, Property property) {
  const char* one = std::getenv("ESPALIER_SEED");
  const char* many = std::getenv("ESPALIER_CASES");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  if (one != nullptr) cases = 1;
  if (one == nullptr && many != nullptr) cases = std::strtoull(many, nullptr, 10);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("replay with ESPALIER_SEED=" + std::to_string(seed));
    Random rng(seed);
    property(rng);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace espalier
