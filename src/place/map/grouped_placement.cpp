// E. Jeannot, G. Mercier, F. Tessier: "Process placement in multicore clusters: algorithmic issues
// and practical techniques", IEEE TPDS 2014 (TreeMatch), in that style: bottom up, groups by
// affinity, the groups' affinities added up for the next level. Ours takes trees of any shape; its
// groups grow greedily one by one.
#include <algorithm>
#include <numeric>

#include "map/mappings.hpp"
#include "map/slot_tree.hpp"

namespace espalier::map {
namespace {

struct Unit {
  std::vector<Rank> processes;
  /// Other units and the affinity to them.
  std::vector<std::pair<std::uint32_t, std::int64_t>> affinity;
  std::int64_t total = 0;
};

/// Units that are not in a group yet.
class Pool {
 public:
  explicit Pool(const std::vector<Unit>& units) : units_(units), free_(units.size(), true) {
    for (const Unit& unit : units) pull_.push_back(unit.total);
    std::vector<std::uint32_t> order(units.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return units[a].total < units[b].total;
    });
    for (const std::uint32_t u : order) {
      const std::size_t size = units[u].processes.size();
      if (by_size_.size() <= size) by_size_.resize(size + 1), next_.resize(size + 1);
      by_size_[size].push_back(u);
    }
  }
  [[nodiscard]] bool is_free(std::uint32_t unit) const { return free_[unit]; }
  void take(std::uint32_t unit) {
    free_[unit] = false;
    for (const auto& [other, weight] : units_[unit].affinity) pull_[other] -= weight;
  }
  /// Any: the least affine from the beginning.
  /// @pre there is one
  std::uint32_t first_of(std::size_t size) {
    while (!free_[by_size_[size][next_[size]]]) ++next_[size];
    return by_size_[size][next_[size]];
  }
  /// Where a group begins: the one with least, but some, affinity to those that are still free. It
  /// lies at their edge; groups that begin in the midst leave islands, which nothing joins later.
  /// @pre there is one of the size
  std::uint32_t seed_of(std::size_t size) {
    std::uint32_t best = Problem::kFree;
    for (const std::uint32_t u : by_size_[size]) {
      if (!free_[u] || pull_[u] <= 0) continue;
      if (best == Problem::kFree || pull_[u] < pull_[best] ||
          (pull_[u] == pull_[best] && u < best)) {
        best = u;
      }
    }
    return best == Problem::kFree ? first_of(size) : best;
  }

 private:
  const std::vector<Unit>& units_;
  std::vector<bool> free_;
  std::vector<std::int64_t> pull_;  ///< affinity of each unit to units that are still free
  std::vector<std::vector<std::uint32_t>> by_size_;
  std::vector<std::size_t> next_;
};

/// A group with units of these sizes, in this order.
std::vector<std::uint32_t> grow(const std::vector<Unit>& units,
                                const std::vector<std::size_t>& sizes, Pool& pool,
                                std::vector<std::int64_t>& score) {
  std::vector<std::uint32_t> group, touched;
  for (const std::size_t size : sizes) {
    std::uint32_t best = Problem::kFree;
    // Among equals the one that was touched first: on a grid groups become squares, where the lower
    // rank would make rows of them.
    for (const std::uint32_t u : touched) {
      if (!pool.is_free(u) || units[u].processes.size() != size) continue;
      if (best == Problem::kFree || score[u] > score[best]) best = u;
    }
    if (best == Problem::kFree) best = group.empty() ? pool.seed_of(size) : pool.first_of(size);
    pool.take(best);
    group.push_back(best);
    for (const auto& [other, weight] : units[best].affinity) {
      if (score[other] == 0) touched.push_back(other);
      score[other] += weight;
    }
  }
  for (const std::uint32_t u : touched) score[u] = 0;
  return group;
}

/// The units of the next level; those in no group stay as they are.
std::vector<Unit> join(const std::vector<Unit>& units,
                       const std::vector<std::vector<std::uint32_t>>& groups) {
  std::vector<std::uint32_t> becomes(units.size(), Problem::kFree);
  std::vector<std::vector<std::uint32_t>> parts = groups;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t u : groups[g]) becomes[u] = g;
  }
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    if (becomes[u] != Problem::kFree) continue;
    becomes[u] = static_cast<std::uint32_t>(parts.size());
    parts.push_back({u});
  }
  std::vector<Unit> result(parts.size());
  for (std::uint32_t g = 0; g < parts.size(); ++g) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> all;
    for (const std::uint32_t u : parts[g]) {
      result[g].processes.insert(result[g].processes.end(), units[u].processes.begin(),
                                 units[u].processes.end());
      for (const auto& [other, weight] : units[u].affinity) {
        if (becomes[other] != g) all.emplace_back(becomes[other], weight);
      }
    }
    std::sort(all.begin(), all.end());
    for (const auto& [other, weight] : all) {
      if (!result[g].affinity.empty() && result[g].affinity.back().first == other) {
        result[g].affinity.back().second += weight;
      } else {
        result[g].affinity.emplace_back(other, weight);
      }
      result[g].total += weight;
    }
  }
  return result;
}

std::vector<Unit> single_processes(const Problem& problem) {
  const std::vector<std::int32_t> weights = affinities(problem);
  std::vector<Unit> units(problem.size());
  for (Rank p = 0; p < problem.size(); ++p) {
    units[p].processes = {p};
    for (std::uint32_t e = problem.first_edge[p]; e < problem.first_edge[p + 1]; ++e) {
      units[p].affinity.emplace_back(problem.edges[e].other, weights[e]);
      units[p].total += weights[e];
    }
  }
  return units;
}

}  // namespace

Placement grouped_placement(const Problem& problem, const std::vector<std::uint32_t>& slots) {
  const SlotTree tree = slot_tree(
      problem, {slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(problem.size())});
  std::vector<Unit> units = single_processes(problem);
  for (std::uint32_t above = tree.depth; above > 0; --above) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      if (tree.nodes[n].depth == above - 1 && !tree.nodes[n].children.empty()) nodes.push_back(n);
    }
    std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
      return tree.nodes[a].slots.size() > tree.nodes[b].slots.size();
    });
    Pool pool(units);
    std::vector<std::int64_t> score(units.size());
    std::vector<std::vector<std::uint32_t>> groups;
    for (const std::uint32_t n : nodes) {
      std::vector<std::size_t> sizes;
      for (const std::uint32_t c : tree.nodes[n].children) {
        sizes.push_back(tree.nodes[c].slots.size());
      }
      groups.push_back(grow(units, sizes, pool, score));
    }
    units = join(units, groups);
  }
  // One unit is left, its processes in the order of the slots.
  Placement placement(problem.size());
  for (std::size_t i = 0; i < tree.nodes[0].slots.size(); ++i) {
    placement[units[0].processes[i]] = tree.nodes[0].slots[i];
  }
  obey_pins(problem, placement);
  return placement;
}

}  // namespace espalier::map
