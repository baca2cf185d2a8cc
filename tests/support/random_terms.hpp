#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/random.hpp"

namespace espalier::testing_support {

/// Numbers that hurt: all patterns alike, near each other, cancelling, the least and the greatest.
template <typename Real>
Real random_real(Random& rng, std::uint64_t kind) {
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  constexpr int kFraction = sizeof(Real) == 8 ? 52 : 23;
  constexpr Bits kSpecial = ((Bits{1} << (sizeof(Real) == 8 ? 11 : 8)) - 1) << kFraction;
  for (;;) {
    auto bits = static_cast<Bits>(rng.next());
    if (kind == 1) bits = bits & ~kSpecial;                            // subnormals
    if (kind == 2) bits = bits | (kSpecial - (Bits{1} << kFraction));  // huge
    if (kind == 3) {                                                   // like 1.xxx
      bits = (bits & ~kSpecial) | (kSpecial >> 1 & kSpecial);
    }
    const Real value = std::bit_cast<Real>(bits);
    if (std::isfinite(value)) return value;
  }
}

template <typename Real>
std::vector<Real> random_terms(Random& rng, std::size_t most) {
  std::vector<Real> terms(rng.below(most + 1));
  const std::uint64_t kind = rng.below(6);
  for (Real& term : terms) term = random_real<Real>(rng, kind < 4 ? kind : rng.below(4));
  if (rng.chance(40)) {  // cancels to a little
    const std::size_t count = terms.size();
    for (std::size_t i = 0; i < count; ++i) terms.push_back(-terms[i]);
    if (rng.chance(50)) terms.push_back(random_real<Real>(rng, rng.below(4)));
  }
  if (rng.chance(20)) {  // ties: a half of the last place
    const Real x = random_real<Real>(rng, 3);
    terms.push_back(x);
    terms.push_back((std::nextafter(x, Real{10}) - x) / 2);
  }
  return terms;
}

}  // namespace espalier::testing_support
