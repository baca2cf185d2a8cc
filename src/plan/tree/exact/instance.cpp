#include "tree/exact/instance.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"

namespace espalier::tree::exact {

Instance instance_of(Time root_cost, std::span<const Time> others, Time deadline) {
  expects(root_cost > Time{0} && !others.empty() && others.front() > Time{0},
          "exact::instance_of: costs must be positive");
  const auto never_sends = [&](Time cost) { return cost > deadline - root_cost; };
  std::int64_t tick = std::gcd(root_cost.picoseconds, deadline.picoseconds);
  for (const Time cost : others) {
    if (!never_sends(cost)) tick = std::gcd(tick, cost.picoseconds);
  }
  Instance made{Time{tick}, root_cost.picoseconds / tick, {}, static_cast<Rank>(others.size())};
  const Ticks never = (deadline - root_cost).picoseconds / tick + 1;
  for (const Time cost : others) {
    const Ticks ticks = never_sends(cost) ? never : cost.picoseconds / tick;
    if (made.classes.empty() || made.classes.back().cost != ticks) {
      made.classes.push_back({ticks, 0});
    }
    ++made.classes.back().count;
  }
  return made;
}

Instance coarsened(const Instance& instance, std::size_t max_classes) {
  expects(max_classes > 0, "exact::coarsened: no classes to put them in");
  const std::size_t found = instance.classes.size();
  if (found <= max_classes) return instance;
  Instance made{instance.tick, instance.root_cost, {}, instance.others};
  std::size_t last_group = max_classes;
  for (std::size_t c = 0; c < found; ++c) {
    const std::size_t group = c * max_classes / found;
    if (group != last_group) made.classes.push_back({instance.classes[c].cost, 0});
    made.classes.back().count += instance.classes[c].count;
    last_group = group;
  }
  return made;
}

}  // namespace espalier::tree::exact
