#pragma once

#include <cstdint>
#include <vector>

#include "tree/exact/instance.hpp"

namespace espalier::tree::exact {

/// What a free send is worth by the time that is left when it is over, in units of kWorthOfOne.
///
/// Never negative, never falling with more time left, and constant on cells of 2^shift ticks.
struct Worth {
  int shift = 0;
  std::vector<std::int64_t> of_cell;

  /// @pre 0 <= left, and the cells reach that far
  [[nodiscard]] std::size_t cell(Ticks left) const {
    return static_cast<std::size_t>(left >> shift);
  }
  [[nodiscard]] std::int64_t operator()(Ticks left) const { return of_cell[cell(left)]; }
};
/// A send that is over just in time serves one rank.
inline constexpr std::int64_t kWorthOfOne = 1 << 20;

/// Proof of what can not be done by a deadline.
///
/// Let w be any worth as above. In any schedule rank i is served by a send that is over when x_i is
/// left, and its own sends are over at x_i - c_i, x_i - 2 c_i, ...: it takes w(x_i) and brings at
/// most the sum of w(x_i - q c_i) over all q with x_i - q c_i >= 0. Call the difference its gain
/// g_i(x_i). What is taken was brought, by the root or by others, and what is left over is worth
/// >= 0:
///
///     sum over q of w(T - q c_root)  +  sum over i of g_i(x_i)  >=  0.
///
/// Replace each g_i(x_i) by its maximum over all x <= T - c_root. If that still is below 0, no
/// schedule serves everybody by T. The same holds in the midst of a schedule: the free sends of
/// those who have been served stand for the root's, the ranks not yet served for all, and x runs up
/// to the earliest free send.
///
/// Any w proves something; price_search.hpp looks for one that proves much. With all ranks as fast
/// as the fastest of them the best w gives the classical bound; here it is the dual of the
/// relaxation in which a rank may be served in fractions at several times.
class Potential {
 public:
  /// O(cells * sum over classes of sends).
  Potential(const Instance& instance, Worth worth);

  [[nodiscard]] const Worth& worth() const { return worth_; }
  /// The largest gain of one rank of this class, served with at most `left` to go.
  [[nodiscard]] std::int64_t best_gain(std::size_t speed_class, Ticks left) const {
    return best_gain_[worth_.cell(left) * classes_ + speed_class];
  }
  /// best_gain() of all classes, side by side.
  [[nodiscard]] const std::int64_t* best_gains(Ticks left) const {
    return &best_gain_[worth_.cell(left) * classes_];
  }
  /// The latest deadline <= `at_most` that is proven to be too early, or 0.
  [[nodiscard]] Ticks too_early(const Instance& instance, Ticks at_most) const;

 private:
  [[nodiscard]] bool proves_too_early(const Instance& instance, Ticks deadline) const;

  Worth worth_;
  std::size_t classes_;
  std::vector<std::int64_t> best_gain_;  ///< [cell][class]
};

}  // namespace espalier::tree::exact
