#include "tree/tree_time.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::tree {

std::vector<Time> broadcast_times(const CommTree& tree, const model::CostModel& model, Bytes size) {
  expects(tree.size() == model.size(), "broadcast_times: tree and model differ in size");
  std::vector<Time> has_it(tree.size(), kForever);
  has_it[tree.root()] = Time{0};
  for (const Rank sender : tree.preorder()) {
    Time turns_to_it = has_it[sender];
    for (Rank c = tree.first_child(sender); c != kNoRank; c = tree.next_sibling(c)) {
      const model::MessageCost cost = model.cost(sender, c, size);
      has_it[c] = turns_to_it + cost.delivered;
      turns_to_it += cost.sender_busy;
    }
  }
  return has_it;
}

Time broadcast_time(const CommTree& tree, const model::CostModel& model, Bytes size) {
  Time last{0};
  const std::vector<Time> times = broadcast_times(tree, model, size);
  for (Rank r = 0; r < tree.size(); ++r) {
    if (tree.contains(r)) last = std::max(last, times[r]);
  }
  return last;
}

Time initiation_time(const CommTree& tree, std::span<const Time> send_cost) {
  expects(send_cost.size() == tree.size(), "initiation_time: not one cost for each rank");
  std::vector<Time> has_it(tree.size(), Time{0});
  Time last{0};
  for (const Rank sender : tree.preorder()) {
    last = std::max(last, has_it[sender]);
    Time sent = has_it[sender];
    for (Rank c = tree.first_child(sender); c != kNoRank; c = tree.next_sibling(c)) {
      has_it[c] = sent += send_cost[sender];
    }
  }
  return last;
}

}  // namespace espalier::tree
