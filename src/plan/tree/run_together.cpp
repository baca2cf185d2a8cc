#include "tree/run_together.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "base/contract.hpp"

namespace espalier::tree {
namespace {

/// Handled in the order of time, then of multicasts. A multicast's events spring from its own only,
/// so those of one moment are handled multicast by multicast.
struct Event {
  Time when;
  std::uint32_t multicast;
  bool has_it;       ///< the rank has the message; else it is only beginning to arrive
  Rank rank;         ///< the receiver
  std::size_t send;  ///< index into SharedRun::sends of the message that arrives
  friend auto operator<=>(const Event&, const Event&) = default;
};

class SharedMachine {
 public:
  SharedMachine(std::span<const CommTree> trees, const model::CostModel& model, Bytes size)
      : trees_(trees),
        model_(model),
        size_(size),
        free_to_send_(model.size()),
        free_to_receive_(model.size()) {
    run_.finish.resize(trees.size());
    for (std::uint32_t m = 0; m < trees.size(); ++m) {
      expects(trees[m].size() == model.size(), "run_together: tree and model differ in size");
      events_.push({Time{0}, m, true, trees[m].root(), 0});
    }
  }

  SharedRun run() {
    while (!events_.empty()) {
      const Event now = events_.top();
      events_.pop();
      now.has_it ? send_to_children(now) : receive(now);
    }
    std::stable_sort(run_.sends.begin(), run_.sends.end(), by_start);
    return std::move(run_);
  }

 private:
  void send_to_children(const Event& now) {
    const CommTree& tree = trees_[now.multicast];
    Time& free = free_to_send_[now.rank];
    run_.finish[now.multicast] = std::max(run_.finish[now.multicast], now.when);
    for (Rank c = tree.first_child(now.rank); c != kNoRank; c = tree.next_sibling(c)) {
      const model::MessageCost cost = model_.cost(now.rank, c, size_);
      const Time start = std::max(free, now.when);
      free = start + cost.sender_busy;
      const Time delivered = start + cost.delivered;  // if the receiver is not receiving then
      events_.push({delivered - cost.receiver_busy, now.multicast, false, c, run_.sends.size()});
      run_.sends.push_back({now.multicast, now.rank, c, start, free, delivered});
    }
  }

  void receive(const Event& arrival) {
    SharedSend& send = run_.sends[arrival.send];
    Time& free = free_to_receive_[arrival.rank];
    const Time busy = send.delivered - arrival.when;
    free = send.delivered = std::max(free + busy, send.delivered);
    events_.push({send.delivered, arrival.multicast, true, arrival.rank, arrival.send});
  }

  std::span<const CommTree> trees_;
  const model::CostModel& model_;
  Bytes size_;
  std::vector<Time> free_to_send_;
  std::vector<Time> free_to_receive_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  SharedRun run_;
};

}  // namespace

bool by_start(const SharedSend& a, const SharedSend& b) {
  const bool a_lasts = a.delivered > a.start;
  const bool b_lasts = b.delivered > b.start;
  if (std::tie(a.start, a.multicast, a_lasts) != std::tie(b.start, b.multicast, b_lasts)) {
    return std::tie(a.start, a.multicast, a_lasts) < std::tie(b.start, b.multicast, b_lasts);
  }
  return a_lasts && std::tie(a.from, a.to) < std::tie(b.from, b.to);
}

Time last_finish(const SharedRun& run) {
  return run.finish.empty() ? Time{0} : *std::max_element(run.finish.begin(), run.finish.end());
}

// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
// networks of workstations", ICPP 1998, section 4, "multiple multicast": one tree for each. How the
// sends of several trees share a node is ours.
SharedRun run_together(std::span<const CommTree> trees, const model::CostModel& model, Bytes size) {
  return SharedMachine(trees, model, size).run();
}

}  // namespace espalier::tree
