#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/random.hpp"

namespace espalier {

/// Runs `property(rng)` for `cases` seeds and stops at the first failure, whose seed is printed.
/// ESPALIER_SEED=n replays that one; ESPALIER_CASES=n runs n cases instead.
/// @return whether at least `cases` seeds were run, so that a test may expect how often something
/// was met
template <typename Property>
bool for_all_seeds(const std::uint64_t cases, Property property) {
  const char* one = std::getenv("ESPALIER_SEED");
  const char* many = std::getenv("ESPALIER_CASES");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  std::uint64_t runs = many != nullptr ? std::strtoull(many, nullptr, 10) : cases;
  if (one != nullptr) runs = 1;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE("replay with ESPALIER_SEED=" + std::to_string(seed));
    Random rng(seed);
    property(rng);
    if (testing::Test::HasFailure()) return false;
  }
  return runs >= cases;
}

}  // namespace espalier
