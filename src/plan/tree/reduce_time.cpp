#include "tree/reduce_time.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "tree/mirrored.hpp"

namespace espalier::tree {

std::vector<Time> reduce_times(const CommTree& tree, const model::CostModel& model, Bytes size,
                               std::span<const Time> combine_cost) {
  expects(tree.size() == model.size(), "reduce_times: tree and model differ in size");
  expects(combine_cost.empty() || combine_cost.size() == tree.size(),
          "reduce_times: not one cost of combining for each rank");
  const CommTree order = mirrored(tree);
  const std::vector<Rank> parents_first = order.preorder();
  std::vector<Time> done(tree.size(), kForever);
  for (auto it = parents_first.rbegin(); it != parents_first.rend(); ++it) {
    const Rank parent = *it;
    Time now{0};
    for (Rank c = order.first_child(parent); c != kNoRank; c = order.next_sibling(c)) {
      const model::MessageCost cost = model.cost(c, parent, size);
      now = std::max(now + cost.receiver_busy, done[c] + cost.delivered);
      if (!combine_cost.empty()) now += combine_cost[parent];
    }
    done[parent] = now;
  }
  return done;
}

Time reduce_time(const CommTree& tree, const model::CostModel& model, Bytes size,
                 std::span<const Time> combine_cost) {
  return reduce_times(tree, model, size, combine_cost)[tree.root()];
}

}  // namespace espalier::tree
