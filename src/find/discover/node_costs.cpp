// Separating the cost of a node from that of its links.
//
// A. Lastovetsky, I.-H. Mkwawa, M. O'Flynn: "An accurate communication model of a heterogeneous
// cluster based on a switch-enabled Ethernet network", ICPADS 2006 (the LMO model), times one node
// sending to two for this. A sender's own busy period tells the same without a third node, also for
// a node that is alone at its site, and needs no equal links.
//
// From round trips alone: the Gromov product, the length of a leaf's own edge in an additive tree.
#include "discover/node_costs.hpp"

#include <algorithm>
#include <iterator>

namespace espalier::discover {
namespace {

/// Less than this part of a round trip is taken for noise, not for a pace.
constexpr std::int64_t kNoisePercent = 30;

}  // namespace

StreamSeen stream_seen(const Experiment& experiment, const Measured& measured, Time round_trip) {
  const std::int64_t count = experiment.messages;
  expects(experiment.kind == Kind::Stream && count > 1, "stream_seen: not a stream");
  const Time noise{round_trip.picoseconds * kNoisePercent / 100};
  const Time rest = least(measured.samples) - round_trip;
  return {
      experiment.from, experiment.to, middle(measured.busy),
      rest > noise && measured.samples.size() > 2 ? Time{rest.picoseconds / (count - 1)} : Time{0}};
}

std::vector<NodeCost> costs_from_streams(Node nodes, std::span<const StreamSeen> streams) {
  std::vector<Time> send(nodes, kForever);
  std::vector<Time> recv(nodes, kForever);
  for (const StreamSeen& s : streams) send[s.from] = std::min(send[s.from], s.busy);
  for (const StreamSeen& s : streams) {
    const bool explained = 10 * s.pace.picoseconds <= 13 * send[s.from].picoseconds;
    recv[s.to] = std::min(recv[s.to], explained ? Time{0} : s.pace);
  }
  std::vector<NodeCost> costs(nodes);
  for (Node i = 0; i < nodes; ++i) {
    if (send[i] != kForever) costs[i].send = send[i];
    if (recv[i] != kForever) costs[i].recv = recv[i];
  }
  return costs;
}

std::vector<Time> costs_from_round_trips(const RoundTrips& seen) {
  std::vector<Time> costs(seen.nodes(), kForever);
  std::vector<std::vector<std::pair<Node, Time>>> partners(seen.nodes());
  for (const auto& [pair, time] : seen.all()) {
    partners[pair.first].emplace_back(pair.second, time.least);
    partners[pair.second].emplace_back(pair.first, time.least);
  }
  for (Node i = 0; i < seen.nodes(); ++i) {
    for (auto j = partners[i].begin(); j != partners[i].end(); ++j) {
      for (auto k = std::next(j); k != partners[i].end(); ++k) {
        const auto opposite = seen.find(j->first, k->first);
        if (!opposite) continue;
        const Time twice = j->second + k->second - *opposite;
        costs[i] = std::min(costs[i], Time{std::max<std::int64_t>(0, twice.picoseconds / 2)});
      }
    }
    if (costs[i] == kForever) costs[i] = Time{0};
  }
  return costs;
}

}  // namespace espalier::discover
