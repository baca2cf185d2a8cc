#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "discover/assemble.hpp"

namespace espalier::discover {
namespace {

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string rate_in_words(Bandwidth rate) {
  const double value = static_cast<double>(rate.bits_per_second);
  return value >= 999.5e6 ? fmt::format("{:.3g} Gbit/s", value / 1e9)
                          : fmt::format("{:.3g} Mbit/s", value / 1e6);
}

std::string latencies_in_words(const std::vector<FoundCluster*>& level) {
  Time low = kForever, high;
  for (const FoundCluster* cluster : level) {
    low = std::min(low, cluster->latency);
    high = std::max(high, cluster->latency);
    for (const FoundPair& pair : cluster->pairs) {
      low = std::min(low, pair.latency);
      high = std::max(high, pair.latency);
    }
  }
  if (10 * high.picoseconds <= 12 * low.picoseconds) return rounded(high, 3);
  return fmt::format("{} to {}", rounded(low, 3), rounded(high, 3));
}

std::string level_in_words(const std::vector<FoundCluster*>& level,
                           const topology::LevelName& name) {
  std::size_t members = 0;
  Bandwidth narrowest;
  Bandwidth cap;
  Bandwidth narrow_pair;
  std::size_t narrow_pairs = 0;
  bool at_least = false;
  for (const FoundCluster* cluster : level) {
    members += cluster->members.size();
    cap = std::min(cap, cluster->flow_cap);
    for (const FoundPair& pair : cluster->pairs) {
      narrow_pair = std::min(narrow_pair, pair.capacity);
      narrow_pairs += pair.capacity.unlimited() ? 0 : 1;
    }
    for (const FoundCluster& m : cluster->members) {
      const Bandwidth rate = std::min(m.out, m.in);
      if (rate < narrowest) at_least = m.at_least;
      narrowest = std::min(narrowest, rate);
    }
  }
  std::string text =
      fmt::format("{} {} apart", plural(members, name.members), latencies_in_words(level));
  if (!narrowest.unlimited()) {
    text += fmt::format(", uplinks of {}{}", at_least ? "at least " : "", rate_in_words(narrowest));
  }
  if (narrow_pairs > 0) {
    text +=
        fmt::format(", {} of only {}", plural(narrow_pairs, "pair"), rate_in_words(narrow_pair));
  }
  if (!cap.unlimited()) text += fmt::format(", a single flow gets {}", rate_in_words(cap));
  return text;
}

std::string slow_in_words(const UnusualNode& slow, const std::string& name) {
  return fmt::format("{} {} {:.1f} x slower than its neighbours ({} a message)", name,
                     slow.sends ? "sends" : "receives",
                     to_seconds(slow.own) / to_seconds(slow.usual), rounded(slow.own, 3));
}

Time latency_between(const FoundCluster& cluster, Node a, Node b) {
  std::size_t at_a = 0, at_b = 0;
  for (std::size_t i = 0; i < cluster.members.size(); ++i) {
    const auto& nodes = cluster.members[i].nodes;
    if (std::binary_search(nodes.begin(), nodes.end(), a)) at_a = i;
    if (std::binary_search(nodes.begin(), nodes.end(), b)) at_b = i;
  }
  if (at_a == at_b) return latency_between(cluster.members[at_a], a, b);
  for (const FoundPair& pair : cluster.pairs) {
    if (std::minmax<std::size_t>(pair.a, pair.b) == std::minmax(at_a, at_b)) return pair.latency;
  }
  return cluster.latency;
}

}  // namespace

std::vector<std::string> in_words(const FoundCluster& whole, std::span<const UnusualNode> unusual,
                                  std::span<const NodeInfo> nodes,
                                  std::span<const std::optional<EagerLimit>> eager) {
  std::vector<std::string> words;
  FoundCluster copy = whole;
  const auto levels = by_depth(copy);
  const auto names = network_levels(whole);
  if (levels.empty()) words.push_back("1 node");
  for (std::size_t d = 0; d < levels.size(); ++d) {
    words.push_back(level_in_words(levels[d], names[d]));
    if (d >= eager.size() || !eager[d]) continue;
    words.back() += fmt::format("; messages above {} cross {} more times before their bytes",
                                to_string(eager[d]->limit), eager[d]->crossings);
  }
  for (const UnusualNode& node : unusual) {
    if (node.is_slow()) words.push_back(slow_in_words(node, nodes[node.node].name));
  }
  return words;
}

Fit fit_of(const Survey& survey, const FoundCluster& whole, std::span<const NodeInfo> nodes) {
  Fit fit;
  std::vector<double> errors;
  for (const auto& [pair, seen] : survey.round_trips.all()) {
    const auto [a, b] = pair;
    const Time told = 2 * latency_between(whole, a, b) + survey.costs[a].send +
                      survey.costs[a].recv + survey.costs[b].send + survey.costs[b].recv;
    const Time off = seen.least > told ? seen.least - told : told - seen.least;
    errors.push_back(to_seconds(off) / std::max(1e-12, to_seconds(seen.least)));
    if (errors.back() > 0.25 && off > microseconds(50)) {
      fit.outliers.push_back(fmt::format("{} to {} and back took {}, where {} was expected",
                                         nodes[a].name, nodes[b].name, rounded(seen.least, 3),
                                         rounded(told, 3)));
    }
  }
  if (errors.empty()) return fit;
  std::sort(errors.begin(), errors.end());
  fit.median_error = errors[errors.size() / 2];
  fit.worst_error = errors[errors.size() * 9 / 10];
  return fit;
}

}  // namespace espalier::discover
