#include "discover/calibrate.hpp"

#include <algorithm>

#include "discover/rates.hpp"

namespace espalier::discover {
namespace {

constexpr std::size_t kTogether = 4;
constexpr std::size_t kMostThirdOpinions = 16;

/// A transfer between two members of a cluster.
struct Transfer {
  FoundCluster* cluster = nullptr;
  std::size_t from = 0;
  std::size_t to = 0;
  NodePair nodes;
  RateSeen seen;
};
using TransferRounds = std::vector<std::vector<Transfer>>;

double bits(Bandwidth b) { return static_cast<double>(b.bits_per_second); }

class Calibration {
 public:
  Calibration(Prober& prober, std::span<const NodeCost> costs, Time until)
      : prober_(prober), costs_(costs), until_(until), node_out_(costs.size(), kUnlimited) {}

  Expected<bool> run(FoundCluster& whole) {
    auto levels = by_depth(whole);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      if (prober_.spent() > until_) return false;
      auto done = one_level(*level);
      if (!done) return done.error();
    }
    return true;
  }

 private:
  /// The node that costs least speaks for a member.
  [[nodiscard]] Node speaker(const FoundCluster& member, std::size_t index = 0) const {
    std::vector<Node> nodes = member.nodes;
    std::stable_sort(nodes.begin(), nodes.end(), [&](Node a, Node b) {
      return costs_[a].send + costs_[a].recv < costs_[b].send + costs_[b].recv;
    });
    return nodes[index];
  }

  /// Each member to the next one, round the ring, in two or three rounds.
  [[nodiscard]] TransferRounds ring(const std::vector<FoundCluster*>& level) const {
    TransferRounds rounds(3);
    for (FoundCluster* cluster : level) {
      const std::size_t k = cluster->members.size();
      for (std::size_t i = 0; i < k; ++i) {
        const std::size_t j = (i + 1) % k;
        const NodePair nodes{speaker(cluster->members[i]), speaker(cluster->members[j])};
        rounds[k % 2 == 1 && i + 1 == k ? 2 : i % 2].push_back({cluster, i, j, nodes, {}});
      }
    }
    std::erase_if(rounds, [](const auto& round) { return round.empty(); });
    return rounds;
  }

  Expected<bool> measure(TransferRounds& rounds) {
    std::vector<PairRound> pairs;
    for (const auto& round : rounds) {
      pairs.emplace_back();
      for (const Transfer& t : round) pairs.back().push_back(t.nodes);
    }
    auto seen = measure_rates(prober_, pairs);
    if (!seen) return seen.error();
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      for (std::size_t i = 0; i < rounds[r].size(); ++i) rounds[r][i].seen = (*seen)[r][i];
    }
    return true;
  }

  Expected<bool> one_level(const std::vector<FoundCluster*>& level) {
    TransferRounds rounds = ring(level);
    if (auto done = measure(rounds); !done) return done.error();
    std::vector<Transfer> all;
    for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
    for (const Transfer& t : all) {
      t.cluster->members[t.from].out = t.seen.rate;
      t.cluster->members[t.to].in = t.seen.rate;
    }
    if (auto done = find_the_slow_end(all); !done) return done.error();
    for (FoundCluster* cluster : level) {
      for (FoundCluster& m : cluster->members) {
        if (m.is_node()) node_out_[m.nodes.front()] = m.out;
      }
    }
    return send_together(rounds);
  }

  [[nodiscard]] static double fastest(const FoundCluster& cluster) {
    double most = 0;
    for (const FoundCluster& m : cluster.members) most = std::max(most, bits(m.out));
    return most;
  }

  [[nodiscard]] static Bandwidth usual(const FoundCluster& cluster) {
    std::vector<Bandwidth> rates;
    for (const FoundCluster& m : cluster.members) rates.push_back(m.out);
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }

  /// Where a transfer is much slower than another, a third member tells which end it is; what is
  /// near the usual rate is taken to be it.
  Expected<bool> find_the_slow_end(std::vector<Transfer>& all) {
    TransferRounds extra;
    for (const Transfer& t : all) {
      const std::size_t k = t.cluster->members.size();
      if (k < 3 || bits(t.seen.rate) > 0.7 * fastest(*t.cluster)) continue;
      const auto node = [&](std::size_t i) { return speaker(t.cluster->members[i]); };
      const std::size_t after = (t.to + 1) % k;
      const std::size_t before = (t.from + k - 1) % k;
      if (after != t.from)
        extra.push_back({{t.cluster, t.from, after, {t.nodes.first, node(after)}, {}}});
      if (before != t.to)
        extra.push_back({{t.cluster, before, t.to, {node(before), t.nodes.second}, {}}});
      if (after == t.from)
        extra.push_back({{t.cluster, t.from, before, {t.nodes.first, node(before)}, {}}});
    }
    if (extra.size() > kMostThirdOpinions) extra.resize(kMostThirdOpinions);
    if (!extra.empty()) {
      if (auto done = measure(extra); !done) return done.error();
    }
    for (const auto& round : extra) {
      const Transfer& t = round.front();
      auto& members = t.cluster->members;
      members[t.from].out = std::max(members[t.from].out, t.seen.rate);
      members[t.to].in = std::max(members[t.to].in, t.seen.rate);
    }
    for (const Transfer& t : all) make_usual(*t.cluster);
    return true;
  }

  static void make_usual(FoundCluster& cluster) {
    const Bandwidth rate = usual(cluster);
    if (rate.unlimited()) return;
    for (FoundCluster& m : cluster.members) {
      for (Bandwidth* side : {&m.out, &m.in}) {
        if (bits(*side) > 0.75 * bits(rate) && bits(*side) < 1.33 * bits(rate)) *side = rate;
      }
    }
  }

  /// Several nodes of one member to as many of the next.
  Expected<bool> send_together(const TransferRounds& rounds) {
    std::vector<PairRound> pairs;
    std::vector<std::vector<RateSeen>> alone;
    std::vector<std::vector<Transfer>> owners;
    for (const auto& round : rounds) {
      PairRound together;
      std::vector<RateSeen> seen;
      std::vector<Transfer> owner;
      for (const Transfer& t : round) {
        const FoundCluster& from = t.cluster->members[t.from];
        const FoundCluster& to = t.cluster->members[t.to];
        const std::size_t count = std::min({kTogether, from.nodes.size(), to.nodes.size()});
        if (count < 2 || t.seen.rate.unlimited()) continue;
        for (std::size_t i = 0; i < count; ++i) {
          together.emplace_back(speaker(from, i), speaker(to, i));
          seen.push_back(t.seen);
          owner.push_back(t);
        }
      }
      if (together.empty()) continue;
      pairs.push_back(std::move(together));
      alone.push_back(std::move(seen));
      owners.push_back(std::move(owner));
    }
    if (pairs.empty() || prober_.spent() > until_) return pairs.empty();
    auto rates = measure_together(prober_, pairs, alone);
    if (!rates) return rates.error();
    for (std::size_t r = 0; r < pairs.size(); ++r) {
      for (std::size_t i = 0; i < pairs[r].size();) {
        std::size_t end = i;
        double total = 0;
        while (end < pairs[r].size() && owners[r][end].cluster == owners[r][i].cluster &&
               owners[r][end].from == owners[r][i].from) {
          total += bits((*rates)[r][end++]);
        }
        judge(owners[r][i], total, static_cast<double>(end - i));
        i = end;
      }
    }
    return true;
  }

  void judge(const Transfer& t, double total, double count) {
    FoundCluster& from = t.cluster->members[t.from];
    FoundCluster& to = t.cluster->members[t.to];
    const double one = bits(t.seen.rate);
    if (total < 1.3 * one) return;  // the uplink is what one flow already fills
    if (one < 0.8 * bits(node_out_[t.nodes.first])) {
      t.cluster->flow_cap = std::min(t.cluster->flow_cap, t.seen.rate);
    }
    from.out = to.in = Bandwidth{static_cast<std::uint64_t>(total)};
    if (total > 0.85 * count * one) from.at_least = to.at_least = true;
  }

  Prober& prober_;
  std::span<const NodeCost> costs_;
  Time until_;
  std::vector<Bandwidth> node_out_;
};

}  // namespace

Expected<bool> calibrate(Prober& prober, FoundCluster& whole, std::span<const NodeCost> costs,
                         Time until) {
  return Calibration(prober, costs, until).run(whole);
}

}  // namespace espalier::discover
