#include <algorithm>
#include <tuple>
#include <vector>

#include "base/contract.hpp"
#include "tree/earliest_completing_edge_first.hpp"

namespace espalier::tree {
namespace {

/// Branch and bound over the orders in which messages begin. A rank whose turn has passed sends no
/// more, so each tree is looked at once: with its messages by their beginnings.
class EdgeSearch {
 public:
  EdgeSearch(const model::CostModel& model, Bytes size, const Participants& who,
             std::uint64_t steps)
      : ranks_{who.root}, steps_(steps) {
    ranks_.insert(ranks_.end(), who.others.begin(), who.others.end());
    std::sort(ranks_.begin() + 1, ranks_.end());
    const std::size_t n = ranks_.size();
    costs_.resize(n * n);
    soonest_.assign(n, kForever);
    for (std::size_t from = 0; from < n; ++from) {
      for (std::size_t to = 1; to < n; ++to) {
        if (from == to) continue;
        costs_[from * n + to] = model.cost(ranks_[from], ranks_[to], size);
        soonest_[to] = std::min(soonest_[to], costs_[from * n + to].delivered);
      }
    }
    free_.assign(n, kForever);
    free_[0] = Time{};
  }

  /// Looks for something better than `known`.
  CommTree run(CommTree known) {
    best_time_ = time_of(known);
    best_ = std::move(known);
    std::vector<Edge> edges;
    look_on(edges, Time{}, Time{});
    return best_;
  }

 private:
  struct Edge {
    std::size_t from, to;
  };
  struct Move {
    Time key;
    Edge edge;
  };

  [[nodiscard]] const model::MessageCost& cost(std::size_t from, std::size_t to) const {
    return costs_[from * ranks_.size() + to];
  }

  [[nodiscard]] Time time_of(const CommTree& tree) const {
    std::vector<Time> has(ranks_.size());
    Time last;
    for (const Rank rank : tree.preorder()) {
      const std::size_t from = index_of(rank);
      Time begins = has[from];
      for (const Rank child : tree.children(rank)) {
        const std::size_t to = index_of(child);
        has[to] = begins + cost(from, to).delivered;
        last = std::max(last, has[to]);
        begins += cost(from, to).sender_busy;
      }
    }
    return last;
  }
  [[nodiscard]] std::size_t index_of(Rank rank) const {
    return static_cast<std::size_t>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
  }

  /// @param begun when the last message began; @param last when the last one so far arrives
  void look_on(std::vector<Edge>& edges, Time begun, Time last) {
    if (edges.size() + 1 == ranks_.size()) {
      if (last >= best_time_) return;
      best_time_ = last;
      best_ = CommTree(best_.size(), ranks_[0]);
      for (const Edge& edge : edges) best_.append_child(ranks_[edge.from], ranks_[edge.to]);
      return;
    }
    if (steps_ == 0) return;
    --steps_;
    std::vector<Move> moves;
    Time earliest = kForever;
    for (std::size_t from = 0; from < ranks_.size(); ++from) {
      if (free_[from] == kForever || free_[from] < begun) continue;
      earliest = std::min(earliest, free_[from]);
      for (std::size_t to = 1; to < ranks_.size(); ++to) {
        if (free_[to] == kForever) moves.push_back({look_ahead(from, to), {from, to}});
      }
    }
    for (std::size_t to = 1; to < ranks_.size(); ++to) {
      if (free_[to] == kForever && earliest + soonest_[to] >= best_time_) return;
    }
    std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      return std::tuple(a.key, a.edge.to, a.edge.from) < std::tuple(b.key, b.edge.to, b.edge.from);
    });
    for (const auto& [key, edge] : moves) {
      const Time begins = free_[edge.from];
      const Time arrives = begins + cost(edge.from, edge.to).delivered;
      if (arrives >= best_time_) continue;
      free_[edge.from] = begins + cost(edge.from, edge.to).sender_busy;
      free_[edge.to] = arrives;
      edges.push_back(edge);
      look_on(edges, begins, std::max(last, arrives));
      edges.pop_back();
      free_[edge.to] = kForever;
      free_[edge.from] = begins;
    }
  }

  /// When the message arrives, and what its receiver needs to pass it on.
  [[nodiscard]] Time look_ahead(std::size_t from, std::size_t to) const {
    Time on = kForever;
    for (std::size_t k = 1; k < ranks_.size(); ++k) {
      if (k != to && free_[k] == kForever) on = std::min(on, cost(to, k).delivered);
    }
    return free_[from] + cost(from, to).delivered + (on == kForever ? Time{} : on);
  }

  std::vector<Rank> ranks_;  // the root first
  std::vector<model::MessageCost> costs_;
  std::vector<Time> soonest_;  // [index] least time of a message to it
  std::vector<Time> free_;     // [index] when it may begin to send; kForever: it has nothing yet
  std::uint64_t steps_;
  CommTree best_{1, 0};
  Time best_time_ = kForever;
};

}  // namespace

CommTree searched_tree(const model::CostModel& model, Bytes size, const Participants& who,
                       std::uint64_t steps) {
  expects(model.size() == who.machine_size, "searched_tree: model and machine differ in size");
  CommTree known = earliest_completing_edge_first_look_ahead(model, size, who);
  if (who.count() < 3) return known;
  return EdgeSearch(model, size, who, steps).run(std::move(known));
}

}  // namespace espalier::tree
