#include "tree/reduction_tree.hpp"

#include <vector>

#include "base/contract.hpp"
#include "tree/fastest_node_first.hpp"

namespace espalier::tree {

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
