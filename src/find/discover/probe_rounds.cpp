#include "discover/probe_rounds.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/random.hpp"

namespace espalier::discover {
namespace {

/// Circle method: one node stays, the others move round by one place.
std::vector<PairRound> all_pairs(std::span<const Node> order) {
  std::vector<Node> ring(order.begin(), order.end());
  if (ring.size() % 2 == 1) ring.push_back(kNoNode);
  std::vector<PairRound> rounds;
  for (std::size_t r = 0; r + 1 < ring.size(); ++r) {
    PairRound round;
    for (std::size_t i = 0; i < ring.size() / 2; ++i) {
      const Node a = ring[i];
      const Node b = ring[ring.size() - 1 - i];
      if (a != kNoNode && b != kNoNode) round.emplace_back(std::minmax(a, b));
    }
    rounds.push_back(std::move(round));
    std::rotate(ring.begin() + 1, ring.end() - 1, ring.end());
  }
  return rounds;
}

/// Which members of one cluster were compared, by their indices.
class Compared {
 public:
  void add(std::size_t f, std::size_t g, std::uint32_t samples) {
    std::uint32_t& seen = pairs_[std::minmax(f, g)];
    if (seen < kSamplesWanted && seen + samples >= kSamplesWanted) ++count_;
    seen += samples;
  }
  [[nodiscard]] bool has(std::size_t f, std::size_t g) const {
    const auto at = pairs_.find(std::minmax(f, g));
    return at != pairs_.end() && at->second >= kSamplesWanted;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  /// One or two may have met a moment's traffic.
  static constexpr std::uint32_t kSamplesWanted = 4;
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> pairs_;
  std::uint64_t count_ = 0;
};

struct Probed {
  NodePair nodes;
  std::uint32_t samples = 0;
};

std::uint32_t log_of(Node nodes) { return static_cast<std::uint32_t>(std::bit_width(nodes - 1)); }

/// How many others each node was probed with.
std::vector<std::uint32_t> partners_of(const RoundTrips& seen) {
  std::vector<std::uint32_t> partners(seen.nodes());
  for (const auto& [pair, time] : seen.all()) {
    ++partners[pair.first];
    ++partners[pair.second];
  }
  return partners;
}

class Comparer {
 public:
  Comparer(const RoundTrips& seen, std::size_t most_rounds, std::uint64_t most_pairs)
      : seen_(seen),
        left_(most_pairs),
        busy_(most_rounds, std::vector<bool>(seen.nodes())),
        partners_(partners_of(seen)),
        most_partners_(most_partners(seen.nodes())),
        member_of_(seen.nodes()) {
    result_.rounds.resize(most_rounds);
  }

  void look_into(const LinkCluster& cluster, const std::vector<Probed>& links) {
    const bool only_nodes = std::all_of(cluster.members.begin(), cluster.members.end(),
                                        [](const LinkCluster& m) { return m.is_node(); });
    if (only_nodes && cluster.nodes.size() > kAllPairsAtMost) return;
    for (std::size_t i = 0; i < cluster.members.size(); ++i) {
      for (const Node node : cluster.members[i].nodes) member_of_[node] = i;
    }
    Compared compared;
    std::vector<std::vector<Probed>> inside(cluster.members.size());
    for (const Probed& link : links) {
      const std::size_t f = member_of_[link.nodes.first];
      const std::size_t g = member_of_[link.nodes.second];
      if (f == g) {
        inside[f].push_back(link);
      } else {
        compared.add(f, g, link.samples);
      }
    }
    compare(cluster, compared);
    for (std::size_t i = 0; i < cluster.members.size(); ++i) {
      look_into(cluster.members[i], inside[i]);
    }
  }

  Comparisons take() {
    std::erase_if(result_.rounds, [](const PairRound& round) { return round.empty(); });
    return std::move(result_);
  }

 private:
  void compare(const LinkCluster& cluster, const Compared& compared) {
    std::vector<std::size_t> largest(cluster.members.size());
    for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = i;
    std::stable_sort(largest.begin(), largest.end(), [&](std::size_t x, std::size_t y) {
      return cluster.members[x].nodes.size() > cluster.members[y].nodes.size();
    });
    const std::uint64_t all = std::uint64_t{largest.size()} * (largest.size() - 1) / 2;
    result_.open += all - compared.count();
    std::vector<std::size_t> asked(largest.size(), 0);
    for (std::size_t i = 0; i < largest.size(); ++i) {
      for (std::size_t j = i + 1; j < largest.size() && left_ > 0; ++j) {
        const std::size_t small = largest[j];
        // Small fragments are asked seldom: once they are joined, further answers tell nothing.
        const std::size_t a_round =
            std::max<std::size_t>(1, cluster.members[small].nodes.size() / 4);
        if (asked[small] >= a_round * busy_.size() || compared.has(largest[i], small)) continue;
        if (place(cluster.members[largest[i]], cluster.members[small])) ++asked[small];
      }
    }
  }

  bool place(const LinkCluster& f, const LinkCluster& g) {
    for (std::size_t r = 0; r < busy_.size(); ++r) {
      const Node a = least_asked(f, r);
      const Node b = least_asked(g, r);
      if (a == kNoNode || b == kNoNode) continue;
      busy_[r][a] = busy_[r][b] = true;
      if (!seen_.find(a, b)) {
        ++partners_[a];
        ++partners_[b];
      }
      result_.rounds[r].emplace_back(std::minmax(a, b));
      --left_;
      return true;
    }
    return false;
  }

  /// The node that is free in this round and had the fewest partners; the lower one of equals.
  /// kNoNode if there is none that may have one more.
  [[nodiscard]] Node least_asked(const LinkCluster& member, std::size_t round) const {
    Node best = kNoNode;
    for (const Node node : member.nodes) {
      if (busy_[round][node] || partners_[node] >= most_partners_) continue;
      if (best == kNoNode || partners_[node] < partners_[best]) best = node;
    }
    return best;
  }

  const RoundTrips& seen_;
  std::uint64_t left_;
  std::vector<std::vector<bool>> busy_;  // nodes that are taken in each round
  std::vector<std::uint32_t> partners_;  // partners of each node, those to come included
  std::uint32_t most_partners_;
  std::vector<std::size_t> member_of_;
  Comparisons result_;
};

}  // namespace

std::uint32_t most_partners(Node nodes) { return 3 * log_of(nodes) + 8; }
std::size_t most_comparison_rounds(Node nodes) { return 6 * log_of(nodes) + 8; }

std::vector<PairRound> first_pairs(std::span<const Node> order) {
  const std::size_t n = order.size();
  if (n <= 1) return {};
  if (n <= kAllPairsUpTo) return all_pairs(order);
  std::vector<PairRound> rounds(2);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    rounds[i % 2].emplace_back(std::minmax(order[i], order[i + 1]));
  }
  Random lot(n);  // any seed will do, and the same one everywhere
  std::vector<Node> drawn(order.begin(), order.end());
  for (std::size_t r = 1; r < static_cast<std::size_t>(std::bit_width(n - 1)); ++r) {
    lot.shuffle(std::span<Node>(drawn));
    PairRound round;
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      round.emplace_back(std::minmax(drawn[i], drawn[i + 1]));
    }
    rounds.push_back(std::move(round));
  }
  return rounds;
}

std::vector<PairRound> in_rounds(std::span<const NodePair> pairs) {
  std::vector<PairRound> rounds;
  std::vector<std::set<Node>> busy;
  for (const NodePair& pair : pairs) {
    std::size_t r = 0;
    while (r < rounds.size() && (busy[r].contains(pair.first) || busy[r].contains(pair.second))) {
      ++r;
    }
    if (r == rounds.size()) {
      rounds.emplace_back();
      busy.emplace_back();
    }
    rounds[r].push_back(pair);
    busy[r].insert({pair.first, pair.second});
  }
  return rounds;
}

Comparisons comparisons_left(const LinkCluster& whole, const RoundTrips& seen,
                             std::size_t most_rounds, std::uint64_t most_pairs) {
  std::vector<Probed> links;
  for (const auto& [pair, time] : seen.all()) links.push_back({pair, time.samples});
  Comparer comparer(seen, most_rounds, most_pairs);
  comparer.look_into(whole, links);
  return comparer.take();
}

}  // namespace espalier::discover
