#include <algorithm>
#include <tuple>
#include <vector>

#include "tree/irregular_trees.hpp"

namespace espalier::tree {

// J. R. Jackson: "Scheduling a production line to minimize maximum tardiness", Research Report 43,
// Management Science Research Project, UCLA, 1955: one machine (the root), jobs with tails.
CommTree farthest_first(const IrregularRequest& request) {
  expects_valid(request);
  using Key = std::tuple<Time, Time, Rank>;  // negative times: the longest first
  std::vector<Key> order;
  const Rank root = request.who.root;
  for (const Rank r : request.who.others) {
    const model::MessageCost cost = request.model.cost(root, r, request.bytes[r]);
    order.emplace_back(cost.sender_busy - cost.delivered, Time{0} - cost.delivered, r);
  }
  std::sort(order.begin(), order.end());
  CommTree tree(request.who.machine_size, root);
  for (const Key& key : order) tree.append_child(root, std::get<Rank>(key));
  return tree;
}

}  // namespace espalier::tree
