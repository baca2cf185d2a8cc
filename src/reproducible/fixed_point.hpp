#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "reproducible/format.hpp"

namespace espalier::reproducible {

using Wide = unsigned __int128;

/// sign, and a whole number of least subnormals: mantissa << shift.
template <typename Real>
struct Parts {
  using Bits = typename Format<Real>::Bits;
  static constexpr int kFraction = Format<Real>::kFraction;
  static constexpr Bits kHidden = Bits{1} << kFraction;
  static constexpr Bits kSign = Bits{1} << (kFraction + Format<Real>::kExponent);
  static constexpr Bits kSpecial = (Bits{1} << Format<Real>::kExponent) - 1;  // exponent

  explicit Parts(Bits bits)
      : negative((bits & kSign) != 0), exponent((bits & ~kSign) >> kFraction) {
    const bool normal = exponent != 0;
    mantissa = (bits & (kHidden - 1)) | (normal ? kHidden : 0);
    shift = static_cast<unsigned>(exponent - (normal ? 1 : 0));
  }
  [[nodiscard]] bool special() const { return exponent == kSpecial; }

  bool negative;
  Bits exponent;
  std::uint64_t mantissa;
  unsigned shift;
};

template <std::size_t N>
void negate(std::array<std::uint64_t, N>& words) {
  std::uint64_t carry = 1;
  for (std::uint64_t& word : words) {
    word = ~word + carry;
    carry = carry != 0 && word == 0 ? 1 : 0;
  }
}

/// A whole number of least subnormals, in two's complement, rounded to nearest, ties to even.
template <typename Real>
Real round_fixed_point(FixedPoint<Real> magnitude, Real if_zero) {
  using P = Parts<Real>;
  using Bits = typename Format<Real>::Bits;
  using Limits = std::numeric_limits<Real>;
  const bool negative = (magnitude.back() >> 63) != 0;
  if (negative) negate(magnitude);
  std::size_t top = magnitude.size();
  while (top > 0 && magnitude[top - 1] == 0) --top;
  if (top == 0) return if_zero;
  const std::size_t leading =
      64 * top - 1 - static_cast<std::size_t>(std::countl_zero(magnitude[top - 1]));

  // A number of up to kFraction + 1 bits is its own pattern; each further bit is one exponent more.
  const std::size_t shift = leading > P::kFraction ? leading - P::kFraction : 0;
  const auto bit = [&](std::size_t i) { return (magnitude[i / 64] >> (i % 64) & 1) != 0; };
  std::uint64_t mantissa = magnitude[shift / 64] >> (shift % 64);
  if (shift % 64 != 0 && shift / 64 + 1 < magnitude.size()) {
    mantissa |= magnitude[shift / 64 + 1] << (64 - shift % 64);
  }
  mantissa &= (std::uint64_t{P::kHidden} << 1) - 1;
  if (shift > 0 && bit(shift - 1)) {
    bool more = (mantissa & 1) != 0;
    for (std::size_t i = 0; !more && i < (shift - 1) / 64; ++i) more = magnitude[i] != 0;
    const std::uint64_t rest = (std::uint64_t{1} << ((shift - 1) % 64)) - 1;
    if (more || (magnitude[(shift - 1) / 64] & rest) != 0) ++mantissa;
  }
  const std::uint64_t exponent = shift + (mantissa >> P::kFraction);
  if (exponent >= P::kSpecial) return negative ? -Limits::infinity() : Limits::infinity();
  const auto pattern = static_cast<Bits>((std::uint64_t{shift} << P::kFraction) + mantissa);
  return std::bit_cast<Real>(static_cast<Bits>(pattern | (negative ? P::kSign : 0)));
}

}  // namespace espalier::reproducible
