#include "tree/exact/potential.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier::tree::exact {

// On a cell [k, k + 1) * 2^shift w is constant, and the sum of the sends is largest at its end: the
// q-th send from there is over in cell k - floor(q c / 2^shift).
Potential::Potential(const Instance& instance, Worth worth)
    : worth_(std::move(worth)), classes_(instance.classes.size()) {
  const std::vector<std::int64_t>& w = worth_.of_cell;
  best_gain_.resize(w.size() * classes_);
  for (std::size_t c = 0; c < classes_; ++c) {
    const Ticks cost = instance.classes[c].cost;
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    for (std::size_t k = 0; k < w.size(); ++k) {
      std::int64_t gain = -w[k];
      Ticks sent = cost;
      for (Rank q = 0; q < instance.others; ++q, sent += cost) {
        const auto back = static_cast<std::size_t>(sent >> worth_.shift);
        if (back > k) break;
        gain += w[k - back];
      }
      best = std::max(best, gain);
      best_gain_[k * classes_ + c] = best;
    }
  }
}

bool Potential::proves_too_early(const Instance& instance, Ticks deadline) const {
  Ticks left = deadline - instance.root_cost;
  if (left < 0) return true;
  __int128 surplus = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    surplus += __int128{instance.classes[c].count} * best_gain(c, left);
  }
  for (Rank q = 0; q < instance.others && left >= 0; ++q, left -= instance.root_cost) {
    surplus += worth_(left);
  }
  return surplus < 0;
}

Ticks Potential::too_early(const Instance& instance, Ticks at_most) const {
  Ticks low = 0;
  Ticks high = at_most;
  while (low < high) {  // a later deadline never has a smaller surplus
    const Ticks middle = high - (high - low) / 2;
    if (proves_too_early(instance, middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace espalier::tree::exact
