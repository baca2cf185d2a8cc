#include "group/balance_plan.hpp"

#include <algorithm>
#include <numeric>

#include "group/group_view.hpp"

namespace espalier::group {
namespace {

/// Takes `count` away from the largest, so that the largest become equal first.
void take_from_largest(std::vector<Rank>& sizes, Rank count) {
  while (count > 0) {
    const auto largest = std::max_element(sizes.begin(), sizes.end());
    Rank second = 0;
    for (auto it = sizes.begin(); it != sizes.end(); ++it) {
      if (it != largest) second = std::max(second, *it);
    }
    const Rank even = std::max<Rank>(1, count / static_cast<Rank>(sizes.size()));
    const Rank step = std::min({count, *largest, *largest > second ? *largest - second : even});
    *largest -= step;
    count -= step;
  }
}

/// Adds up to `count` to the smallest, none above `limit`. @return what is left
Rank give_to_smallest(std::vector<Rank>& sizes, Rank count, Rank limit) {
  while (count > 0 && !sizes.empty()) {
    const auto smallest = std::min_element(sizes.begin(), sizes.end());
    if (*smallest >= limit) break;
    Rank next = limit;
    for (auto it = sizes.begin(); it != sizes.end(); ++it) {
      if (it != smallest) next = std::min(next, *it);
    }
    const Rank even = std::max<Rank>(1, count / static_cast<Rank>(sizes.size()));
    const Rank step =
        std::min({count, limit - *smallest, next > *smallest ? next - *smallest : even});
    *smallest += step;
    count -= step;
  }
  return count;
}

}  // namespace

BalancePlan plan_balance(std::span<const Rank> sizes, const BalanceTask& task,
                         const std::vector<bool>& dissolved) {
  const Rank limit = capacity(task.levels - 1, task.degree);
  const auto stays = [&](std::size_t c) { return dissolved.empty() || !dissolved[c]; };
  std::vector<Rank> kept;
  Rank excess = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const Rank keeps = stays(c) ? std::min(sizes[c], limit) : 0;
    if (stays(c)) kept.push_back(keeps);
    excess += sizes[c] - keeps;
  }
  if (task.exports > excess) take_from_largest(kept, task.exports - excess);

  BalancePlan plan;
  Rank room_for = excess - std::min(excess, task.exports) + task.imports;
  const Rank missing = task.degree - static_cast<Rank>(kept.size());
  plan.slots.assign(limit > 0 ? std::min(missing, room_for) : 0, 1);
  room_for -= static_cast<Rank>(plan.slots.size());
  std::vector<Rank> grown = kept;
  room_for = give_to_smallest(grown, room_for, limit);
  give_to_smallest(plan.slots, room_for, limit);
  std::size_t next = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const bool is_kept = stays(c);
    plan.children.push_back(
        is_kept ? BalancePlan::SubtreeChange{sizes[c] - kept[next], grown[next] - kept[next]}
                : BalancePlan::SubtreeChange{sizes[c], 0});
    next += is_kept ? 1 : 0;
  }
  return plan;
}

}  // namespace espalier::group
