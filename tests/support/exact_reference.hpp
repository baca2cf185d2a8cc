#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace espalier::testing_support {

/// The sum of finite numbers rounded once, slow and obvious: positive and negative terms on two
/// abacuses of single bits, subtracted, and the result put together by halves of its last place.
template <typename Real>
class BitAbacus {
  using Limits = std::numeric_limits<Real>;
  static constexpr int kLeast = Limits::min_exponent - Limits::digits;  // 2^this: least subnormal
  static constexpr int kBits = Limits::max_exponent - kLeast + 40;
  using Beads = std::vector<int>;

 public:
  void add(Real value) {
    all_minus_zero_ = all_minus_zero_ && value == 0 && std::signbit(value);
    some_ = true;
    int exponent = 0;
    Real rest = std::frexp(std::fabs(value), &exponent);
    Beads& beads = std::signbit(value) ? minus_ : plus_;
    while (rest != 0) {  // the leading bit each time
      rest *= 2;
      --exponent;
      if (rest >= 1) {
        rest -= 1;
        carry_from(beads, exponent - kLeast);
      }
    }
  }

  [[nodiscard]] Real rounded() const {
    const int sign = compare(plus_, minus_);
    if (sign == 0) return some_ && all_minus_zero_ ? -Real{0} : Real{0};
    const Beads beads = sign > 0 ? less(plus_, minus_) : less(minus_, plus_);
    int top = kBits - 1;
    while (beads[static_cast<std::size_t>(top)] == 0) --top;
    const int last = std::max(0, top - Limits::digits + 1);
    Real value = 0;
    for (int i = top; i >= last; --i) value = 2 * value + static_cast<Real>(beads[at(i)]);
    const bool odd = beads[at(last)] == 1;
    if (last > 0 && beads[at(last - 1)] == 1) {
      bool more = odd;
      for (int i = 0; i < last - 1; ++i) more = more || beads[at(i)] == 1;
      if (more) value += 1;
    }
    value = std::ldexp(value, last + kLeast);
    return sign > 0 ? value : -value;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static void carry_from(Beads& beads, int i) {
    while (beads[at(i)] == 1) beads[at(i++)] = 0;
    beads[at(i)] = 1;
  }
  static int compare(const Beads& a, const Beads& b) {
    for (int i = kBits - 1; i >= 0; --i) {
      if (a[at(i)] != b[at(i)]) return a[at(i)] > b[at(i)] ? 1 : -1;
    }
    return 0;
  }
  static Beads less(Beads a, const Beads& b) {
    for (int i = 0; i < kBits; ++i) {
      a[at(i)] -= b[at(i)];
      if (a[at(i)] < 0) {
        a[at(i)] += 2;
        --a[at(i + 1)];
      }
    }
    return a;
  }

  Beads plus_ = Beads(static_cast<std::size_t>(kBits), 0);
  Beads minus_ = Beads(static_cast<std::size_t>(kBits), 0);
  bool some_ = false;
  bool all_minus_zero_ = true;
};

template <typename Real>
Real exact_reference(std::span<const Real> terms) {
  BitAbacus<Real> abacus;
  for (const Real term : terms) abacus.add(term);
  return abacus.rounded();
}

}  // namespace espalier::testing_support
