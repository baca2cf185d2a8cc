#include <algorithm>
#include <tuple>
#include <vector>

#include "base/contract.hpp"
#include "tree/earliest_completing_edge_first.hpp"
#include "tree/local_search.hpp"

namespace espalier::tree {
namespace {

/// Branch and bound over the orders in which messages begin. A rank whose turn has passed sends no
/// more, so each tree is looked at once: with its messages by their beginnings.
///
/// The likeliest message by ECEF with look-ahead comes first everywhere. Trees that depart from it
/// once are looked at first, then those that depart twice, and so on: limited discrepancy search,
/// W. Harvey, M. Ginsberg, IJCAI 1995. So a budget that ends early has seen a little of everything.
class EdgeSearch {
 public:
  EdgeSearch(const model::CostModel& model, Bytes size, const Participants& who,
             std::uint64_t steps)
      : ranks_{who.root}, steps_(steps) {
    ranks_.insert(ranks_.end(), who.others.begin(), who.others.end());
    std::sort(ranks_.begin() + 1, ranks_.end());
    const std::size_t n = ranks_.size();
    costs_.resize(n * n);
    for (std::size_t from = 0; from < n; ++from) {
      for (std::size_t to = 1; to < n; ++to) {
        if (from == to) continue;
        costs_[from * n + to] = model.cost(ranks_[from], ranks_[to], size);
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
    for (std::size_t departures = 0; steps_ > 0; ++departures) {
      is_cut_short_ = false;
      look_on(edges, Time{}, Time{}, departures);
      if (!is_cut_short_) return best_;
    }
    // The search did not end. Small changes of what it found may still gain.
    return improved(best_, [this](const CommTree& tree) { return time_of(tree); }, {});
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
  /// @param departures how often the likeliest message may still be left
  void look_on(std::vector<Edge>& edges, Time begun, Time last, std::size_t departures) {
    if (edges.size() + 1 == ranks_.size()) {
      if (last >= best_time_) return;
      best_time_ = last;
      best_ = CommTree(best_.size(), ranks_[0]);
      for (const Edge& edge : edges) best_.append_child(ranks_[edge.from], ranks_[edge.to]);
      return;
    }
    if (steps_ == 0) return;
    --steps_;
    if (no_sooner_than(begun) >= best_time_) return;
    std::vector<Move> moves;
    for (std::size_t from = 0; from < ranks_.size(); ++from) {
      if (free_[from] == kForever || free_[from] < begun) continue;
      for (std::size_t to = 1; to < ranks_.size(); ++to) {
        if (free_[to] == kForever) moves.push_back({look_ahead(from, to), {from, to}});
      }
    }
    std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      return std::tuple(a.key, a.edge.to, a.edge.from) < std::tuple(b.key, b.edge.to, b.edge.from);
    });
    std::size_t departs = 0;
    for (const auto& [key, edge] : moves) {
      if (departs > departures) {
        is_cut_short_ = true;
        return;
      }
      const Time begins = free_[edge.from];
      const Time arrives = begins + cost(edge.from, edge.to).delivered;
      if (arrives >= best_time_) continue;
      free_[edge.from] = begins + cost(edge.from, edge.to).sender_busy;
      free_[edge.to] = arrives;
      edges.push_back(edge);
      look_on(edges, begins, std::max(last, arrives), departures - departs);
      edges.pop_back();
      free_[edge.to] = kForever;
      free_[edge.from] = begins;
      departs = 1;
    }
  }

  /// When those who wait could have the message if everybody sent to all at once: the last of them.
  [[nodiscard]] Time no_sooner_than(Time begun) const {
    std::vector<Time> has(ranks_.size(), kForever);
    std::vector<std::size_t> waiting;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      if (free_[k] == kForever) {
        waiting.push_back(k);
      } else if (free_[k] >= begun) {
        has[k] = free_[k];
      }
    }
    const auto hear = [&](std::size_t from) {
      if (has[from] == kForever) return;
      for (const std::size_t to : waiting)
        has[to] = std::min(has[to], has[from] + cost(from, to).delivered);
    };
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      if (free_[k] != kForever) hear(k);
    }
    Time last;
    while (!waiting.empty()) {
      const auto next =
          std::min_element(waiting.begin(), waiting.end(),
                           [&](std::size_t a, std::size_t b) { return has[a] < has[b]; });
      const std::size_t rank = *next;
      waiting.erase(next);
      last = has[rank];
      hear(rank);
    }
    return last;
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
  std::vector<Time> free_;  // [index] when it may begin to send; kForever: it has nothing yet
  std::uint64_t steps_;
  bool is_cut_short_ = false;  // some trees were not looked at for want of departures
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
