#pragma once

#include <cstdint>
#include <vector>

#include "tree/exact/instance.hpp"
#include "tree/exact/potential.hpp"

namespace espalier::tree::exact {

/// Looks for a worth that proves much (see potential.hpp).
///
/// Forget that a rank is served only once, and instead pay a price p_c whenever one of class c is
/// served, negative for those who are sought after. The best that a send can earn with `left` to go
/// is then
///
///     w(left) = max over c of  p_c + sum over q >= 1 of w(left - q c),
///
/// one pass over the cells. Where that earns less than paying for everybody exactly once, the
/// deadline is too early. So the prices fall of classes that the relaxed schedule uses more often
/// than there are ranks in them, and rise of the others: a subgradient method (Polyak's steps
/// towards a level below the best found; B. Polyak, "Minimization of unsmooth functionals", 1969).
///
/// In integers throughout: every CPU finds the same prices.
class PriceSearch {
 public:
  /// @param longest no deadline will be later
  PriceSearch(const Instance& instance, Ticks longest);

  /// At most `rounds` steps for this deadline, from the best prices so far; ends early where these
  /// prove it too early. O(rounds * cells * sum over classes of sends).
  void improve(Ticks deadline, int rounds);

  /// The worth that the best prices so far give.
  [[nodiscard]] Worth worth() const { return worth_; }

 private:
  void set_worth(const std::vector<std::int64_t>& prices);
  /// What the relaxed schedule earns more than paying for everybody once.
  [[nodiscard]] std::int64_t surplus(const std::vector<std::int64_t>& prices, Ticks deadline) const;
  void count_use(Ticks deadline);
  void step(std::vector<std::int64_t>& prices, std::int64_t down_by) const;

  const Instance& instance_;
  Worth worth_;
  std::vector<std::vector<std::size_t>> cells_back_;  ///< [class][send] cells from service to send
  std::vector<std::uint32_t> chosen_;                 ///< [cell] the class that earns most
  std::vector<std::int64_t> best_prices_;
  std::vector<std::int64_t> used_;     ///< [class] how often the relaxed schedule serves it
  std::vector<std::int64_t> arrives_;  ///< [cell] sends of the relaxed schedule that end in it
};

}  // namespace espalier::tree::exact
