#include "discover/transfers.hpp"

#include <algorithm>

namespace espalier::discover {
namespace {

constexpr std::size_t kTogether = 4;

/// Senders and receivers of a member; the same ones if they take turns.
struct Sides {
  std::vector<Node> out;
  std::vector<Node> in;
};

std::vector<Sides> sides_of(const FoundCluster& cluster, std::span<const NodeCost> costs,
                            bool at_once) {
  std::vector<Sides> sides;
  for (const FoundCluster& member : cluster.members) {
    const std::vector<Node> nodes = speakers(member, costs);
    Sides own;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!at_once || i % 2 == 0) own.out.push_back(nodes[i]);
      if (!at_once || i % 2 == 1) own.in.push_back(nodes[i]);
    }
    sides.push_back(std::move(own));
  }
  return sides;
}

std::vector<NodePair> pairs_between(const Sides& from, const Sides& to) {
  std::vector<NodePair> pairs;
  for (std::size_t i = 0; i < std::min({kTogether, from.out.size(), to.in.size()}); ++i) {
    pairs.emplace_back(from.out[i], to.in[i]);
  }
  return pairs;
}

bool all_have_two(const FoundCluster& cluster) {
  return std::all_of(cluster.members.begin(), cluster.members.end(),
                     [](const FoundCluster& m) { return m.nodes.size() > 1; });
}

/// In which round a member of a ring of k sends if they take turns.
std::size_t turn(std::size_t member, std::size_t k) {
  return k % 2 == 1 && member + 1 == k ? 2 : member % 2;
}

void add_ring(FoundCluster& cluster, std::span<const NodeCost> costs, TransferRounds& rounds) {
  const std::size_t k = cluster.members.size();
  const bool at_once = is_far(cluster) && all_have_two(cluster);
  const std::vector<Sides> sides = sides_of(cluster, costs, at_once);
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t j = (i + 1) % k;
    rounds[at_once ? 0 : turn(i, k)].push_back(
        {&cluster, i, j, pairs_between(sides[i], sides[j]), {}, {}});
  }
}

/// The transfers over near links, or over far ones, by round; rounds without any are left out.
std::vector<std::vector<Transfer*>> chosen(TransferRounds& rounds, bool far) {
  std::vector<std::vector<Transfer*>> result;
  for (auto& round : rounds) {
    std::vector<Transfer*> some;
    for (Transfer& t : round) {
      if (is_far(*t.cluster) == far) some.push_back(&t);
    }
    if (!some.empty()) result.push_back(std::move(some));
  }
  return result;
}

Expected<bool> measure_near_ones(Prober& prober, TransferRounds& rounds) {
  const auto near = chosen(rounds, /*far=*/false);
  if (near.empty()) return true;
  std::vector<PairRound> pairs;
  for (const auto& round : near) {
    pairs.emplace_back();
    for (const Transfer* t : round) pairs.back().push_back(t->pairs.front());
  }
  auto seen = measure_rates(prober, pairs);
  if (!seen) return seen.error();
  for (std::size_t r = 0; r < near.size(); ++r) {
    for (std::size_t i = 0; i < near[r].size(); ++i) {
      near[r][i]->alone = (*seen)[r][i];
      near[r][i]->together = (*seen)[r][i].rate;
    }
  }
  return true;
}

Expected<bool> measure_far_ones(Prober& prober, TransferRounds& rounds, bool alone) {
  const auto far = chosen(rounds, /*far=*/true);
  std::vector<std::vector<FarTransfer>> transfers;
  for (const auto& round : far) {
    transfers.emplace_back();
    for (const Transfer* t : round) {
      transfers.back().push_back({t->pairs, 2 * t->cluster->latency, alone});
    }
  }
  auto seen = measure_far(prober, transfers);
  if (!seen) return seen.error();
  for (std::size_t r = 0; r < far.size(); ++r) {
    for (std::size_t i = 0; i < far[r].size(); ++i) {
      if (alone) far[r][i]->alone = {(*seen)[r][i].alone, Time{}};
      far[r][i]->together = (*seen)[r][i].together;
    }
  }
  return true;
}

}  // namespace

bool is_far(const FoundCluster& cluster) { return cluster.latency >= kFarFrom; }

std::vector<Node> speakers(const FoundCluster& member, std::span<const NodeCost> costs) {
  std::vector<Node> nodes = member.nodes;
  std::stable_sort(nodes.begin(), nodes.end(), [&](Node a, Node b) {
    return costs[a].send + costs[a].recv < costs[b].send + costs[b].recv;
  });
  return nodes;
}

TransferRounds ring(std::span<FoundCluster* const> level, std::span<const NodeCost> costs) {
  TransferRounds rounds(3);
  for (FoundCluster* cluster : level) add_ring(*cluster, costs, rounds);
  std::erase_if(rounds, [](const auto& round) { return round.empty(); });
  return rounds;
}

Expected<bool> measure_alone(Prober& prober, TransferRounds& rounds) {
  if (auto done = measure_near_ones(prober, rounds); !done) return done.error();
  return measure_far_ones(prober, rounds, /*alone=*/true);
}

TransferRounds lacking(const TransferRounds& rounds, std::span<const NodeCost> costs) {
  TransferRounds left(3);
  for (const auto& round : rounds) {
    for (const Transfer& t : round) {
      if (t.alone.rate.unlimited()) continue;
      const bool was_full =
          t.pairs.size() > 1 && 10 * t.together.bits_per_second < 13 * t.alone.rate.bits_per_second;
      if (is_far(*t.cluster) && was_full) continue;
      const std::vector<Sides> sides = sides_of(*t.cluster, costs, /*at_once=*/false);
      Transfer more = t;
      more.pairs = pairs_between(sides[t.from], sides[t.to]);
      if (more.pairs.size() < 2 || (is_far(*t.cluster) && more.pairs.size() == t.pairs.size())) {
        continue;
      }
      left[turn(t.from, t.cluster->members.size())].push_back(std::move(more));
    }
  }
  std::erase_if(left, [](const auto& round) { return round.empty(); });
  return left;
}

Expected<bool> measure_together(Prober& prober, TransferRounds& rounds) {
  const auto near = chosen(rounds, /*far=*/false);
  std::vector<PairRound> pairs;
  std::vector<std::vector<RateSeen>> alone;
  for (const auto& round : near) {
    pairs.emplace_back();
    alone.emplace_back();
    for (const Transfer* t : round) {
      pairs.back().insert(pairs.back().end(), t->pairs.begin(), t->pairs.end());
      alone.back().insert(alone.back().end(), t->pairs.size(), t->alone);
    }
  }
  auto rates = measure_at_once(prober, pairs, alone);
  if (!rates) return rates.error();
  for (std::size_t r = 0; r < near.size(); ++r) {
    std::size_t next = 0;
    for (Transfer* t : near[r]) {
      std::uint64_t total = 0;
      for (std::size_t p = 0; p < t->pairs.size(); ++p) {
        total += (*rates)[r][next++].bits_per_second;
      }
      t->together = Bandwidth{total};
    }
  }
  return measure_far_ones(prober, rounds, /*alone=*/false);
}

}  // namespace espalier::discover
