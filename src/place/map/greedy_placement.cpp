#include <algorithm>
#include <queue>
#include <set>

#include "map/mappings.hpp"

namespace espalier::map {
namespace {

/// Free slots, part by part: all slots of a part are alike.
class FreeSlots {
 public:
  FreeSlots(const Problem& problem, const std::vector<std::uint32_t>& slots)
      : problem_(problem),
        of_part_(problem.parts),
        of_host_(problem.inventory->hosts.size()),
        of_cluster_(problem.clusters.size()) {
    for (std::size_t i = slots.size(); i > 0; --i) {
      of_part_[problem.slots[slots[i - 1]].part].push_back(slots[i - 1]);
    }
    std::vector<bool> seen(of_part_.size());
    for (const std::uint32_t s : slots) {
      const Slot& slot = problem.slots[s];
      if (seen[slot.part]) continue;
      seen[slot.part] = true;
      all_.parts.push_back(slot.part);
      of_host_[slot.host].parts.push_back(slot.part);
      of_cluster_[slot.cluster].parts.push_back(slot.part);
    }
  }
  /// A free slot of the part, or kFree.
  [[nodiscard]] std::uint32_t on(std::uint32_t part) const {
    return of_part_[part].empty() ? Problem::kFree : of_part_[part].back();
  }
  /// The first part with room, in the order of preference; kFree if there is none.
  std::uint32_t first() { return first(all_); }
  std::uint32_t first_of_host(std::uint32_t host) { return first(of_host_[host]); }
  std::uint32_t first_of_cluster(std::uint32_t cluster) { return first(of_cluster_[cluster]); }
  [[nodiscard]] const std::vector<std::uint32_t>& parts() const { return all_.parts; }
  void take(std::uint32_t slot) {
    auto& here = of_part_[problem_.slots[slot].part];
    here.erase(std::find(here.begin(), here.end(), slot));
  }

 private:
  struct List {
    std::vector<std::uint32_t> parts;
    std::size_t next = 0;  ///< those before it are full
  };
  std::uint32_t first(List& list) {
    while (list.next < list.parts.size() && of_part_[list.parts[list.next]].empty()) ++list.next;
    return list.next < list.parts.size() ? list.parts[list.next] : Problem::kFree;
  }
  const Problem& problem_;
  std::vector<std::vector<std::uint32_t>> of_part_;
  List all_;
  std::vector<List> of_host_;
  std::vector<List> of_cluster_;
};

/// Beyond this many parts only those near the process's partners are looked at.
constexpr std::size_t kFewParts = 64;

/// The preferred part first: it wins ties.
std::vector<std::uint32_t> candidates(const Problem& problem, Rank process,
                                      const Placement& placement, FreeSlots& free) {
  std::set<std::uint32_t> parts;
  if (free.parts().size() <= kFewParts) {
    parts.insert(free.parts().begin(), free.parts().end());
  } else {
    for (const Edge& edge : problem.edges_of(process)) {
      if (parts.size() > kFewParts) break;
      const std::uint32_t at = placement[edge.other];
      if (at == Problem::kFree) continue;
      parts.insert(problem.slots[at].part);
      parts.insert(free.first_of_host(problem.slots[at].host));
      parts.insert(free.first_of_cluster(problem.slots[at].cluster));
    }
  }
  parts.erase(Problem::kFree);
  std::vector<std::uint32_t> result{free.first()};
  result.insert(result.end(), parts.begin(), parts.end());
  return result;
}

}  // namespace

Placement greedy_placement(const Problem& problem, const std::vector<std::uint32_t>& slots) {
  const std::vector<std::int32_t> weights = affinities(problem);
  FreeSlots free(problem, slots);
  Placement placement(problem.size(), Problem::kFree);
  std::vector<std::int64_t> pull(problem.size());
  // Stale entries stay in the queue and are passed over.
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> queue;  // pull, minus the rank
  std::vector<std::int64_t> total(problem.size());
  for (Rank p = 0; p < problem.size(); ++p) {
    for (std::uint32_t e = problem.first_edge[p]; e < problem.first_edge[p + 1]; ++e) {
      total[p] += weights[e];
    }
  }
  std::vector<Rank> by_total(problem.size());
  for (Rank p = 0; p < problem.size(); ++p) by_total[p] = p;
  std::stable_sort(by_total.begin(), by_total.end(),
                   [&](Rank a, Rank b) { return total[a] > total[b]; });
  const auto put = [&](Rank p, std::uint32_t slot) {
    placement[p] = slot;
    free.take(slot);
    for (std::uint32_t e = problem.first_edge[p]; e < problem.first_edge[p + 1]; ++e) {
      const Rank other = problem.edges[e].other;
      pull[other] += weights[e];
      if (placement[other] == Problem::kFree) queue.emplace(pull[other], -std::int64_t{other});
    }
  };
  for (Rank p = 0; p < problem.size(); ++p) {
    if (problem.pinned[p] != Problem::kFree) put(p, problem.pinned[p]);
  }
  for (std::size_t next_seed = 0; next_seed < by_total.size();) {
    Rank process = by_total[next_seed];
    if (!queue.empty()) {
      const auto [weight, negative] = queue.top();
      queue.pop();
      process = static_cast<Rank>(-negative);
      if (placement[process] != Problem::kFree || weight != pull[process]) continue;
    } else if (placement[process] != Problem::kFree) {
      ++next_seed;
      continue;
    }
    std::uint32_t best = Problem::kFree;
    Time best_cost = kForever;
    for (const std::uint32_t part : candidates(problem, process, placement, free)) {
      const std::uint32_t slot = free.on(part);
      if (slot == Problem::kFree) continue;
      Time cost;
      for (const Edge& edge : problem.edges_of(process)) {
        if (placement[edge.other] != Problem::kFree) {
          cost += problem.cost(edge, slot, placement[edge.other]);
        }
      }
      if (best == Problem::kFree || cost < best_cost) best = slot, best_cost = cost;
    }
    put(process, best);
  }
  return placement;
}

}  // namespace espalier::map
