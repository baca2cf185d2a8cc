// K.-L. Park et al.: "Dynamic topology selection for high performance MPI in the Grid
// environments", 2004: steps 1 and 2, principles A and B.
#include <algorithm>
#include <functional>
#include <numeric>

#include "place/select_topology.hpp"

namespace espalier::place {
namespace {

/// One slot of each cluster stands for it.
std::vector<std::uint32_t> representatives(const map::Problem& problem) {
  std::vector<std::uint32_t> first(problem.clusters.size(), map::Problem::kFree);
  for (std::uint32_t s = 0; s < problem.slots.size(); ++s) {
    std::uint32_t& r = first[problem.slots[s].cluster];
    if (r == map::Problem::kFree) r = s;
  }
  return first;
}

std::vector<RankedCluster> as_listed(const map::Problem& problem) {
  std::vector<RankedCluster> clusters(problem.clusters.size());
  const std::vector<std::uint32_t> first = representatives(problem);
  for (std::uint32_t c = 0; c < clusters.size(); ++c) {
    clusters[c].cluster = c;
    Time sum;
    for (std::uint32_t other = 0; other < clusters.size(); ++other) {
      if (other != c) sum += problem.path(first[c], first[other]).latency;
    }
    const auto others = static_cast<std::int64_t>(clusters.size()) - 1;
    clusters[c].mean_latency = Time{others > 0 ? sum.picoseconds / others : 0};
  }
  for (const map::Slot& slot : problem.slots) ++clusters[slot.cluster].slots;
  return clusters;
}

/// How many of the largest clusters are needed for `wanted` slots.
std::size_t fewest(std::vector<RankedCluster> clusters, std::uint64_t wanted) {
  std::stable_sort(clusters.begin(), clusters.end(),
                   [](const auto& a, const auto& b) { return a.slots > b.slots; });
  std::size_t count = 0;
  for (std::uint64_t held = 0; held < wanted; ++count) held += clusters[count].slots;
  return count;
}

/// What the `count` largest of clusters[from ...] hold together.
std::uint64_t largest_from(const std::vector<RankedCluster>& clusters, std::size_t from,
                           std::size_t count) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = from; i < clusters.size(); ++i) sizes.push_back(clusters[i].slots);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  sizes.resize(std::min(sizes.size(), count));
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

/// Takes a cluster, in the given order, if the fewest are still enough with it.
void use_fewest(std::vector<RankedCluster>& clusters, std::uint64_t wanted) {
  std::size_t left = fewest(clusters, wanted);
  for (std::size_t i = 0; i < clusters.size() && left > 0; ++i) {
    const std::uint64_t with = clusters[i].slots + largest_from(clusters, i + 1, left - 1);
    if (with < wanted) continue;
    clusters[i].used = true;
    wanted -= std::min<std::uint64_t>(wanted, clusters[i].slots);
    --left;
  }
}

void use_in_order(std::vector<RankedCluster>& clusters, std::uint64_t wanted) {
  for (RankedCluster& c : clusters) {
    c.used = wanted > 0;
    wanted -= std::min<std::uint64_t>(wanted, c.slots);
  }
}

}  // namespace

std::vector<RankedCluster> rank_clusters(const map::Problem& problem,
                                         const Principles& principles) {
  std::vector<RankedCluster> clusters = as_listed(problem);
  if (principles.nearest_clusters) {
    std::stable_sort(clusters.begin(), clusters.end(),
                     [](const auto& a, const auto& b) { return a.mean_latency < b.mean_latency; });
  }
  if (principles.fewest_clusters) {
    use_fewest(clusters, problem.size());
    std::stable_partition(clusters.begin(), clusters.end(), [](const auto& c) { return c.used; });
  } else {
    use_in_order(clusters, problem.size());
  }
  return clusters;
}

std::vector<std::uint32_t> slots_by_cluster(const map::Problem& problem,
                                            const std::vector<RankedCluster>& clusters) {
  std::vector<std::uint32_t> place(clusters.size());
  for (std::uint32_t i = 0; i < clusters.size(); ++i) place[clusters[i].cluster] = i;
  std::vector<std::uint32_t> slots(problem.slots.size());
  std::iota(slots.begin(), slots.end(), 0U);
  std::stable_sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
    return place[problem.slots[a].cluster] < place[problem.slots[b].cluster];
  });
  return slots;
}

}  // namespace espalier::place
