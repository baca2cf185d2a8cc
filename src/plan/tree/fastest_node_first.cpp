#include "tree/fastest_node_first.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "tree/list_schedule.hpp"

namespace espalier::tree {

std::vector<Rank> others_fastest_first(std::span<const Time> send_cost, const Participants& who) {
  std::vector<std::pair<Time, Rank>> others;  // costs beside ranks: sorts in the cache
  others.reserve(who.others.size());
  for (const Rank r : who.others) others.emplace_back(send_cost[r], r);
  std::sort(others.begin(), others.end());
  std::vector<Rank> order;
  order.reserve(others.size());
  for (const auto& [cost, rank] : others) order.push_back(rank);
  return order;
}

// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
// networks of workstations", ICPP 1998, Figure 3, where it is called FNF. Ours fixes the order of
// ties. Fast ranks are served first because, once served, they forward most often.
CommTree fastest_node_first(std::span<const Time> send_cost, const Participants& who) {
  expects(send_cost.size() == who.machine_size, "fastest_node_first: not one cost for each rank");
  return list_schedule(send_cost, who, others_fastest_first(send_cost, who));
}

}  // namespace espalier::tree
