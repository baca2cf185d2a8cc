#include "reproduce/hnow_network.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace espalier::reproduce {
namespace {

constexpr Rank kLinksASwitch = 4;  // 50 % of eight ports
constexpr Rank kHostsASwitch = HnowNetwork::kHosts / HnowNetwork::kSwitches;
constexpr Rank kFar = HnowNetwork::kSwitches;

using Matrix = std::vector<Rank>;

Rank& at(Matrix& m, Rank a, Rank b) { return m[a * HnowNetwork::kSwitches + b]; }

/// Joins free ports at random, at most one link between two switches; false if that got stuck.
bool join_ports(Random& rng, Matrix& hops) {
  std::vector<Rank> ports;
  for (Rank s = 0; s < HnowNetwork::kSwitches; ++s) ports.insert(ports.end(), kLinksASwitch, s);
  rng.shuffle(std::span(ports));
  for (std::size_t i = 0; i < ports.size(); i += 2) {
    const Rank a = ports[i], b = ports[i + 1];
    if (a == b || at(hops, a, b) == 1) return false;
    at(hops, a, b) = at(hops, b, a) = 1;
  }
  return true;
}

/// Floyd and Warshall; false if the network falls apart.
bool close(Matrix& hops) {
  const Rank n = HnowNetwork::kSwitches;
  for (Rank k = 0; k < n; ++k) {
    for (Rank i = 0; i < n; ++i) {
      for (Rank j = 0; j < n; ++j) {
        at(hops, i, j) = std::min(at(hops, i, j), at(hops, i, k) + at(hops, k, j));
      }
    }
  }
  return std::all_of(hops.begin(), hops.end(), [](Rank h) { return h < kFar; });
}

}  // namespace

HnowNetwork::HnowNetwork(std::uint64_t seed) {
  Random rng(seed);
  do {
    hops_.assign(std::size_t{kSwitches} * kSwitches, kFar);
    for (Rank s = 0; s < kSwitches; ++s) at(hops_, s, s) = 0;
  } while (!join_ports(rng, hops_) || !close(hops_));
}

Rank HnowNetwork::switches_between(Rank from, Rank to) const {
  return hops_[from / kHostsASwitch * kSwitches + to / kHostsASwitch] + 1;
}

model::MessageCost HnowModel::cost(Rank from, Rank to, Bytes size) const {
  constexpr Time kFlit = picoseconds(12'500);  // t_phy, t_sw, t_inj and t_cons alike
  constexpr Time kRoute = nanoseconds(500);
  const std::int64_t switches = network_.switches_between(from, to);
  const Time wire =
      kFlit + switches * (kRoute + kFlit) + static_cast<std::int64_t>(size.value) * kFlit + kFlit;
  return {initiation_[from], Time{0}, initiation_[from] + wire};
}

}  // namespace espalier::reproduce
