#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "reproducible/format.hpp"

namespace espalier::reproducible {

/// The exact sum of numbers, whatever their order: one long fixed-point number that reaches from
/// the least subnormal to beyond the greatest number.
///
/// U. Kulisch, "Very fast and exact accumulation of products", Computing 91, 2011; for reductions
/// R. Collange, D. Defour, S. Graillat, R. Iakymchuk, "Numerical reproducibility for the parallel
/// reduction on multi- and many-core architectures", Parallel Computing 49, 2015.
///
/// A plain value of 280 bytes (double) or 56 (float) that may travel in messages between computers
/// of the same byte order. Integers only: no rounding mode, compiler or CPU changes a bit. Exact
/// for up to 2^76 terms. Two accumulators of the same numbers are equal byte for byte, in whatever
/// order and grouping they were added and merged.
///
/// round() is the exact sum rounded once, to nearest, ties to even. As in IEEE 754: NaN if a term
/// was NaN or two were infinities of both signs; else the infinity if there was one; an infinity if
/// the rounded sum is beyond the greatest number. Intermediate sums cannot overflow. A sum of
/// exactly zero is -0 if every term was -0 (and there was one), else +0. NaNs are one: quiet,
/// positive, no payload.
template <typename Real>
class Accumulator {
 public:
  void add(Real value);
  /// Associative and commutative, exactly; an accumulator without terms is neutral.
  void merge(const Accumulator& other);
  [[nodiscard]] Real round() const;

  friend bool operator==(const Accumulator&, const Accumulator&) = default;

 private:
  template <typename R>
  friend void accumulate(std::span<const R> values, Accumulator<R>& sum);

  static constexpr std::uint64_t kTerm = 1;   ///< flag: there was a term
  static constexpr std::uint64_t kOther = 2;  ///< flag: a term was not -0
  static constexpr std::uint64_t kNan = 4;
  static constexpr std::uint64_t kPlusInf = 8;
  static constexpr std::uint64_t kMinusInf = 16;
  void note_special(Real value);

  FixedPoint<Real> words_{};
  std::uint64_t seen_ = 0;  ///< set of the flags above
};

/// Adds all of them, several times faster than one by one. The same bits.
template <typename Real>
void accumulate(std::span<const Real> values, Accumulator<Real>& sum);

/// The sum of a few numbers, rounded once.
template <typename Real>
[[nodiscard]] Real exact_sum(std::span<const Real> values) {
  Accumulator<Real> sum;
  accumulate(values, sum);
  return sum.round();
}

extern template class Accumulator<float>;
extern template class Accumulator<double>;
static_assert(std::is_trivially_copyable_v<Accumulator<double>> &&
              sizeof(Accumulator<double>) == 280);
static_assert(std::is_trivially_copyable_v<Accumulator<float>> && sizeof(Accumulator<float>) == 56);

}  // namespace espalier::reproducible
