#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace espalier::reproducible {

/// Figures of the two IEEE 754 formats, and of the fixed-point numbers that hold any sum of them.
template <typename Real>
struct Format;
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52;       ///< bits below the leading one
  static constexpr int kExponent = 11;       ///< bits of the exponent
  static constexpr std::size_t kWords = 34;  ///< 2,098 bits of a number, 77 for carries, the sign
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kFraction = 23;
  static constexpr int kExponent = 8;
  static constexpr std::size_t kWords = 6;  ///< 277 bits of a number, 106 for carries, the sign
};

/// Whole numbers of least subnormals: two's complement, the least word first.
template <typename Real>
using FixedPoint = std::array<std::uint64_t, Format<Real>::kWords>;

}  // namespace espalier::reproducible
