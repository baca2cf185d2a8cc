#include "tree/earliest_completing_edge_first.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/contract.hpp"

namespace espalier::tree {
namespace {

/// A message that some rank with the data could send to one waiting receiver.
struct Offer {
  Time delivered;
  Rank sender;
  Rank sends_before;  ///< `delivered` is right if the sender has done so many sends
  friend auto operator<=>(const Offer&, const Offer&) = default;
};

/// A rank without the data yet.
struct Receiver {
  Rank rank;
  std::vector<Offer> offers;  ///< heap, the earliest offer on top
  std::vector<Rank> nearest;  ///< other receivers, the nearest one last
};

/// Restores the heap after its top has grown. Often that is still the least or nearly so, and then
/// this is over at once, where pop_heap and push_heap would walk its whole height.
void sink_top(std::vector<Offer>& heap) {
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
    if (heap[at] <= heap[child]) return;
    std::swap(heap[at], heap[child]);
    at = child;
  }
}

/// Sets A (who has the data) and B (who waits) of the paper.
///
/// A sender's next message is only ever put off, so an offer on the heap is never too late: only
/// the top one has to be brought up to date. A send puts off one offer to each receiver and makes
/// one new offer to each, which bounds the work by P^2 heap operations.
class Growth {
 public:
  Growth(const model::CostModel& model, Bytes size, const Participants& who, bool look_ahead)
      : model_(model),
        size_(size),
        tree_(who.machine_size, who.root),
        free_at_(who.machine_size),
        sends_(who.machine_size, 0),
        waiting_(who.machine_size, false) {
    for (const Rank r : who.others) waiting_[r] = true;
    for (const Rank r : who.others) receivers_.push_back({r, {}, {}});
    std::sort(receivers_.begin(), receivers_.end(),
              [](const Receiver& a, const Receiver& b) { return a.rank < b.rank; });
    if (look_ahead) sort_neighbours(who);
    offer_from(who.root);
  }

  CommTree run() {
    while (!receivers_.empty()) serve(pick());
    return std::move(tree_);
  }

 private:
  [[nodiscard]] Time delivery(Rank from, Rank to) const {
    return model_.cost(from, to, size_).delivered;
  }

  void sort_neighbours(const Participants& who) {
    std::vector<std::pair<Time, Rank>> order;
    for (Receiver& receiver : receivers_) {
      order.clear();
      for (const Rank k : who.others) {
        if (k != receiver.rank) order.emplace_back(delivery(receiver.rank, k), k);
      }
      std::sort(order.begin(), order.end(), std::greater<>());
      receiver.nearest.reserve(order.size());
      for (const auto& [time, k] : order) receiver.nearest.push_back(k);
    }
  }

  void offer_from(Rank sender) {
    for (Receiver& to : receivers_) {
      to.offers.push_back(offer(sender, to.rank));
      std::push_heap(to.offers.begin(), to.offers.end(), std::greater<>());
    }
  }
  [[nodiscard]] Offer offer(Rank sender, Rank to) const {
    return {free_at_[sender] + delivery(sender, to), sender, sends_[sender]};
  }

  const Offer& earliest(Receiver& to) const {
    while (to.offers.front().sends_before != sends_[to.offers.front().sender]) {
      to.offers.front() = offer(to.offers.front().sender, to.rank);
      sink_top(to.offers);
    }
    return to.offers.front();
  }

  /// L(j) of the paper, 0 without look-ahead and for the last receiver.
  [[nodiscard]] Time look_ahead(Receiver& receiver) const {
    while (!receiver.nearest.empty() && !waiting_[receiver.nearest.back()]) {
      receiver.nearest.pop_back();
    }
    return receiver.nearest.empty() ? Time{0} : delivery(receiver.rank, receiver.nearest.back());
  }

  std::size_t pick() {
    std::size_t best = 0;
    Time best_score = kForever;
    for (std::size_t i = 0; i < receivers_.size(); ++i) {
      const Time score = earliest(receivers_[i]).delivered + look_ahead(receivers_[i]);
      if (score < best_score) {
        best = i;
        best_score = score;
      }
    }
    return best;
  }

  void serve(std::size_t index) {
    const Offer chosen = earliest(receivers_[index]);
    const Rank to = receivers_[index].rank;
    receivers_.erase(receivers_.begin() + static_cast<std::ptrdiff_t>(index));
    waiting_[to] = false;
    tree_.append_child(chosen.sender, to);
    free_at_[chosen.sender] += model_.cost(chosen.sender, to, size_).sender_busy;
    ++sends_[chosen.sender];
    free_at_[to] = chosen.delivered;
    offer_from(to);
  }

  const model::CostModel& model_;
  Bytes size_;
  CommTree tree_;
  std::vector<Time> free_at_;  ///< when each rank with the data may start its next send
  std::vector<Rank> sends_;
  std::vector<bool> waiting_;
  std::vector<Receiver> receivers_;  ///< sorted by rank
};

CommTree grow(const model::CostModel& model, Bytes size, const Participants& who, bool look_ahead) {
  expects(model.size() == who.machine_size,
          "earliest_completing_edge_first: model and machine differ in size");
  return Growth(model, size, who, look_ahead).run();
}

}  // namespace

// P. B. Bhat, C. S. Raghavendra, V. K. Prasanna: "Efficient collective communication in distributed
// heterogeneous systems", ICDCS 1999 and Journal of Parallel and Distributed Computing 63(3), 2003,
// where it is called ECEF. There a sender is busy until its message is delivered; ours lets it go
// on after `sender_busy`, which is the same where the model says so.
CommTree earliest_completing_edge_first(const model::CostModel& model, Bytes size,
                                        const Participants& who) {
  return grow(model, size, who, false);
}

// The same paper, "ECEF with look-ahead", with its first look-ahead function: the least cost from
// the receiver to any node still waiting (the paper names averages as other choices).
CommTree earliest_completing_edge_first_look_ahead(const model::CostModel& model, Bytes size,
                                                   const Participants& who) {
  return grow(model, size, who, true);
}

}  // namespace espalier::tree
