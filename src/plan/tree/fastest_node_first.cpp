#include <algorithm>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "tree/initiation_trees.hpp"

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

// Our mirror of FNF: M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on
// heterogeneous networks of workstations", ICPP 1998, which has the broadcast only.
CommTree speed_aware_reduction_tree(std::span<const Time> recv_cost,
                                    std::span<const Time> combine_cost, const Participants& who) {
  expects(combine_cost.empty() || combine_cost.size() == recv_cost.size(),
          "speed_aware_reduction_tree: not one cost of combining for each rank");
  std::vector<Time> costs(recv_cost.begin(), recv_cost.end());
  for (std::size_t r = 0; r < combine_cost.size(); ++r) costs[r] += combine_cost[r];
  return fastest_node_first(costs, who);
}

}  // namespace espalier::tree
