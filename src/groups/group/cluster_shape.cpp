// The paper names trees that follow the topology as its next step and says no more; this is ours. A
// tree for each level, slowest on top: N. Karonis et al., "Exploiting hierarchy in parallel
// computer networks to optimize collective operation performance", IPDPS 2000.
#include "group/cluster_shape.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {
namespace {

/// A k-ary tree of items 0 .. count - 1. Plain: breadth-first, the children of i are k i + 1 ..
/// k i + k. With a gateway: the last item is a leaf right below the root, which has k - 1 children
/// besides; so the children of another i are k i .. k i + k - 1.
struct Shape {
  Rank count = 0, degree = 2;
  bool gateway = false;

  [[nodiscard]] Rank limit() const { return gateway && count > 1 ? count - 1 : count; }
  [[nodiscard]] std::vector<Rank> children(Rank item) const {
    std::vector<Rank> all;
    if (item >= limit()) return all;
    const std::uint64_t k = degree, i = item;
    const std::uint64_t first = gateway ? std::max<std::uint64_t>(1, k * i) : k * i + 1;
    const std::uint64_t end = gateway ? k * i + k : k * i + k + 1;
    for (std::uint64_t c = first; c < std::min<std::uint64_t>(end, limit()); ++c) {
      all.push_back(static_cast<Rank>(c));
    }
    if (item == 0 && gateway && count > 1) all.push_back(count - 1);
    return all;
  }
  /// Items below and with an item that is not the root.
  [[nodiscard]] Rank below(Rank item) const {
    if (item >= limit()) return 1;
    std::uint64_t first = item, width = 1, items = 0;
    while (first < limit()) {
      items += std::min<std::uint64_t>(width, limit() - first);
      first = first * degree + (gateway ? 0 : 1);
      width *= degree;
    }
    return static_cast<Rank>(items);
  }
};

std::uint32_t element(const Words& path, std::uint32_t level) {
  return level < path.size() ? path[level] : kNoRank;
}

/// Which innermost clusters hang below which, before ranks are known.
class Arrangement {
 public:
  Arrangement(std::span<const ClusterCount> clusters, Rank degree)
      : clusters_(clusters), degree_(degree), below_(clusters.size()), spots_(clusters.size()) {
    for (const ClusterCount& cluster : clusters) levels_ = std::max(levels_, cluster.path.size());
  }

  std::vector<ClusterSpot> run() {
    if (clusters_.empty()) return {};
    rank(arrange(0, clusters_.size(), 0, false).root);
    return std::move(spots_);
  }

 private:
  /// The first innermost cluster of a cluster, and the one where others can hang.
  struct Ends {
    std::size_t root = 0, gateway = 0;
  };

  /// Those in [first, last) share their paths up to `level`.
  Ends arrange(std::size_t first, std::size_t last, std::uint32_t level, bool has_below) {
    if (level == levels_) {
      spots_[first].gateway = has_below;
      return {first, first};
    }
    std::vector<std::size_t> begins;
    for (std::size_t i = first; i < last; ++i) {
      const bool begins_one =
          i == first || element(clusters_[i].path, level) != element(clusters_[i - 1].path, level);
      if (begins_one) begins.push_back(i);
    }
    const auto count = static_cast<Rank>(begins.size());
    const Shape shape{count, degree_, has_below};
    begins.push_back(last);
    std::vector<Ends> ends;
    for (Rank i = 0; i < count; ++i) {
      const bool below = !shape.children(i).empty() || (has_below && i + 1 == count);
      ends.push_back(arrange(begins[i], begins[i + 1], level + 1, below));
    }
    for (Rank i = 0; i < count; ++i) {
      for (const Rank c : shape.children(i)) below_[ends[i].gateway].push_back(ends[c].root);
    }
    return {ends.front().root, ends.back().gateway};
  }

  /// Depth-first; a cluster's own members come before what hangs below its last one.
  void rank(std::size_t root) {
    std::vector<std::size_t> order{root}, parent(clusters_.size(), root);
    std::vector<Rank> totals(clusters_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::size_t c : below_[order[i]]) {
        parent[c] = order[i];
        order.push_back(c);
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      totals[order[i]] += clusters_[order[i]].count;
      if (order[i] != root) totals[parent[order[i]]] += totals[order[i]];
    }
    for (const std::size_t at : order) {
      ClusterSpot& spot = spots_[at];
      spot.size = clusters_[at].count;
      Rank next = spot.first + spot.size;
      for (const std::size_t c : below_[at]) {
        spot.hanging.push_back({next, totals[c]});
        spots_[c].first = next;
        spots_[c].above = spot.first + spot.size - 1;
        spots_[c].slot = static_cast<std::uint32_t>(spot.hanging.size());
        spots_[c].depth = spot.depth + (spot.size > 1 ? 2 : 1);
        next += totals[c];
      }
    }
  }

  std::span<const ClusterCount> clusters_;
  Rank degree_;
  std::uint32_t levels_ = 0;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<ClusterSpot> spots_;
};

}  // namespace

bool lies_before(const Words& a, const Words& b) {
  for (std::uint32_t l = 0; l < std::max(a.size(), b.size()); ++l) {
    if (element(a, l) != element(b, l)) return element(a, l) < element(b, l);
  }
  return false;
}

std::vector<ClusterSpot> arrange_clusters(std::span<const ClusterCount> clusters, Rank degree) {
  expects(degree > 1, "a tree that follows the topology has degree 2 or more");
  return Arrangement(clusters, degree).run();
}

Vertex vertex_at(const ClusterSpot& spot, Rank offset, Rank degree) {
  expects(offset < spot.size, "vertex_at: no such member of the cluster");
  const Shape shape{spot.size, degree, spot.gateway};
  const auto hangs_at = [&](Rank item) { return spot.gateway && item + 1 == spot.size; };
  Vertex vertex{spot.first, spot.depth, spot.above, spot.slot, {}};
  Rank item = 0, at = 0;
  while (at != offset) {
    Rank begin = at + 1;
    std::uint32_t slot = 1;
    for (const Rank child : shape.children(item)) {
      const Rank size = shape.below(child);
      if (offset < begin + size) {
        vertex.parent = spot.first + at;
        item = child;
        break;
      }
      begin += size;
      ++slot;
    }
    at = begin;
    vertex.slot = slot;
    ++vertex.depth;
  }
  vertex.rank = spot.first + at;
  Rank next = vertex.rank + 1;
  for (const Rank child : shape.children(item)) {
    Rank total = shape.below(child);
    if (hangs_at(child)) {
      for (const Hanging& other : spot.hanging) total += other.total;
    }
    vertex.children.push_back({next, total});
    next += total;
  }
  if (hangs_at(item)) vertex.children = spot.hanging;
  return vertex;
}

}  // namespace espalier::group
