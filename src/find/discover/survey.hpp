#pragma once

#include <span>
#include <string>
#include <vector>

#include "discover/probe_rounds.hpp"

namespace espalier::discover {

/// How long discovery may take: the longer of `least` and `round_trips`, but at most `most`.
struct Budget {
  Time least = seconds(1);
  std::int64_t round_trips = 20;  ///< budget counted in round trips of the slowest link
  bool eager_limits = true;       ///< whether eager limits are searched too
  /// Whether the rate between every two of up to 8 members of a cluster is measured, while there is
  /// time. Else pairs are known from the ring of all members, which is all pairs of up to 3.
  bool pair_rates = true;
  /// Round trips on busy computers may look long; a program that waits does not wait for that.
  Time most = kForever;
};

/// Who is near whom, and what small messages cost each node.
struct Survey {
  RoundTrips round_trips{0};
  std::vector<NodeCost> costs;
  std::vector<LinkSeen> links;
  LinkCluster clusters;
  std::uint64_t probes = 0;  ///< number of experiments
  std::size_t rounds = 0;    ///< rounds that they were done in, one after the other
  /// Pairs of neighbours that were taken for different without a probe.
  std::uint64_t uncompared = 0;
  bool out_of_time = false;
};

/// When the budget is used up, given the round trips measured so far.
[[nodiscard]] Time deadline(const Budget& budget, const RoundTrips& seen);

/// Round trips of the pairs of first_pairs(), a stream each way between each node and its nearest,
/// and then one probe for every two neighbours that might be one cluster, until there are none.
/// At most 2 n ceil(log2 n) + 6 n experiments; never all pairs of more than kAllPairsAtMost nodes.
/// No node has more than most_partners() others to talk to. O(log n) rounds:
///   first pairs   ceil(log2 n) + 1, or n rounds of at most kAllPairsUpTo nodes
///   comparisons   most_comparison_rounds() at most
///   streams       a node meets those that it is nearest to: at most 4 most_partners() rounds
/// @param order the nodes, those first that are likely to stand together
Expected<Survey> survey(Prober& prober, std::span<const Node> order, const Budget& budget = {});

}  // namespace espalier::discover
