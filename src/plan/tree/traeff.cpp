#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "tree/irregular_trees.hpp"

namespace espalier::tree {
namespace {

using Weight = unsigned __int128;  // sums of times or lengths do not overflow

/// One rank of a set, and what it weighs.
struct Item {
  std::int64_t weight;
  Rank rank;
  /// The heavy ones first, ties by rank.
  friend bool operator<(const Item& a, const Item& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.rank < b.rank;
  }
};

/// A set of ranks that hangs below one parent.
struct Task {
  Rank parent;
  std::vector<Item> items;
};

/// Cuts what is sorted into ceil(log2(n + 1)) runs: each takes its share of what is left, and at
/// least one.
std::vector<std::vector<Item>> balanced_subsets(const std::vector<Item>& sorted) {
  std::size_t left = std::bit_width(sorted.size());
  Weight rest = 0;
  for (const Item& item : sorted) rest += static_cast<Weight>(item.weight);
  std::vector<std::vector<Item>> subsets;
  std::size_t at = 0;
  for (; left > 0; --left) {
    std::vector<Item> subset;
    Weight sum = 0;
    const Weight before = rest;
    while (at < sorted.size() && sorted.size() - at >= left &&
           (subset.empty() || left == 1 || sum * left < before)) {
      sum += static_cast<Weight>(sorted[at].weight);
      subset.push_back(sorted[at++]);
    }
    rest -= sum;
    subsets.push_back(std::move(subset));
  }
  // Those with the most to do first.
  std::stable_sort(subsets.begin(), subsets.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return subsets;
}

/// @param weigh sets the weights of a task's items, as seen from its parent
/// @param head which of a subset its parent sends to
template <typename Weigh, typename Head>
CommTree grow_subset(const IrregularRequest& request, Weigh weigh, Head head) {
  expects_valid(request);
  CommTree tree(request.who.machine_size, request.who.root);
  std::vector<Task> tasks(1, {request.who.root, {}});
  for (const Rank r : request.who.others) tasks[0].items.push_back({0, r});
  while (!tasks.empty()) {
    Task task = std::move(tasks.back());
    tasks.pop_back();
    if (task.items.empty()) continue;
    weigh(task);
    std::sort(task.items.begin(), task.items.end());
    for (std::vector<Item>& subset : balanced_subsets(task.items)) {
      const std::size_t chosen = head(task.parent, subset);
      const Rank child = subset[chosen].rank;
      subset.erase(subset.begin() + static_cast<std::ptrdiff_t>(chosen));
      tree.append_child(task.parent, child);
      tasks.push_back({child, std::move(subset)});
    }
  }
  return tree;
}

}  // namespace

// J. L. Traeff: "Hierarchical gather/scatter algorithms with graceful degradation", IPDPS 2004, as
// dichev2010 describes it.
CommTree traeff(const IrregularRequest& request) {
  return grow_subset(
      request,
      [&](Task& task) {
        for (Item& item : task.items) {
          item.weight = static_cast<std::int64_t>(request.bytes[item.rank].value);
        }
      },
      [](Rank, const std::vector<Item>&) { return std::size_t{0}; });
}

// K. Dichev, V. Rychkov, A. Lastovetsky: "Two algorithms of irregular scatter/gather operations for
// heterogeneous platforms", EuroMPI 2010, "model-based Traeff algorithm". Of equally fast ranks
// ours takes the one with the longest block, who has the least to pass on.
CommTree model_traeff(const IrregularRequest& request) {
  return grow_subset(
      request,
      [&](Task& task) {
        for (Item& item : task.items) {
          item.weight = request.time(task.parent, item.rank, request.bytes[item.rank]).picoseconds;
        }
      },
      [&](Rank parent, const std::vector<Item>& subset) {
        Bytes all;
        for (const Item& item : subset) all.value += request.bytes[item.rank].value;
        const auto key = [&](std::size_t i) {
          const Rank r = subset[i].rank;
          return std::make_tuple(request.time(parent, r, all), ~request.bytes[r].value, r);
        };
        std::size_t best = 0;
        auto least = key(0);
        for (std::size_t i = 1; i < subset.size(); ++i) {
          if (const auto here = key(i); here < least) {
            best = i;
            least = here;
          }
        }
        return best;
      });
}

}  // namespace espalier::tree
