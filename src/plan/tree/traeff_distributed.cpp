#include <algorithm>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "tree/irregular_trees.hpp"

namespace espalier::tree {
namespace {

struct Run {
  Rank root;
  std::uint64_t bytes;
  std::uint64_t received;  ///< bytes that the root of the run has received from its other ranks
  /// Whether it is gathered earlier than the other.
  [[nodiscard]] bool ends_before(const Run& other) const {
    return std::pair(received, bytes) < std::pair(other.received, other.bytes);
  }
};

/// Joins neighbouring runs until one is left; tells who joined whom in which round.
template <typename Join>
void join_all(std::span<const Bytes> bytes, Rank root, Join join) {
  expects(root < bytes.size(), "traeff_distributed: root is not a rank");
  std::vector<Run> runs;
  for (Rank r = 0; r < bytes.size(); ++r) runs.push_back({r, bytes[r].value, 0});
  for (unsigned round = 0; runs.size() > 1; ++round) {
    std::vector<Run> next;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      if (i + 1 == runs.size()) {
        next.push_back(runs[i]);
        continue;
      }
      Run stays = runs[i];
      Run goes = runs[i + 1];
      if (goes.root == root || (stays.root != root && stays.ends_before(goes))) {
        std::swap(stays, goes);
      }
      join(round, stays.root, goes.root);
      next.push_back({stays.root, stays.bytes + goes.bytes, stays.received + goes.bytes});
    }
    runs = std::move(next);
  }
}

}  // namespace

// J. L. Traeff: "Practical, linear-time, fully distributed algorithms for irregular gather and
// scatter", EuroMPI 2017, with a root that is given from outside. Of two runs the one whose root
// has received less hangs itself below the other, so that nobody waits for a run that is not
// gathered yet; the paper's bound, ceil(log2 P) alpha + beta sum m without the rounds, needs that
// (tested).
CommTree traeff_distributed(std::span<const Bytes> bytes, Rank root) {
  const auto size = static_cast<Rank>(bytes.size());
  std::vector<std::vector<Rank>> joined(size);
  join_all(bytes, root, [&](unsigned, Rank stays, Rank goes) { joined[stays].push_back(goes); });
  // Who joined last has the most below it, and is sent to first.
  CommTree tree(size, root);
  std::vector<Rank> todo{root};
  while (!todo.empty()) {
    const Rank parent = todo.back();
    todo.pop_back();
    for (auto child = joined[parent].rbegin(); child != joined[parent].rend(); ++child) {
      tree.append_child(parent, *child);
      todo.push_back(*child);
    }
  }
  return tree;
}

Time traeff_distributed_setup(std::span<const Bytes> bytes, Rank root,
                              const model::CostModel& model) {
  expects(model.size() == bytes.size(), "traeff_distributed: model and lengths differ in size");
  constexpr Bytes kSum{8};
  std::vector<Time> ready(bytes.size());
  join_all(bytes, root, [&](unsigned, Rank stays, Rank goes) {
    const Time begin_a = ready[stays];
    const Time begin_b = ready[goes];
    ready[stays] = std::max(begin_a, begin_b + model.cost(goes, stays, kSum).delivered);
    ready[goes] = std::max(begin_b, begin_a + model.cost(stays, goes, kSum).delivered);
  });
  return *std::max_element(ready.begin(), ready.end());
}

}  // namespace espalier::tree
