#include "discover/round_trips.hpp"

#include <algorithm>

namespace espalier::discover {

void RoundTrips::add(Node a, Node b, Time round_trip, std::uint32_t samples) {
  expects(a != b && a < nodes_ && b < nodes_, "RoundTrips: not a pair of nodes");
  const auto at = seen_.try_emplace(std::minmax(a, b), RoundTrip{round_trip, 0}).first;
  at->second.least = std::min(at->second.least, round_trip);
  at->second.samples += samples;
}

std::optional<Time> RoundTrips::find(Node a, Node b) const {
  const auto at = seen_.find(std::minmax(a, b));
  return at == seen_.end() ? std::nullopt : std::optional<Time>(at->second.least);
}

std::vector<Node> nearest(const RoundTrips& seen) {
  std::vector<Node> best(seen.nodes(), kNoNode);
  std::vector<Time> least(seen.nodes(), kForever);
  for (const auto& [pair, seen_between] : seen.all()) {
    const Time time = seen_between.least;
    const auto offer = [&](Node node, Node other) {
      if (time >= least[node]) return;
      least[node] = time;
      best[node] = other;
    };
    offer(pair.first, pair.second);
    offer(pair.second, pair.first);
  }
  return best;
}

}  // namespace espalier::discover
