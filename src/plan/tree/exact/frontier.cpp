#include "tree/exact/frontier.hpp"

#include <algorithm>

namespace espalier::tree::exact {

std::int64_t Frontier::surplus(const Potential& potential) const {
  const std::int64_t* gains = potential.best_gains(sends.front().left);
  std::int64_t sum = worth;
  for (std::size_t c = 0; c < waiting.size(); ++c) sum += std::int64_t{waiting[c]} * gains[c];
  return sum;
}

Ticks Frontier::finish(Ticks deadline) const {
  if (to_serve > 0) return deadline - sends[to_serve - 1].left;
  return served.empty() ? 0 : deadline - served.back().left;
}

Frontier start(const Instance& instance, const Potential& potential, Ticks deadline) {
  Frontier first;
  first.to_serve = instance.others;
  for (const SpeedClass& c : instance.classes) first.waiting.push_back(c.count);
  Ticks left = deadline - instance.root_cost;
  for (Rank q = 0; q < instance.others && left >= 0; ++q, left -= instance.root_cost) {
    first.sends.push_back({left, kByRoot});
    first.worth += potential.worth()(left);
  }
  return first;
}

void serve(const Instance& instance, const Potential& potential, const Frontier& from,
           std::uint32_t speed_class, Frontier& to) {
  const Worth& worth = potential.worth();
  const Ticks cost = instance.classes[speed_class].cost;
  const Ticks now = from.sends.front().left;
  to.served = from.served;
  to.served.push_back({now, speed_class});
  to.waiting = from.waiting;
  --to.waiting[speed_class];
  to.to_serve = from.to_serve - 1;
  to.worth = from.worth - worth(now);
  to.sends.clear();

  // Merge the rest of the sends with those of the newly served; the latest ones fall off the end
  // once there are enough for everybody.
  auto old = from.sends.begin() + 1;
  Ticks fresh = now - cost;
  while (to.sends.size() < to.to_serve) {
    if (old != from.sends.end() && old->left >= fresh) {
      to.sends.push_back(*old++);
    } else if (fresh >= 0) {
      to.sends.push_back({fresh, speed_class});
      to.worth += worth(fresh);
      fresh -= cost;
    } else {
      break;
    }
  }
  for (; old != from.sends.end(); ++old) to.worth -= worth(old->left);
}

}  // namespace espalier::tree::exact
