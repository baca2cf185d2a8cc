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

/// Digits of 32 bits with room for 2^31 carries each, which wait until the end.
template <typename Real>
class CarrySave {
 public:
  static constexpr std::size_t kDigits = 2 * Format<Real>::kWords;
  static constexpr std::size_t kTerms = std::size_t{1} << 30;

  void add(const Parts<Real>& x) {
    const std::size_t at = x.shift / 32;
    const unsigned offset = x.shift % 32;
    const std::uint64_t low = x.mantissa << offset;
    const std::uint64_t high = (x.mantissa >> 1) >> (63 - offset);
    const std::int64_t sign = -static_cast<std::int64_t>(x.negative);
    digits_[at] += (static_cast<std::int64_t>(low & 0xffffffffU) ^ sign) - sign;
    digits_[at + 1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
    digits_[at + 2] += (static_cast<std::int64_t>(high) ^ sign) - sign;
  }

  void add_to(std::array<std::uint64_t, Format<Real>::kWords>& words) const {
    std::int64_t carry = 0;
    std::uint64_t over = 0;  // carry out of the highest word
    for (std::size_t w = 0; w < words.size(); ++w) {
      std::uint64_t word = 0;
      for (std::size_t half = 0; half < 2; ++half) {
        const std::int64_t digit = digits_[2 * w + half] + carry;
        word |= static_cast<std::uint64_t>(digit & 0xffffffff) << (32 * half);
        carry = digit >> 32;  // rounds down: what is left is not negative
      }
      const Wide sum = Wide{words[w]} + word + over;
      words[w] = static_cast<std::uint64_t>(sum);
      over = static_cast<std::uint64_t>(sum >> 64);
    }
  }

  [[nodiscard]] std::int64_t digit(std::size_t place) const { return digits_[place]; }

 private:
  std::array<std::int64_t, kDigits> digits_{};
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
