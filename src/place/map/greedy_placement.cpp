#include <algorithm>
#include <queue>
#include <set>

#include "map/mappings.hpp"

namespace espalier::map {
namespace {

/// Free slots, host by host: all slots of a host are alike.
class FreeSlots {
 public:
  FreeSlots(const Problem& problem, const std::vector<std::uint32_t>& slots)
      : problem_(problem),
        of_host_(problem.inventory->hosts.size()),
        of_cluster_(problem.clusters.size()) {
    for (std::size_t i = slots.size(); i > 0; --i) {
      of_host_[problem.slots[slots[i - 1]].host].push_back(slots[i - 1]);
    }
    std::vector<bool> seen(of_host_.size());
    for (const std::uint32_t s : slots) {
      const Slot& slot = problem.slots[s];
      if (seen[slot.host]) continue;
      seen[slot.host] = true;
      hosts_.push_back(slot.host);
      of_cluster_[slot.cluster].push_back(slot.host);
    }
  }
  /// A free slot of the host, or kFree.
  [[nodiscard]] std::uint32_t on(std::uint32_t host) const {
    return of_host_[host].empty() ? Problem::kFree : of_host_[host].back();
  }
  /// The first host with room, in the order of preference.
  std::uint32_t first_host() { return first(hosts_, next_); }
  std::uint32_t first_host_of(std::uint32_t cluster) {
    if (next_of_.empty()) next_of_.resize(of_cluster_.size());
    return first(of_cluster_[cluster], next_of_[cluster]);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& hosts() const { return hosts_; }
  void take(std::uint32_t slot) {
    auto& here = of_host_[problem_.slots[slot].host];
    here.erase(std::find(here.begin(), here.end(), slot));
  }

 private:
  std::uint32_t first(const std::vector<std::uint32_t>& list, std::size_t& at) {
    while (at < list.size() && of_host_[list[at]].empty()) ++at;
    return at < list.size() ? list[at] : Problem::kFree;
  }
  const Problem& problem_;
  std::vector<std::vector<std::uint32_t>> of_host_;
  std::vector<std::vector<std::uint32_t>> of_cluster_;
  std::vector<std::uint32_t> hosts_;
  std::size_t next_ = 0;
  std::vector<std::size_t> next_of_;
};

/// Beyond this many hosts only those near the process's partners are looked at.
constexpr std::size_t kFewHosts = 64;

/// The preferred host first: it wins ties.
std::vector<std::uint32_t> candidates(const Problem& problem, Rank process,
                                      const Placement& placement, FreeSlots& free) {
  std::set<std::uint32_t> hosts;
  if (free.hosts().size() <= kFewHosts) {
    hosts.insert(free.hosts().begin(), free.hosts().end());
  } else {
    for (const Edge& edge : problem.edges_of(process)) {
      if (hosts.size() > kFewHosts) break;
      const std::uint32_t at = placement[edge.other];
      if (at == Problem::kFree) continue;
      hosts.insert(problem.slots[at].host);
      hosts.insert(free.first_host_of(problem.slots[at].cluster));
    }
  }
  hosts.erase(Problem::kFree);
  std::vector<std::uint32_t> result{free.first_host()};
  result.insert(result.end(), hosts.begin(), hosts.end());
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
    for (const std::uint32_t host : candidates(problem, process, placement, free)) {
      const std::uint32_t slot = free.on(host);
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
