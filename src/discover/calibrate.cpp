#include "discover/calibrate.hpp"

#include <algorithm>

#include "discover/transfers.hpp"

namespace espalier::discover {
namespace {

constexpr std::size_t kMostThirdOpinions = 16;

double bits(Bandwidth b) { return static_cast<double>(b.bits_per_second); }

class Calibration {
 public:
  Calibration(Prober& prober, std::span<const NodeCost> costs, Time until)
      : prober_(prober), costs_(costs), until_(until), node_out_(costs.size(), kUnlimited) {}

  Expected<bool> run(FoundCluster& whole) {
    auto levels = by_depth(whole);
    bool all = true;
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      if (prober_.spent() > until_) return false;
      auto done = one_level(*level);
      if (!done) return done.error();
      all &= *done;
    }
    return all;
  }

 private:
  Expected<bool> one_level(const std::vector<FoundCluster*>& level) {
    TransferRounds rounds = ring(level, costs_);
    if (auto done = measure_alone(prober_, rounds); !done) return done.error();
    for (const auto& round : rounds) {
      for (const Transfer& t : round) {
        t.cluster->members[t.from].out = t.alone.rate;
        t.cluster->members[t.to].in = t.alone.rate;
      }
    }
    if (auto done = find_the_slow_end(rounds); !done) return done.error();
    for (FoundCluster* cluster : level) {
      make_usual(*cluster);
      for (FoundCluster& m : cluster->members) {
        if (m.is_node()) node_out_[m.nodes.front()] = m.out;
      }
    }
    for (const auto& round : rounds) {
      for (const Transfer& t : round) judge(t);
    }
    TransferRounds left = lacking(rounds, costs_);
    if (left.empty()) return true;
    if (prober_.spent() > until_) return false;
    if (auto done = measure_together(prober_, left); !done) return done.error();
    for (const auto& round : left) {
      for (const Transfer& t : round) judge(t);
    }
    return true;
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
  Expected<bool> find_the_slow_end(const TransferRounds& all) {
    TransferRounds extra;
    const auto ask = [&](const Transfer& t, std::size_t from, std::size_t to) {
      const auto node = [&](std::size_t i) {
        if (i == t.from) return t.pairs.front().first;
        if (i == t.to) return t.pairs.front().second;
        return speakers(t.cluster->members[i], costs_).front();
      };
      if (extra.size() < kMostThirdOpinions) {
        extra.push_back({{t.cluster, from, to, {{node(from), node(to)}}, {}, {}}});
      }
    };
    for (const auto& round : all) {
      for (const Transfer& t : round) {
        const std::size_t k = t.cluster->members.size();
        if (k < 3 || bits(t.alone.rate) > 0.7 * fastest(*t.cluster)) continue;
        const std::size_t after = (t.to + 1) % k;
        const std::size_t before = (t.from + k - 1) % k;
        ask(t, t.from, after != t.from ? after : before);
        if (before != t.to) ask(t, before, t.to);
      }
    }
    if (extra.empty()) return true;
    if (auto done = measure_alone(prober_, extra); !done) return done.error();
    for (const auto& round : extra) {
      const Transfer& t = round.front();
      auto& members = t.cluster->members;
      members[t.from].out = std::max(members[t.from].out, t.alone.rate);
      members[t.to].in = std::max(members[t.to].in, t.alone.rate);
    }
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

  /// What several flows together say about one.
  void judge(const Transfer& t) {
    if (t.pairs.size() < 2 || t.alone.rate.unlimited() || t.together.unlimited()) return;
    FoundCluster& from = t.cluster->members[t.from];
    FoundCluster& to = t.cluster->members[t.to];
    const double one = bits(t.alone.rate);
    const double total = bits(t.together);
    if (total < 1.3 * one) return;  // the uplink is what one flow already fills
    if (one < 0.8 * bits(node_out_[t.pairs.front().first])) {
      t.cluster->flow_cap = std::min(t.cluster->flow_cap, t.alone.rate);
    }
    from.out = to.in = t.together;
    if (total > 0.85 * static_cast<double>(t.pairs.size()) * one) {
      from.at_least = to.at_least = true;
    }
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
