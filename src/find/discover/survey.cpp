#include "discover/survey.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace espalier::discover {
namespace {

constexpr std::uint32_t kRepeats = 4;
constexpr std::uint32_t kStreamMessages = 32;
/// Over a far link one sample will do: there are many pairs of the same two sites.
constexpr Time kPatience = milliseconds(15);
/// Enough for three streams to a receiver that takes 400 us a message.
constexpr Time kStreamPatience = milliseconds(30);
/// Rounds of comparisons before the clusters are computed again.
constexpr std::size_t kRoundsAtOnce = 3;

Expected<bool> probe_round_trips(Prober& prober, const std::vector<PairRound>& pairs,
                                 Survey& result) {
  std::vector<Round> rounds;
  for (const PairRound& round : pairs) {
    rounds.emplace_back();
    for (const auto& [a, b] : round) {
      rounds.back().push_back(
          {Kind::RoundTrip, a, b, Bytes{0}, /*messages=*/1, kRepeats, kPatience});
      ++result.probes;
    }
  }
  auto measured = prober.run(rounds);
  if (!measured) return measured.error();
  result.rounds += rounds.size();
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      const Experiment& e = rounds[r][i];
      const std::vector<Time>& samples = (*measured)[r][i].samples;
      result.round_trips.add(e.from, e.to, least(samples),
                             static_cast<std::uint32_t>(samples.size()));
    }
  }
  return true;
}

/// Each node with its nearest, both ways, where that was not done yet.
std::vector<Round> stream_rounds(const RoundTrips& seen, std::set<NodePair>& done) {
  const std::vector<Node> partner = nearest(seen);
  std::vector<NodePair> pairs;
  for (Node i = 0; i < seen.nodes(); ++i) {
    if (partner[i] == kNoNode) continue;
    const NodePair pair = std::minmax(i, partner[i]);
    if (done.insert(pair).second) pairs.push_back(pair);
  }
  std::vector<Round> rounds;
  for (const PairRound& round : in_rounds(pairs)) {
    Round there, back;
    for (const auto& [a, b] : round) {
      there.push_back({Kind::Stream, a, b, Bytes{0}, kStreamMessages, kRepeats, kStreamPatience});
      back.push_back({Kind::Stream, b, a, Bytes{0}, kStreamMessages, kRepeats, kStreamPatience});
    }
    rounds.push_back(std::move(there));
    rounds.push_back(std::move(back));
  }
  return rounds;
}

/// What nodes cost, from all streams so far.
class CostProbe {
 public:
  /// True if anything new was measured.
  Expected<bool> run(Prober& prober, Survey& result) {
    const std::vector<Round> rounds = stream_rounds(result.round_trips, done_);
    if (rounds.empty()) return false;
    auto measured = prober.run(rounds);
    if (!measured) return measured.error();
    result.rounds += rounds.size();
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      for (std::size_t i = 0; i < rounds[r].size(); ++i) {
        const Experiment& e = rounds[r][i];
        streams_.push_back(
            stream_seen(e, (*measured)[r][i], *result.round_trips.find(e.from, e.to)));
        ++result.probes;
      }
    }
    result.costs = costs_from_streams(prober.size(), streams_);
    return true;
  }

 private:
  std::set<NodePair> done_;
  std::vector<StreamSeen> streams_;
};

void look_at_clusters(Survey& result) {
  result.links = links_seen(result.round_trips, result.costs);
  result.clusters = cluster_links(result.round_trips.nodes(), result.links);
}

}  // namespace

Time deadline(const Budget& budget, const RoundTrips& seen) {
  Time slowest;
  for (const auto& [pair, time] : seen.all()) slowest = std::max(slowest, time.least);
  return std::min(budget.most, std::max(budget.least, budget.round_trips * slowest));
}

Expected<Survey> survey(Prober& prober, std::span<const Node> order, const Budget& budget) {
  const Node n = prober.size();
  expects(n >= 1 && order.size() == n, "survey: the order does not name every node");
  Survey result;
  result.round_trips = RoundTrips(n);
  result.costs.resize(n);
  CostProbe costs;
  if (n > 1) {
    if (auto done = probe_round_trips(prober, first_pairs(order), result); !done) {
      return done.error();
    }
    if (auto done = costs.run(prober, result); !done) return done.error();
  }
  look_at_clusters(result);
  const std::uint64_t log_n = static_cast<std::uint64_t>(std::bit_width(n - 1));
  const std::uint64_t most = 2 * n * log_n + 4ULL * n;
  for (std::size_t rounds_left = most_comparison_rounds(n);;) {
    const std::uint64_t left = most - std::min(most, result.probes);
    const Comparisons next = comparisons_left(result.clusters, result.round_trips,
                                              std::min(kRoundsAtOnce, rounds_left), left);
    rounds_left -= next.rounds.size();
    result.uncompared = next.open;
    result.out_of_time = prober.spent() > deadline(budget, result.round_trips);
    if (result.out_of_time) return result;
    if (next.rounds.empty()) {
      // Nodes whose nearest was found meanwhile: over a far link a slow receiver does not show.
      auto more = costs.run(prober, result);
      if (!more) return more.error();
      if (!*more) return result;
    } else if (auto done = probe_round_trips(prober, next.rounds, result); !done) {
      return done.error();
    }
    look_at_clusters(result);
  }
}

}  // namespace espalier::discover
