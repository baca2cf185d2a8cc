#include "tree/gather_time.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "tree/mirrored.hpp"

namespace espalier::tree {

std::vector<Bytes> subtree_bytes(const CommTree& tree, std::span<const Bytes> bytes) {
  expects(bytes.size() == tree.size(), "subtree_bytes: not one size for each rank");
  std::vector<Bytes> below(tree.size());
  const std::vector<Rank> parents_first = tree.preorder();
  for (auto it = parents_first.rbegin(); it != parents_first.rend(); ++it) {
    below[*it].value += bytes[*it].value;
    if (*it != tree.root()) below[tree.parent(*it)].value += below[*it].value;
  }
  return below;
}

std::vector<Time> gather_times(const CommTree& tree, const model::CostModel& model,
                               std::span<const Bytes> bytes) {
  expects(tree.size() == model.size(), "gather_times: tree and model differ in size");
  const std::vector<Bytes> below = subtree_bytes(tree, bytes);
  const CommTree order = mirrored(tree);
  const std::vector<Rank> parents_first = order.preorder();
  std::vector<Time> done(tree.size(), kForever);
  for (auto it = parents_first.rbegin(); it != parents_first.rend(); ++it) {
    Time now{0};
    for (Rank c = order.first_child(*it); c != kNoRank; c = order.next_sibling(c)) {
      const model::MessageCost cost = model.cost(c, *it, below[c]);
      now = std::max(now + cost.receiver_busy, done[c] + cost.delivered);
    }
    done[*it] = now;
  }
  return done;
}

Time gather_time(const CommTree& tree, const model::CostModel& model,
                 std::span<const Bytes> bytes) {
  return gather_times(tree, model, bytes)[tree.root()];
}

std::vector<Time> scatter_times(const CommTree& tree, const model::CostModel& model,
                                std::span<const Bytes> bytes) {
  expects(tree.size() == model.size(), "scatter_times: tree and model differ in size");
  const std::vector<Bytes> below = subtree_bytes(tree, bytes);
  std::vector<Time> has_it(tree.size(), kForever);
  has_it[tree.root()] = Time{0};
  for (const Rank sender : tree.preorder()) {
    Time turns_to_it = has_it[sender];
    for (Rank c = tree.first_child(sender); c != kNoRank; c = tree.next_sibling(c)) {
      const model::MessageCost cost = model.cost(sender, c, below[c]);
      has_it[c] = turns_to_it + cost.delivered;
      turns_to_it += cost.sender_busy;
    }
  }
  return has_it;
}

Time scatter_time(const CommTree& tree, const model::CostModel& model,
                  std::span<const Bytes> bytes) {
  Time last{0};
  const std::vector<Time> times = scatter_times(tree, model, bytes);
  for (Rank r = 0; r < tree.size(); ++r) {
    if (tree.contains(r)) last = std::max(last, times[r]);
  }
  return last;
}

}  // namespace espalier::tree
