#include "discover/survey.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace espalier::discover {
namespace {

constexpr std::uint32_t kRepeats = 4;
constexpr std::uint32_t kSweepRepeats = 3;
constexpr Time kNear =
    milliseconds(10);  ///< a round trip that others at the same time may lengthen
constexpr std::uint32_t kStreamMessages = 32;
constexpr Time kStreamPatience = milliseconds(30);  ///< for three of a receiver of 400 us
constexpr std::size_t kRoundsAtOnce = 3;  ///< comparisons between two looks at the clusters

std::vector<Round> round_trip_rounds(const std::vector<PairRound>& pairs) {
  std::vector<Round> rounds;
  for (const PairRound& round : pairs) {
    rounds.emplace_back();
    for (const auto& [a, b] : round) {
      rounds.back().push_back({Kind::RoundTrip, a, b, kNoNode, Bytes{0}, /*messages=*/1, kRepeats});
    }
  }
  return rounds;
}

void take(const Experiment& e, const Measured& measured, Survey& result) {
  ++result.probes;
  if (e.kind != Kind::RoundTrip) return;
  result.round_trips.add(e.from, e.to, least(measured.samples),
                         static_cast<std::uint32_t>(measured.samples.size()));
}

Expected<bool> probe_round_trips(Prober& prober, const std::vector<PairRound>& pairs,
                                 Survey& result) {
  const std::vector<Round> rounds = round_trip_rounds(pairs);
  auto measured = prober.run(rounds);
  if (!measured) return measured.error();
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      take(rounds[r][i], (*measured)[r][i], result);
    }
  }
  return true;
}

/// All at once, which connects them: what is far is known then, and who is near.
Expected<bool> sweep_pairs(Prober& prober, const std::vector<PairRound>& pairs, Survey& result) {
  std::vector<Experiment> experiments;
  for (const PairRound& round : pairs) {
    for (const auto& [a, b] : round) {
      // By turns, so that no node has to begin all of its pairs.
      const bool swap = (a + b) % 2 == 0;
      experiments.push_back({Kind::RoundTrip, swap ? b : a, swap ? a : b, kNoNode, Bytes{0},
                             /*messages=*/1, kSweepRepeats});
    }
  }
  auto measured = prober.sweep(experiments);
  if (!measured) return measured.error();
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    take(experiments[i], (*measured)[i], result);
  }
  return true;
}

/// Pairs so near that others at the same time may have held them up, one at a time a node.
std::vector<PairRound> near_pairs(const RoundTrips& seen) {
  std::vector<NodePair> pairs;
  for (const auto& [pair, time] : seen.all()) {
    if (time.least < kNear) pairs.push_back(pair);
  }
  return in_rounds(pairs);
}

/// What nodes cost, from streams between each of them and its nearest, both ways.
class CostProbe {
 public:
  /// Those of nodes that had none yet, or none with one that is much nearer than it was then.
  std::vector<Round> rounds(const RoundTrips& seen) {
    const std::vector<Node> partner = nearest(seen);
    std::vector<NodePair> pairs;
    partner_.resize(seen.nodes(), kNoNode);
    for (Node i = 0; i < seen.nodes(); ++i) {
      if (partner[i] == kNoNode || !is_better(seen, i, partner[i])) continue;
      partner_[i] = partner[i];
      const NodePair pair = std::minmax(i, partner[i]);
      if (done_.insert(pair).second) pairs.push_back(pair);
    }
    std::vector<Round> rounds;
    for (const PairRound& round : in_rounds(pairs)) {
      Round there, back;
      for (const auto& [a, b] : round) {
        there.push_back(
            {Kind::Stream, a, b, kNoNode, Bytes{0}, kStreamMessages, kRepeats, kStreamPatience});
        back.push_back(
            {Kind::Stream, b, a, kNoNode, Bytes{0}, kStreamMessages, kRepeats, kStreamPatience});
      }
      rounds.push_back(std::move(there));
      rounds.push_back(std::move(back));
    }
    return rounds;
  }

  void take_stream(const Experiment& e, const Measured& measured, Survey& result) {
    streams_.push_back(stream_seen(e, measured, *result.round_trips.find(e.from, e.to)));
    result.costs = costs_from_streams(result.round_trips.nodes(), streams_);
  }

 private:
  [[nodiscard]] bool is_better(const RoundTrips& seen, Node node, Node other) const {
    if (partner_[node] == kNoNode) return true;
    return 2 * *seen.find(node, other) < *seen.find(node, partner_[node]);
  }

  std::vector<Node> partner_;
  std::set<NodePair> done_;
  std::vector<StreamSeen> streams_;
};

/// Round trips, then what costs are missing, in one go. @return whether there was anything
Expected<bool> probe_near(Prober& prober, const std::vector<PairRound>& pairs, CostProbe& costs,
                          Survey& result) {
  std::vector<Round> rounds = round_trip_rounds(pairs);
  for (Round& round : costs.rounds(result.round_trips)) rounds.push_back(std::move(round));
  if (rounds.empty()) return false;
  auto measured = prober.run(rounds);
  if (!measured) return measured.error();
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      const Experiment& e = rounds[r][i];
      take(e, (*measured)[r][i], result);
      if (e.kind == Kind::Stream) costs.take_stream(e, (*measured)[r][i], result);
    }
  }
  return true;
}

void look_at_clusters(Survey& result) {
  result.links = links_seen(result.round_trips, result.costs);
  result.clusters = cluster_links(result.round_trips.nodes(), result.links);
}

}  // namespace

Time deadline(const Budget& budget, const RoundTrips& seen) {
  Time slowest;
  for (const auto& [pair, time] : seen.all()) slowest = std::max(slowest, time.least);
  return std::max(budget.least, budget.round_trips * slowest);
}

Expected<Survey> survey(Prober& prober, std::span<const Node> order, const Budget& budget) {
  const Node n = prober.size();
  expects(n >= 1 && order.size() == n, "survey: the order does not name every node");
  Survey result;
  result.round_trips = RoundTrips(n);
  result.costs.resize(n);
  CostProbe costs;
  if (n > 1) {
    if (auto done = sweep_pairs(prober, first_pairs(order), result); !done) return done.error();
    auto done = probe_near(prober, near_pairs(result.round_trips), costs, result);
    if (!done) return done.error();
  }
  look_at_clusters(result);
  const std::uint64_t log_n = static_cast<std::uint64_t>(std::bit_width(n - 1));
  const std::uint64_t most = 2 * n * log_n + 4ULL * n;
  while (true) {
    const std::uint64_t left = most - std::min(most, result.probes);
    const Comparisons next =
        comparisons_left(result.clusters, result.round_trips, kRoundsAtOnce, left);
    result.uncompared = next.open;
    result.out_of_time = prober.spent() > deadline(budget, result.round_trips);
    if (result.out_of_time) return result;
    if (next.rounds.empty()) {
      // Nodes whose nearest was found meanwhile: over a far link a slow receiver does not show.
      auto more = probe_near(prober, {}, costs, result);
      if (!more) return more.error();
      if (!*more) return result;
    } else if (auto done = probe_round_trips(prober, next.rounds, result); !done) {
      return done.error();
    }
    look_at_clusters(result);
  }
}

}  // namespace espalier::discover
