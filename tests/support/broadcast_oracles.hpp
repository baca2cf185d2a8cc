#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"
#include "tree/participants.hpp"

namespace espalier {

/// Slow and obvious answers for broadcasts under initiation costs, for a few participants.
///
/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998, section 5: the first message goes from W_i to a W_j of A;
/// then W_i and W_j share out what is left of A. `combine(cost of W_i, |A|, of W_i and B, of W_j
/// and C)` makes L_{i,A} of it.
class BroadcastRecurrence {
 public:
  using Combine = std::function<Time(Time, std::int64_t, Time, Time)>;
  BroadcastRecurrence(std::span<const Time> send_cost, Combine combine)
      : cost_(send_cost.begin(), send_cost.end()),
        combine_(std::move(combine)),
        known_(cost_.size() << cost_.size(), kForever) {}

  /// @param set one bit for each rank; without i
  Time operator()(Rank i, std::uint32_t set) {
    if (set == 0) return Time{0};
    Time& best = known_[(std::size_t{i} << cost_.size()) + set];
    if (best != kForever) return best;
    Time found = kForever;
    for (Rank j = 0; j < cost_.size(); ++j) {
      if ((set >> j & 1) == 0) continue;
      const std::uint32_t rest = set & ~(1u << j);
      for (std::uint32_t b = rest;; b = (b - 1) & rest) {  // every subset B; C is what remains
        found = std::min(
            found, combine_(cost_[i], std::popcount(set), (*this)(i, b), (*this)(j, rest & ~b)));
        if (b == 0) break;
      }
    }
    return best = found;
  }

 private:
  std::vector<Time> cost_;
  Combine combine_;
  std::vector<Time> known_;
};

inline std::uint32_t as_set(std::span<const Rank> ranks) {
  std::uint32_t set = 0;
  for (const Rank r : ranks) set |= 1u << r;
  return set;
}

/// The paper's L_{i,A}: when the last is served, at best.
inline Time least_last_arrival(std::span<const Time> send_cost, const tree::Participants& who) {
  BroadcastRecurrence latency(send_cost, [](Time cost, std::int64_t, Time mine, Time its) {
    return cost + std::max(mine, its);
  });
  return latency(who.root, as_set(who.others));
}

/// The same for the sum of all arrival times: all of A wait for the first message.
inline Time least_sum_of_arrivals(std::span<const Time> send_cost, const tree::Participants& who) {
  BroadcastRecurrence sum(send_cost, [](Time cost, std::int64_t waiting, Time mine, Time its) {
    return waiting * cost + mine + its;
  });
  return sum(who.root, as_set(who.others));
}

/// Costs in the ways that matter: few classes with many ties, or all different; now and then 0.
inline std::vector<Time> random_costs(Random& rng, Rank count, bool zeros = false) {
  const std::int64_t kinds = rng.between(1, 3);
  std::vector<Time> costs(count);
  for (Time& cost : costs) {
    cost = kinds == 1   ? microseconds(100 * rng.between(1, 8))
           : kinds == 2 ? Time{rng.between(1, 3)}
                        : Time{rng.between(1'000, 20'000)};
    if (zeros && rng.chance(5)) cost = Time{0};
  }
  return costs;
}

}  // namespace espalier
