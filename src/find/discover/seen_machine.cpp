#include "discover/seen_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/contract.hpp"
#include "discover/assemble.hpp"
#include "discover/probe_rounds.hpp"
#include "topology/usual_figures.hpp"

namespace espalier::discover {
namespace {

constexpr double kUnseen = -std::numeric_limits<double>::infinity();
constexpr Time kFarLink = milliseconds(1);
constexpr Bandwidth kAssumedFar{100'000'000};
/// The kernel saw every acknowledgement: as good as any number of probes.
constexpr std::uint32_t kSamplesOfAKernel = 4;

/// Whether the round trips lead from every node to every other.
bool joins_all(const RoundTrips& seen) {
  std::vector<Node> part(seen.nodes());
  std::iota(part.begin(), part.end(), 0U);
  for (const auto& [pair, time] : seen.all()) {
    const Node from = part[pair.first], to = part[pair.second];
    std::replace(part.begin(), part.end(), from, to);
  }
  return std::all_of(part.begin(), part.end(), [&](Node p) { return p == part.front(); });
}

/// The fastest connection out of some nodes to others of a cluster, and back.
struct BothWays {
  Bandwidth out{0}, in{0};
};
BothWays rates_of(const FoundCluster& member, const FoundCluster& cluster, const NodesSeen& seen) {
  BothWays rates;
  for (const Node inside : member.nodes) {
    for (const Node other : cluster.nodes) {
      if (std::binary_search(member.nodes.begin(), member.nodes.end(), other)) continue;
      rates.out = std::max(rates.out, seen.rate(inside, other));
      rates.in = std::max(rates.in, seen.rate(other, inside));
    }
  }
  return rates;
}

/// Gives all links of a cluster their rates: what is assumed, or more if more was seen.
void set_rates(FoundCluster& cluster, const NodesSeen& seen) {
  const Bandwidth assumed = cluster.latency >= kFarLink ? kAssumedFar : topology::kUsualLink.out;
  for (FoundCluster& member : cluster.members) {
    const BothWays rates = rates_of(member, cluster, seen);
    member.out = std::max(rates.out, assumed);
    member.in = std::max(rates.in, assumed);
    member.at_least = true;
  }
}

std::vector<NodeInfo> plain_nodes(std::span<const std::vector<Rank>> ranks) {
  std::vector<NodeInfo> nodes;
  for (std::size_t n = 0; n < ranks.size(); ++n) {
    nodes.push_back({"node" + std::to_string(n), "", ranks[n],
                     plain_inside(static_cast<std::uint32_t>(ranks[n].size())),
                     topology::kUsualMemory.latency});
  }
  return nodes;
}

}  // namespace

NodesSeen::NodesSeen(Node nodes) : nodes_(nodes), numbers_(2 * std::size_t{nodes} * nodes, 0.0) {
  expects(nodes >= 1 && nodes <= kMost, "NodesSeen: too many nodes");
  std::fill_n(numbers_.begin(), numbers_.size() / 2, kUnseen);
}

void NodesSeen::add(Node from, Node to, const PeerSeen& seen) {
  if (from == to) return;
  const std::size_t here = at(from, to);
  double& round_trip = numbers_[here];
  round_trip = std::max(round_trip, -static_cast<double>(seen.round_trip.picoseconds) * 1e-12);
  double& rate = numbers_[numbers_.size() / 2 + here];
  rate = std::max(rate, static_cast<double>(seen.rate.bits_per_second));
}

void NodesSeen::take(std::span<const double> largest) {
  expects(largest.size() == numbers_.size(), "NodesSeen: not as many numbers");
  for (std::size_t i = 0; i < largest.size(); ++i) {
    numbers_[i] = std::max(numbers_[i], largest[i]);
  }
}

std::optional<Time> NodesSeen::round_trip(Node a, Node b) const {
  const double seconds_back = std::max(numbers_[at(a, b)], numbers_[at(b, a)]);
  if (seconds_back == kUnseen) return std::nullopt;
  return Time{std::llround(-seconds_back * 1e12)};
}

Bandwidth NodesSeen::rate(Node from, Node to) const {
  return Bandwidth{static_cast<std::uint64_t>(numbers_[numbers_.size() / 2 + at(from, to)])};
}

std::optional<SeenMachine> machine_seen(const NodesSeen& seen,
                                        std::span<const std::vector<Rank>> ranks) {
  expects(seen.nodes() == ranks.size(), "machine_seen: not the ranks of each node");
  Survey survey;
  survey.round_trips = RoundTrips(seen.nodes());
  survey.costs.resize(seen.nodes());
  for (Node a = 0; a < seen.nodes(); ++a) {
    for (Node b = a + 1; b < seen.nodes(); ++b) {
      const auto time = seen.round_trip(a, b);
      if (time) survey.round_trips.add(a, b, *time, kSamplesOfAKernel);
    }
  }
  if (!joins_all(survey.round_trips)) return std::nullopt;
  survey.links = links_seen(survey.round_trips, survey.costs);
  survey.clusters = cluster_links(seen.nodes(), survey.links);
  const auto pairs = std::uint64_t{seen.nodes()} * seen.nodes();
  if (comparisons_left(survey.clusters, survey.round_trips, 1, pairs).open > 0) return std::nullopt;
  FoundCluster found = with_latencies(survey);
  for (const auto& level : by_depth(found)) {
    for (FoundCluster* cluster : level) set_rates(*cluster, seen);
  }
  const std::vector<NodeInfo> nodes = plain_nodes(ranks);
  auto machine = assemble(found, survey.costs, nodes);
  if (!machine) return std::nullopt;
  std::vector<std::string> words = in_words(found, {}, nodes, {});
  words.emplace_back(
      "seen on the connections of the program itself, without a probe; rates are assumed");
  return SeenMachine{std::move(*machine), std::move(words)};
}

}  // namespace espalier::discover
