#include "reproducible/accumulator.hpp"

#include <algorithm>
#include <limits>

#include "reproducible/fixed_point.hpp"

namespace espalier::reproducible {
namespace {

/// words += value << (64 * at), with all carries.
template <std::size_t N>
void add_at(std::array<std::uint64_t, N>& words, std::size_t at, Wide value) {
  const Wide low = Wide{words[at]} + static_cast<std::uint64_t>(value);
  words[at] = static_cast<std::uint64_t>(low);
  Wide carry = (low >> 64) + (value >> 64);
  for (std::size_t i = at + 1; carry != 0 && i < N; ++i) {
    const Wide sum = Wide{words[i]} + carry;
    words[i] = static_cast<std::uint64_t>(sum);
    carry = sum >> 64;
  }
}

template <std::size_t N>
void subtract_at(std::array<std::uint64_t, N>& words, std::size_t at, Wide value) {
  std::uint64_t borrow = 0;
  for (std::size_t i = at; i < N; ++i) {
    const std::uint64_t part = i == at       ? static_cast<std::uint64_t>(value)
                               : i == at + 1 ? static_cast<std::uint64_t>(value >> 64)
                                             : 0;
    if (i > at + 1 && borrow == 0) return;
    const Wide less = Wide{words[i]} - part - borrow;
    words[i] = static_cast<std::uint64_t>(less);
    borrow = static_cast<std::uint64_t>(less >> 64) & 1;
  }
}

}  // namespace

template <typename Real>
void Accumulator<Real>::note_special(Real value) {
  seen_ |= kTerm | kOther;
  seen_ |= value != value ? kNan : value > 0 ? kPlusInf : kMinusInf;
}

template <typename Real>
void Accumulator<Real>::add(Real value) {
  const auto bits = std::bit_cast<typename Format<Real>::Bits>(value);
  const Parts<Real> x(bits);
  if (x.special()) return note_special(value);
  seen_ |= kTerm | (bits == Parts<Real>::kSign ? 0 : kOther);
  const Wide shifted = Wide{x.mantissa} << (x.shift % 64);
  if (x.negative) {
    subtract_at(words_, x.shift / 64, shifted);
  } else {
    add_at(words_, x.shift / 64, shifted);
  }
}

template <typename Real>
void Accumulator<Real>::merge(const Accumulator& other) {
  seen_ |= other.seen_;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Wide sum = Wide{words_[i]} + other.words_[i] + carry;
    words_[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

template <typename Real>
Real Accumulator<Real>::round() const {
  using Limits = std::numeric_limits<Real>;
  const bool both = (seen_ & kPlusInf) != 0 && (seen_ & kMinusInf) != 0;
  if ((seen_ & kNan) != 0 || both) return Limits::quiet_NaN();
  if ((seen_ & kPlusInf) != 0) return Limits::infinity();
  if ((seen_ & kMinusInf) != 0) return -Limits::infinity();

  return round_fixed_point<Real>(words_, seen_ == kTerm ? -Real{0} : Real{0});
}

template <typename Real>
void accumulate(std::span<const Real> values, Accumulator<Real>& sum) {
  using Bits = typename Format<Real>::Bits;
  // With fewer terms, setting up the digits costs more than it saves.
  constexpr std::size_t kFewTerms = 24;
  if (values.size() < kFewTerms) {
    for (const Real value : values) sum.add(value);
    return;
  }
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), CarrySave<Real>::kTerms));
    // Two, in turn: numbers of like size meet in the same digits, and each would wait for the last.
    CarrySave<Real> even, odd;
    Bits others = 0;
    const auto add = [&](CarrySave<Real>& digits, Real value) {
      const auto bits = std::bit_cast<Bits>(value);
      const Parts<Real> x(bits);
      others |= bits ^ Parts<Real>::kSign;
      if (x.special()) {
        sum.note_special(value);
      } else {
        digits.add(x);
      }
    };
    std::size_t i = 0;
    for (; i + 1 < part.size(); i += 2) {
      add(even, part[i]);
      add(odd, part[i + 1]);
    }
    if (i < part.size()) add(even, part[i]);
    even.add_to(sum.words_);
    odd.add_to(sum.words_);
    sum.seen_ |= Accumulator<Real>::kTerm | (others != 0 ? Accumulator<Real>::kOther : 0);
    values = values.subspan(part.size());
  }
}

template class Accumulator<float>;
template class Accumulator<double>;
template void accumulate(std::span<const float>, Accumulator<float>&);
template void accumulate(std::span<const double>, Accumulator<double>&);

}  // namespace espalier::reproducible
