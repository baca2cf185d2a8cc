// All that the ranks of one cluster have for another crosses in one message: from the rank that has
// most of it, to the one that gets most of it. Several such ranks take turns.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collective/neighbourhood.hpp"

namespace espalier::collective {
namespace {

/// The rank with most blocks; of equals the one that has been chosen least often, then the lowest.
Rank busiest(const std::map<Rank, std::uint64_t>& blocks, std::map<Rank, std::uint64_t>& chosen) {
  const auto rating = [&](const std::pair<const Rank, std::uint64_t>& one) {
    const auto times = chosen.find(one.first);
    return std::pair(one.second, times == chosen.end() ? ~std::uint64_t{0} : ~times->second);
  };
  const auto best =
      std::max_element(blocks.begin(), blocks.end(),
                       [&](const auto& a, const auto& b) { return rating(a) < rating(b); });
  ++chosen[best->first];
  return best->first;
}

}  // namespace

std::vector<NeighbourBundle> joined_bundles(std::span<const NeighbourEdge> far,
                                            std::span<const Rank> part_of) {
  std::map<std::pair<Rank, Rank>, NeighbourBundle> found;  // by the two clusters
  for (const NeighbourEdge& edge : far) {
    found[{part_of[edge.from], part_of[edge.to]}].edges.push_back(edge);
  }
  std::map<Rank, std::uint64_t> chosen;
  std::vector<NeighbourBundle> bundles;
  for (auto& [clusters, bundle] : found) {
    std::map<Rank, std::uint64_t> sent, received;
    for (const NeighbourEdge& edge : bundle.edges) {
      ++sent[edge.from];
      ++received[edge.to];
    }
    bundle.sender = busiest(sent, chosen);
    bundle.receiver = busiest(received, chosen);
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

}  // namespace espalier::collective
