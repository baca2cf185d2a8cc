#include "tree/fastest_node_first.hpp"

#include <algorithm>
#include <queue>

#include "base/contract.hpp"

namespace espalier::tree {
namespace {

struct Sender {
  Time free_at;  ///< when the next send of this rank would be over
  Rank rank;
  friend auto operator<=>(const Sender&, const Sender&) = default;
};

}  // namespace

std::vector<Rank> others_fastest_first(std::span<const Time> send_cost, const Participants& who) {
  std::vector<Rank> order = who.others;
  std::sort(order.begin(), order.end(), [&](Rank a, Rank b) {
    return std::pair(send_cost[a], a) < std::pair(send_cost[b], b);
  });
  return order;
}

// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
// networks of workstations", ICPP 1998, Figure 3, where it is called FNF. Ours fixes the order of
// ties.
CommTree fastest_node_first(std::span<const Time> send_cost, const Participants& who) {
  expects(send_cost.size() == who.machine_size, "fastest_node_first: not one cost for each rank");
  CommTree tree(who.machine_size, who.root);
  std::priority_queue<Sender, std::vector<Sender>, std::greater<>> senders;
  senders.push({send_cost[who.root], who.root});

  // Fast ranks are served first because, once served, they forward most often.
  for (const Rank next : others_fastest_first(send_cost, who)) {
    const auto [now, sender] = senders.top();
    senders.pop();
    tree.append_child(sender, next);
    senders.push({now + send_cost[sender], sender});
    senders.push({now + send_cost[next], next});
  }
  return tree;
}

}  // namespace espalier::tree
