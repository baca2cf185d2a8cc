#include <algorithm>
#include <array>
#include <tuple>

#include "discover/rates.hpp"

namespace espalier::discover {
namespace {

/// Two tell whether there is more than one flow gets; how much more, four.
constexpr std::array<std::size_t, 2> kTogether{2, 4};
constexpr std::size_t kMostThirdOpinions = 16;
constexpr std::size_t kMostForAllPairs = 8;
/// A transfer below this part of another's rate is slow for a reason.
constexpr double kMuchSlower = 0.7;
/// From here on a message that asks before it sends waits longer than its bytes take.
constexpr Time kFar = milliseconds(1);

class Calibration {
 public:
  Calibration(Prober& prober, std::span<const NodeCost> costs, Time until, bool all_pairs)
      : prober_(prober),
        costs_(costs),
        until_(until),
        all_pairs_(all_pairs),
        node_out_(costs.size(), kUnlimited) {}

  Expected<bool> run(FoundCluster& whole) {
    auto levels = by_depth(whole);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      if (prober_.spent() > until_) return false;
      is_far_ = std::any_of(level->begin(), level->end(),
                            [](const FoundCluster* c) { return c->latency >= kFar; });
      auto done = is_far_ ? far_level(*level) : near_level(*level);
      if (!done || !*done) return done;
    }
    return is_complete_;
  }

 private:
  /// What single flows get.
  Expected<bool> measure(TransferRounds& rounds) {
    return is_far_ ? measure_far(prober_, rounds, until_) : measure_near(rounds);
  }

  /// Whether time was over before all of these told what they could.
  bool note_what_was_cut_short(const TransferRounds& rounds) {
    bool any = false;
    for (const auto& round : rounds) {
      for (const MemberTransfer& t : round) any |= t.cut_short;
    }
    if (any) is_complete_ = false;
    return any;
  }

  /// Begins only while there is time: far ones round by round, near ones in one go, since these
  /// take less than telling all nodes of them. Rounds for which there was no time are left out, and
  /// so are those that tell nothing; then not all was measured.
  Expected<bool> measure_in_time(TransferRounds& rounds) {
    TransferRounds measured;
    const std::size_t at_once = is_far_ ? 1 : rounds.size();
    for (auto next = rounds.begin(); next != rounds.end() && prober_.spent() <= until_;) {
      TransferRounds some(next, next + static_cast<std::ptrdiff_t>(at_once));
      next += static_cast<std::ptrdiff_t>(at_once);
      auto done = measure(some);
      if (!done) return done.error();
      if (!*done) continue;
      note_what_was_cut_short(some);
      measured.insert(measured.end(), some.begin(), some.end());
    }
    if (measured.size() < rounds.size()) is_complete_ = false;
    rounds = std::move(measured);
    return true;
  }

  Expected<bool> measure_near(TransferRounds& rounds) {
    std::vector<PairRound> pairs;
    for (const auto& round : rounds) {
      pairs.emplace_back();
      for (const MemberTransfer& t : round) pairs.back().push_back(t.flows.front());
    }
    auto seen = measure_rates(prober_, pairs);
    if (!seen) return seen.error();
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      for (std::size_t i = 0; i < rounds[r].size(); ++i) rounds[r][i].seen = (*seen)[r][i];
    }
    return true;
  }

  Expected<bool> near_level(const std::vector<FoundCluster*>& level) {
    TransferRounds rounds = ring(level, costs_, 1);
    if (auto done = measure(rounds); !done) return done.error();
    std::vector<MemberTransfer> all;
    for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
    if (auto done = keep_rates(level, all); !done) return done.error();
    return send_together(level, all);
  }

  /// One flow and two in one go: every further one costs round trips.
  Expected<bool> far_level(const std::vector<FoundCluster*>& level) {
    std::vector<FoundCluster*> open = level;
    std::vector<MemberTransfer> first;
    for (const std::size_t width : kTogether) {
      TransferRounds rounds = ring(open, costs_, width);
      if (!first.empty()) {
        for (auto& round : rounds) {
          for (MemberTransfer& t : round) t.seen = seen_alone(t, first);
          std::erase_if(round, [](const MemberTransfer& t) { return t.flows.size() < 3; });
        }
        std::erase_if(rounds, [](const auto& round) { return round.empty(); });
        if (rounds.empty()) return true;
        if (prober_.spent() > until_) return false;
      }
      auto done = measure_far(prober_, rounds, until_);
      if (!done) return done.error();
      if (!*done) {
        is_far_ = false;
        return near_level(level);
      }
      const bool time_is_over = note_what_was_cut_short(rounds);
      std::vector<MemberTransfer> all;
      for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
      if (first.empty()) {
        first = all;
        if (auto kept = keep_rates(level, first); !kept) return kept.error();
      }
      open.clear();
      for (const MemberTransfer& t : all) {
        if (t.flows.size() < 2 || !judge(t, bits(t.together))) continue;
        if (std::find(open.begin(), open.end(), t.cluster) == open.end()) {
          open.push_back(t.cluster);
        }
      }
      if (time_is_over) return true;
    }
    return true;
  }

  Expected<bool> keep_rates(const std::vector<FoundCluster*>& level,
                            std::vector<MemberTransfer>& all) {
    for (const MemberTransfer& t : all) {
      FoundCluster& from = t.cluster->members[t.from];
      FoundCluster& to = t.cluster->members[t.to];
      from.out = to.in = t.seen.rate;
      from.at_least |= t.cut_short;
      to.at_least |= t.cut_short;
    }
    std::vector<MemberTransfer> seen = all;
    if (auto done = find_the_slow_end(all, seen); !done) return done.error();
    if (auto done = find_narrow_pairs(level, std::move(seen)); !done) return done.error();
    for (FoundCluster* cluster : level) {
      for (FoundCluster& m : cluster->members) {
        if (m.is_node()) node_out_[m.nodes.front()] = m.out;
      }
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
  /// @param seen gets the transfers that were measured for it
  Expected<bool> find_the_slow_end(const std::vector<MemberTransfer>& all,
                                   std::vector<MemberTransfer>& seen) {
    TransferRounds extra;
    for (const MemberTransfer& t : all) {
      const std::size_t k = t.cluster->members.size();
      if (k < 3 || bits(t.seen.rate) > kMuchSlower * fastest(*t.cluster)) continue;
      const auto ask = [&](std::size_t from, std::size_t to) {
        extra.push_back({single_flow(t.cluster, from, to)});
      };
      const std::size_t after = (t.to + 1) % k;
      const std::size_t before = (t.from + k - 1) % k;
      if (after != t.from) ask(t.from, after);
      if (before != t.to) ask(before, t.to);
      if (after == t.from) ask(t.from, before);
    }
    if (extra.size() > kMostThirdOpinions) extra.resize(kMostThirdOpinions);
    if (auto done = measure_in_time(extra); !done) return done.error();
    for (const auto& round : extra) {
      const MemberTransfer& t = round.front();
      auto& members = t.cluster->members;
      members[t.from].out = std::max(members[t.from].out, t.seen.rate);
      members[t.to].in = std::max(members[t.to].in, t.seen.rate);
      seen.push_back(t);
    }
    for (const MemberTransfer& t : all) make_usual(*t.cluster);
    return true;
  }

  [[nodiscard]] MemberTransfer single_flow(FoundCluster* cluster, std::size_t from,
                                           std::size_t to) const {
    const auto node = [&](std::size_t i) {
      return cheapest_first(cluster->members[i], costs_).front();
    };
    return {cluster, from, to, {{node(from), node(to)}}, {}};
  }

  /// Whether a flow gets much less than the uplinks of both ends give to others. A lower bound does
  /// not tell.
  [[nodiscard]] static bool is_narrow(const MemberTransfer& t) {
    if (t.cut_short) return false;
    const auto& members = t.cluster->members;
    const double both = std::min(bits(members[t.from].out), bits(members[t.to].in));
    return bits(t.seen.rate) < kMuchSlower * both;
  }

  /// Two members between which both ways are much slower than their uplinks. The way back is
  /// measured only where the way there is slow, and makes sure that it was not others' traffic.
  Expected<bool> find_narrow_pairs(const std::vector<FoundCluster*>& level,
                                   std::vector<MemberTransfer> seen) {
    if (auto done = try_other_pairs(level, seen); !done) return done.error();
    std::vector<std::tuple<FoundCluster*, std::size_t, std::size_t>> asked;
    TransferRounds back;
    for (const MemberTransfer& t : seen) {
      const auto [a, b] = std::minmax(t.from, t.to);
      const std::tuple key{t.cluster, a, b};
      if (!is_narrow(t) || std::find(asked.begin(), asked.end(), key) != asked.end()) continue;
      if (asked.size() == kMostThirdOpinions) break;
      asked.push_back(key);
      back.push_back({single_flow(t.cluster, t.to, t.from)});
    }
    if (auto done = measure_in_time(back); !done) return done.error();
    for (const auto& round : back) {
      const MemberTransfer& t = round.front();
      if (is_narrow(t)) add_capacity(t);
    }
    return true;
  }

  /// Every two members of small clusters that no transfer so far was between; those of a round have
  /// no member in common.
  Expected<bool> try_other_pairs(const std::vector<FoundCluster*>& level,
                                 std::vector<MemberTransfer>& seen) {
    if (!all_pairs_) return true;
    TransferRounds rounds;
    for (FoundCluster* cluster : level) {
      const std::size_t k = cluster->members.size();
      for (std::size_t a = 0; k <= kMostForAllPairs && a < k; ++a) {
        for (std::size_t b = a + 1; b < k; ++b) {
          const auto is_this = [&](const MemberTransfer& t) {
            return t.cluster == cluster && std::minmax(t.from, t.to) == std::minmax(a, b);
          };
          if (std::none_of(seen.begin(), seen.end(), is_this)) {
            add_apart(single_flow(cluster, a, b), rounds);
          }
        }
      }
    }
    for (const auto& round : rounds) {
      if (prober_.spent() > until_) return false;
      TransferRounds one{round};
      auto done = measure(one);
      if (!done || !*done) return done;
      seen.insert(seen.end(), one.front().begin(), one.front().end());
    }
    return true;
  }

  static void add_apart(MemberTransfer transfer, TransferRounds& rounds) {
    const auto meets = [&](const MemberTransfer& t) {
      return t.cluster == transfer.cluster && (t.from == transfer.from || t.to == transfer.to ||
                                               t.from == transfer.to || t.to == transfer.from);
    };
    for (auto& round : rounds) {
      if (std::any_of(round.begin(), round.end(), meets)) continue;
      round.push_back(std::move(transfer));
      return;
    }
    rounds.push_back({std::move(transfer)});
  }

  static void add_capacity(const MemberTransfer& t) {
    const auto a = static_cast<std::uint32_t>(std::min(t.from, t.to));
    const auto b = static_cast<std::uint32_t>(std::max(t.from, t.to));
    auto& pairs = t.cluster->pairs;
    const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                   [a, b](const FoundPair& p) { return p.a == a && p.b == b; });
    if (pair != pairs.end()) {
      pair->capacity = t.seen.rate;
    } else {
      pairs.push_back({a, b, t.cluster->latency, t.seen.rate});
    }
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
  Expected<bool> send_together(const std::vector<FoundCluster*>& level,
                               std::span<const MemberTransfer> alone) {
    std::vector<FoundCluster*> open = level;
    for (const std::size_t width : kTogether) {
      TransferRounds rounds = ring(open, costs_, width);
      for (auto& round : rounds) {
        for (MemberTransfer& t : round) t.seen = seen_alone(t, alone);
        std::erase_if(round, [](const MemberTransfer& t) {
          return t.flows.size() < 2 || t.seen.rate.unlimited();
        });
      }
      std::erase_if(rounds, [](const auto& round) { return round.empty(); });
      if (rounds.empty()) return true;
      if (prober_.spent() > until_) return false;
      auto wider = one_width(rounds);
      if (!wider) return wider.error();
      open = std::move(*wider);
    }
    return true;
  }

  [[nodiscard]] static RateSeen seen_alone(const MemberTransfer& t,
                                           std::span<const MemberTransfer> alone) {
    return std::find_if(alone.begin(), alone.end(),
                        [&](const MemberTransfer& one) {
                          return one.cluster == t.cluster && one.from == t.from;
                        })
        ->seen;
  }

  /// The clusters in which several got more than one.
  Expected<std::vector<FoundCluster*>> one_width(const TransferRounds& rounds) {
    std::vector<PairRound> pairs;
    std::vector<std::vector<RateSeen>> alone;
    for (const auto& round : rounds) {
      pairs.emplace_back();
      alone.emplace_back();
      for (const MemberTransfer& t : round) {
        pairs.back().insert(pairs.back().end(), t.flows.begin(), t.flows.end());
        alone.back().insert(alone.back().end(), t.flows.size(), t.seen);
      }
    }
    auto rates = measure_together(prober_, pairs, alone);
    if (!rates) return rates.error();
    std::vector<FoundCluster*> wider;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      auto next = (*rates)[r].begin();
      for (const MemberTransfer& t : rounds[r]) {
        double total = 0;
        for (std::size_t i = 0; i < t.flows.size(); ++i) total += bits(*next++);
        if (!judge(t, total)) continue;
        if (std::find(wider.begin(), wider.end(), t.cluster) == wider.end()) {
          wider.push_back(t.cluster);
        }
      }
    }
    return wider;
  }

  /// False: the uplink is what one flow already fills.
  bool judge(const MemberTransfer& t, double total) {
    FoundCluster& from = t.cluster->members[t.from];
    FoundCluster& to = t.cluster->members[t.to];
    const double one = bits(t.seen.rate);
    if (total < 1.3 * one) return false;
    // A flow that was cut short would have got more: that is no cap.
    if (!t.cut_short && one < 0.8 * bits(node_out_[t.flows.front().first])) {
      t.cluster->flow_cap = std::min(t.cluster->flow_cap, t.seen.rate);
    }
    // Several flows show only that an uplink carries more: one end may have shown more already,
    // with another partner.
    const bool at_least = t.cut_short || total > 0.85 * static_cast<double>(t.flows.size()) * one;
    const auto raise = [&](FoundCluster& member, Bandwidth& side) {
      // More flows that get as much together: it is full.
      constexpr double kAsMuch = 0.9;
      if (!at_least && total >= kAsMuch * bits(side)) member.at_least = false;
      if (total <= bits(side)) return;
      side = Bandwidth{static_cast<std::uint64_t>(total)};
      member.at_least = at_least;
    };
    raise(from, from.out);
    raise(to, to.in);
    return true;
  }

  Prober& prober_;
  std::span<const NodeCost> costs_;
  Time until_;
  bool all_pairs_;
  bool is_far_ = false;      ///< whether the level being measured has long links
  bool is_complete_ = true;  ///< whether all was measured that was to be, as far as it tells
  std::vector<Bandwidth> node_out_;
};

}  // namespace

Expected<bool> calibrate(Prober& prober, FoundCluster& whole, std::span<const NodeCost> costs,
                         Time until, bool all_pairs) {
  return Calibration(prober, costs, until, all_pairs).run(whole);
}

}  // namespace espalier::discover
