#include <algorithm>
#include <functional>
#include <vector>

#include "base/contract.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

struct Sender {
  Time free_at;  ///< when the next send of this rank would be over
  Rank rank;
  friend auto operator<=>(const Sender&, const Sender&) = default;
};

}  // namespace

CommTree list_schedule(std::span<const Time> send_cost, const Participants& who,
                       std::span<const Rank> order) {
  expects(send_cost.size() == who.machine_size, "list_schedule: not one cost for each rank");
  expects(order.size() == who.others.size(), "list_schedule: not everybody is in the order once");
  CommTree tree(who.machine_size, who.root);
  std::vector<Sender> senders;  // a heap, the first to be free on top
  senders.reserve(order.size() + 1);
  senders.push_back({send_cost[who.root], who.root});
  for (const Rank next : order) {
    std::pop_heap(senders.begin(), senders.end(), std::greater<>{});
    Sender& sender = senders.back();
    const Time now = sender.free_at;
    tree.append_child(sender.rank, next);
    sender.free_at = now + send_cost[sender.rank];
    std::push_heap(senders.begin(), senders.end(), std::greater<>{});
    senders.push_back({now + send_cost[next], next});
    std::push_heap(senders.begin(), senders.end(), std::greater<>{});
  }
  return tree;
}

}  // namespace espalier::tree
