#include <algorithm>
#include <cmath>

#include "discover/found.hpp"

namespace espalier::discover {
namespace {

constexpr double kMostCrossings = 8;  ///< no rendezvous protocol takes more crossings

/// Two nodes that meet on this level.
struct ProbedLink {
  NodePair nodes;
  Time latency;
  Bandwidth rate;
};

ProbedLink link_between(const FoundCluster& cluster) {
  const FoundCluster& a = cluster.members[0];
  const FoundCluster& b = cluster.members[1];
  Time latency = cluster.latency;
  for (const FoundPair& pair : cluster.pairs) {
    if (pair.a == 0 && pair.b == 1) latency = pair.latency;
  }
  return {{a.nodes.front(), b.nodes.front()}, latency, std::min({a.out, b.in, cluster.flow_cap})};
}

Expected<std::vector<Time>> times_of(Prober& prober, const ProbedLink& link,
                                     std::span<const Bytes> sizes) {
  std::vector<Round> rounds;
  for (const Bytes size : sizes) {
    rounds.push_back({{Kind::RoundTrip, link.nodes.first, link.nodes.second, size, 1,
                       /*repeats=*/5, milliseconds(40)}});
  }
  auto measured = prober.run(rounds);
  if (!measured) return measured.error();
  std::vector<Time> times;
  for (const auto& round : *measured) times.push_back(least(round.front().samples));
  return times;
}

}  // namespace

std::optional<EagerLimit> eager_limit(std::span<const Bytes> sizes,
                                      std::span<const Time> round_trips, Time latency,
                                      Bandwidth rate) {
  expects(sizes.size() == round_trips.size(), "eager_limit: not a time for each size");
  std::optional<EagerLimit> found;
  double largest = 0;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const Time bytes = transfer_time({sizes[i + 1].value - sizes[i].value}, rate);
    const Time rise = round_trips[i + 1] - round_trips[i] - bytes;
    const double crossings = static_cast<double>(rise.picoseconds) /
                             static_cast<double>(std::max<std::int64_t>(1, latency.picoseconds));
    const bool is_noise = rise.picoseconds * 4 < round_trips[i].picoseconds;
    if (is_noise || crossings < 0.75 || crossings > kMostCrossings || crossings <= largest)
      continue;
    // It stays: a moment's traffic does not.
    const bool falls_back = i + 2 < sizes.size() &&
                            round_trips[i + 2] - round_trips[i + 1] < Time{-rise.picoseconds / 2};
    if (falls_back) continue;
    largest = crossings;
    found = {sizes[i], static_cast<std::uint32_t>(std::lround(std::max(1.0, crossings)))};
  }
  return found;
}

Expected<std::vector<std::optional<EagerLimit>>> find_eager_limits(Prober& prober,
                                                                   FoundCluster& whole,
                                                                   Time until) {
  const auto levels = by_depth(whole);
  std::vector<std::optional<EagerLimit>> limits(levels.size());
  std::vector<Bytes> sizes;
  for (std::uint64_t kib = 1; kib <= 256; kib *= 2) sizes.push_back({kib << 10U});
  for (std::size_t depth = levels.size(); depth-- > 0;) {
    if (prober.spent() > until) break;
    const ProbedLink link = link_between(*levels[depth].front());
    auto times = times_of(prober, link, sizes);
    if (!times) return times.error();
    const auto first = eager_limit(sizes, *times, link.latency, link.rate);
    if (!first) continue;
    // Once more: what a moment's traffic held up is not held up again.
    const std::vector<Bytes> around{first->limit, {2 * first->limit.value}};
    auto again = times_of(prober, link, around);
    if (!again) return again.error();
    const auto at = static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), first->limit) -
                                             sizes.begin());
    for (std::size_t i = 0; i < 2; ++i) (*again)[i] = std::min((*again)[i], (*times)[at + i]);
    limits[depth] = eager_limit(around, *again, link.latency, link.rate);
    if (limits[depth]) sizes = around;
  }
  return limits;
}

}  // namespace espalier::discover
