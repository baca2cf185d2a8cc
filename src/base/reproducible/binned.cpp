#include "reproducible/binned.hpp"

#include <algorithm>
#include <limits>

#include "base/contract.hpp"
#include "reproducible/fixed_point.hpp"

namespace espalier::reproducible {

template <typename Real>
void Binned<Real>::raise(std::int32_t top) {
  if (top <= top_) return;
  const std::size_t by =
      top_ < 0 ? kBins : std::min<std::size_t>(kBins, static_cast<std::size_t>(top - top_));
  for (std::size_t i = kBins; i-- > 0;) bins_[i] = i >= by ? bins_[i - by] : 0;
  top_ = top;
}

template <typename Real>
void Binned<Real>::note_special(Real value) {
  seen_ |= kOther;
  seen_ |= value != value ? kNan : value > 0 ? kPlusInf : kMinusInf;
}

template <typename Real>
void Binned<Real>::add(Real value) {
  ++terms_;
  expects(terms_ <= kMaxTerms, "Binned: more than 2^30 terms");
  const auto bits = std::bit_cast<typename Format<Real>::Bits>(value);
  const Parts<Real> x(bits);
  if (bits != Parts<Real>::kSign) seen_ |= kOther;
  if (x.special()) return note_special(value);
  if (x.mantissa == 0) return;
  const auto place = static_cast<std::int32_t>(x.shift / 32);
  const unsigned offset = x.shift % 32;
  const std::array<std::uint64_t, 3> slices{(x.mantissa << offset) & 0xffffffffU,
                                            (x.mantissa << offset) >> 32,
                                            (x.mantissa >> 1) >> (63 - offset)};
  raise(place + (slices[2] != 0 ? 2 : slices[1] != 0 ? 1 : 0));
  for (std::int32_t s = 0; s < 3; ++s) {
    const std::int32_t bin = top_ - (place + s);
    if (bin < 0 || bin >= static_cast<std::int32_t>(kBins)) continue;
    const auto slice = static_cast<std::int64_t>(slices[static_cast<std::size_t>(s)]);
    bins_[static_cast<std::size_t>(bin)] += x.negative ? -slice : slice;
  }
}

template <typename Real>
void Binned<Real>::merge(const Binned& other) {
  terms_ += other.terms_;
  expects(terms_ <= kMaxTerms, "Binned: more than 2^30 terms");
  seen_ |= other.seen_;
  if (other.top_ < 0) return;
  raise(other.top_);
  for (std::size_t i = 0; i < kBins; ++i) {
    const std::size_t bin = i + static_cast<std::size_t>(top_ - other.top_);
    if (bin < kBins) bins_[bin] += other.bins_[i];
  }
}

template <typename Real>
Real Binned<Real>::round() const {
  using Limits = std::numeric_limits<Real>;
  const bool both = (seen_ & kPlusInf) != 0 && (seen_ & kMinusInf) != 0;
  if ((seen_ & kNan) != 0 || both) return Limits::quiet_NaN();
  if ((seen_ & kPlusInf) != 0) return Limits::infinity();
  if ((seen_ & kMinusInf) != 0) return -Limits::infinity();
  FixedPoint<Real> sum{};
  std::int64_t carry = 0;
  for (std::size_t half = 0; half < 2 * sum.size(); ++half) {
    const std::int64_t bin = top_ - static_cast<std::int64_t>(half);
    const bool kept = bin >= 0 && bin < static_cast<std::int64_t>(kBins);
    const std::int64_t digit = (kept ? bins_[static_cast<std::size_t>(bin)] : 0) + carry;
    sum[half / 2] |= static_cast<std::uint64_t>(digit & 0xffffffff) << (32 * (half % 2));
    carry = digit >> 32;  // rounds down: what is left is not negative
  }
  return round_fixed_point<Real>(sum, terms_ > 0 && seen_ == 0 ? -Real{0} : Real{0});
}

template <typename Real>
void accumulate(std::span<const Real> values, Binned<Real>& sum) {
  constexpr std::size_t kFewTerms = 32;
  if (values.size() < kFewTerms) {
    for (const Real value : values) sum.add(value);
    return;
  }
  expects(values.size() <= Binned<Real>::kMaxTerms - sum.terms_, "Binned: more than 2^30 terms");
  sum.terms_ += values.size();
  using Bits = typename Format<Real>::Bits;
  CarrySave<Real> digits;  // same places and slices as the bins, but all are kept
  int leading = -1;        // place of the greatest term
  Bits others = 0;
  for (const Real value : values) {
    const auto bits = std::bit_cast<Bits>(value);
    const Parts<Real> x(bits);
    others |= bits ^ Parts<Real>::kSign;
    if (x.special()) {
      sum.note_special(value);
      continue;
    }
    digits.add(x);
    const int top = static_cast<int>(x.shift) + static_cast<int>(std::bit_width(x.mantissa)) - 1;
    leading = std::max(leading, x.mantissa == 0 ? -1 : top);
  }
  if (others != 0) sum.seen_ |= Binned<Real>::kOther;
  if (leading < 0) return;
  sum.raise(leading / 32);
  for (std::size_t i = 0; i < Binned<Real>::kBins && i <= static_cast<std::size_t>(sum.top_); ++i) {
    sum.bins_[i] += digits.digit(static_cast<std::size_t>(sum.top_) - i);
  }
}

template void accumulate(std::span<const float>, Binned<float>&);
template void accumulate(std::span<const double>, Binned<double>&);
template class Binned<float>;
template class Binned<double>;

}  // namespace espalier::reproducible
