#include "tree/exact/price_search.hpp"

#include <algorithm>

namespace espalier::tree::exact {
namespace {

constexpr Ticks kMaxCells = 1024;
constexpr std::int64_t kManyUses = std::int64_t{1}
                                   << 30;  // the relaxed schedule doubles and doubles
constexpr int kPatience = 60;              // rounds without progress
constexpr std::int64_t kFinest = kWorthOfOne / 512;

}  // namespace

PriceSearch::PriceSearch(const Instance& instance, Ticks longest) : instance_(instance) {
  while ((longest >> worth_.shift) >= kMaxCells) ++worth_.shift;
  const auto cells = static_cast<std::size_t>(longest >> worth_.shift) + 1;
  for (const SpeedClass& c : instance.classes) {
    std::vector<std::size_t>& back = cells_back_.emplace_back();
    Ticks sent = c.cost;
    for (Rank q = 0; q < instance.others; ++q, sent += c.cost) {
      const auto cell = static_cast<std::size_t>(sent >> worth_.shift);
      if (cell >= cells) break;
      // A cost below one cell must not refer to itself. That makes its owner look slower than it
      // is, which costs quality, not truth: what is proven is left to Potential.
      back.push_back(std::max<std::size_t>(cell, 1));
    }
  }
  worth_.of_cell.resize(cells);
  chosen_.resize(cells);
  arrives_.resize(cells);
  used_.resize(instance.classes.size());
  best_prices_.assign(instance.classes.size(), kWorthOfOne);
  set_worth(best_prices_);
}

void PriceSearch::set_worth(const std::vector<std::int64_t>& prices) {
  const std::int64_t enough = 4 * (std::int64_t{instance_.others} + 1) * kWorthOfOne;
  std::vector<std::uint32_t> useful;  // a slower class that costs no less is never chosen
  for (std::uint32_t c = 0; c < prices.size(); ++c) {
    if (useful.empty() || prices[c] > prices[useful.back()]) useful.push_back(c);
  }
  std::vector<std::int64_t>& w = worth_.of_cell;
  for (std::size_t k = 0; k < w.size(); ++k) {
    std::int64_t most = kWorthOfOne;
    std::uint32_t by = useful.back();
    for (const std::uint32_t c : useful) {
      std::int64_t earns = prices[c];
      for (const std::size_t back : cells_back_[c]) {
        if (back > k || earns >= enough) break;
        earns += w[k - back];
      }
      if (earns > most) {
        most = earns;
        by = c;
      }
    }
    w[k] = std::min(most, enough);
    chosen_[k] = by;
  }
}

std::int64_t PriceSearch::surplus(const std::vector<std::int64_t>& prices, Ticks deadline) const {
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < prices.size(); ++c) sum -= instance_.classes[c].count * prices[c];
  Ticks left = deadline - instance_.root_cost;
  for (Rank q = 0; q < instance_.others && left >= 0; ++q, left -= instance_.root_cost) {
    sum += worth_(left);
  }
  return sum;
}

void PriceSearch::count_use(Ticks deadline) {
  std::fill(arrives_.begin(), arrives_.end(), 0);
  std::fill(used_.begin(), used_.end(), 0);
  Ticks left = deadline - instance_.root_cost;
  for (Rank q = 0; q < instance_.others && left >= 0; ++q, left -= instance_.root_cost) {
    ++arrives_[worth_.cell(left)];
  }
  for (std::size_t k = arrives_.size(); k-- > 0;) {
    const std::int64_t sends = std::min(arrives_[k], kManyUses);
    if (sends == 0) continue;
    used_[chosen_[k]] += sends;
    for (const std::size_t back : cells_back_[chosen_[k]]) {
      if (back > k) break;
      arrives_[k - back] += sends;
    }
  }
}

void PriceSearch::step(std::vector<std::int64_t>& prices, std::int64_t down_by) const {
  __int128 length = 0;
  for (std::size_t c = 0; c < prices.size(); ++c) {
    const __int128 too_often = used_[c] - instance_.classes[c].count;
    length += too_often * too_often;
  }
  if (length == 0) return;
  const std::int64_t least = -std::int64_t{instance_.others} * kWorthOfOne;
  for (std::size_t c = 0; c < prices.size(); ++c) {
    const __int128 too_often = used_[c] - instance_.classes[c].count;
    const auto change = static_cast<std::int64_t>(too_often * down_by / length);
    prices[c] = std::clamp(prices[c] - change, least, kWorthOfOne);
  }
  prices.back() = kWorthOfOne;  // the scale: the slowest are leaves
}

void PriceSearch::improve(Ticks deadline, int rounds) {
  set_worth(best_prices_);
  std::vector<std::int64_t> prices = best_prices_;
  std::int64_t now = surplus(prices, deadline);
  std::int64_t best = now;
  std::int64_t below = std::max(kWorthOfOne, best / 2);  // the level aimed at is best - below
  int patience = kPatience;
  for (int round = 0; round < rounds && best >= 0 && below >= kFinest; ++round) {
    count_use(deadline);
    step(prices, now - (best - below));
    set_worth(prices);
    now = surplus(prices, deadline);
    if (now < best - below / 128) patience = kPatience;
    if (now < best) {
      best = now;
      best_prices_ = prices;
    }
    if (--patience == 0) {
      below = below * 3 / 5;
      prices = best_prices_;
      set_worth(prices);
      now = best;
      patience = kPatience;
    }
  }
  set_worth(best_prices_);
}

}  // namespace espalier::tree::exact
