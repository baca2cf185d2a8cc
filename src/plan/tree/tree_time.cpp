#include "tree/tree_time.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "tree/comm_tree.hpp"

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
