#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "reproducible/format.hpp"

namespace espalier::reproducible {

/// A sum that does not depend on the order of its terms, in fewer bytes than the exact one: only
/// the bits near the greatest term are kept.
///
/// J. Demmel, H. D. Nguyen, "Parallel Reproducible Summation", IEEE Transactions on Computers
/// 64(7), 2015: all numbers are cut at the same places into slices, slices of one place are summed
/// exactly, and only those of the K highest places are kept. There bins are floating-point numbers
/// of 40 bits and a carry each; here they are integers with places every 32 bits, so that adding
/// needs no rounding mode and bins no carries up to 2^30 terms. Carries stay where they are until
/// round(): moved earlier, they would save in one order what is dropped in another.
///
/// double: K = 4, 48 bytes; float: K = 3, 40 bytes. Before the last rounding the sum of n terms is
/// off by less than n 2^(-32 (K - 1)) max|x|: n 2^-96 max|x| for double, n 2^-64 max|x| for float.
/// Where terms cancel to less than that nothing is left of the sum; the exact accumulator has no
/// such limit. Special values and zeros as there, but that an inexact zero is +0.
template <typename Real>
class Binned {
 public:
  static constexpr std::size_t kBins = sizeof(Real) == 8 ? 4 : 3;
  static constexpr std::uint64_t kMaxTerms = std::uint64_t{1} << 30;

  /// @pre no more than kMaxTerms terms in all
  void add(Real value);
  /// Associative and commutative, exactly; one without terms is neutral.
  /// @pre no more than kMaxTerms terms in both
  void merge(const Binned& other);
  [[nodiscard]] Real round() const;

  friend bool operator==(const Binned&, const Binned&) = default;

 private:
  template <typename R>
  friend void accumulate(std::span<const R> values, Binned<R>& sum);

  static constexpr std::uint32_t kOther = 1;  ///< flag: a term was not -0
  static constexpr std::uint32_t kNan = 2;
  static constexpr std::uint32_t kPlusInf = 4;
  static constexpr std::uint32_t kMinusInf = 8;

  void raise(std::int32_t top);
  void note_special(Real value);

  std::array<std::int64_t, kBins> bins_{};  ///< bins, the highest first
  std::uint64_t terms_ = 0;
  /// The first bin counts units of 2^(32 top_) least subnormals; -1: no bin.
  std::int32_t top_ = -1;
  std::uint32_t seen_ = 0;
};

/// Adds all of them, faster than one by one. The same bits.
/// @pre as for add()
template <typename Real>
void accumulate(std::span<const Real> values, Binned<Real>& sum);

extern template class Binned<float>;
extern template class Binned<double>;
static_assert(std::is_trivially_copyable_v<Binned<double>> && sizeof(Binned<double>) == 48);
static_assert(std::is_trivially_copyable_v<Binned<float>> && sizeof(Binned<float>) == 40);

}  // namespace espalier::reproducible
