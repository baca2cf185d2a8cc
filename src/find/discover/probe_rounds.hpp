#pragma once

#include <span>
#include <utility>
#include <vector>

#include "discover/link_tree.hpp"

namespace espalier::discover {

using NodePair = std::pair<Node, Node>;
/// Pairs probed at the same time; no node is in two of them.
using PairRound = std::vector<NodePair>;

/// Up to this many nodes, the first probes cover all pairs.
inline constexpr Node kAllPairsUpTo = 8;
inline constexpr Node kAllPairsAtMost = 16;

/// No node is probed with more others than this while clusters are looked for: 3 ceil(log2 n) + 8.
/// Up to kAllPairsUpTo nodes that is more than there are.
[[nodiscard]] std::uint32_t most_partners(Node nodes);
/// Rounds of comparisons that there are at most: 6 ceil(log2 n) + 8.
[[nodiscard]] std::size_t most_comparison_rounds(Node nodes);

/// The pairs to probe first: all of a few nodes. Of more, each with the next in `order` (labels,
/// subnets, names: who stands together there is likely to be near) and ceil(log2 n) - 1 times with
/// one drawn by lot, which finds clusters in whatever order they are.
/// At most n - 1 + (ceil(log2 n) - 1) n / 2 pairs, in ceil(log2 n) + 1 rounds.
/// @pre order is a permutation of 0 .. n-1
[[nodiscard]] std::vector<PairRound> first_pairs(std::span<const Node> order);

/// Pairs in rounds, each pair in the first one that has neither of its nodes.
[[nodiscard]] std::vector<PairRound> in_rounds(std::span<const NodePair> pairs);

/// Pairs to probe next. Two neighbours in a cluster might belong together if no pair of nodes
/// between them was probed, or too seldom: at most `most_pairs`, one for each two neighbours, the
/// larger ones first. A neighbour is asked by a quarter of its nodes in a round, by one at least.
/// Of its nodes those come first that had the fewest partners; who had most_partners() gets no new
/// one. Clusters of more than kAllPairsAtMost that hold nothing but nodes are not asked about: no
/// two of them were near. `open`: how many neighbours were not compared so far.
struct Comparisons {
  std::vector<PairRound> rounds;
  std::uint64_t open = 0;
};
[[nodiscard]] Comparisons comparisons_left(const LinkCluster& whole, const RoundTrips& seen,
                                           std::size_t most_rounds, std::uint64_t most_pairs);

}  // namespace espalier::discover
