#include "topology/usual_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/units.hpp"

namespace espalier::topology {
namespace {

/// How names of what is inside of a node begin.
constexpr std::array<std::string_view, 16> kInsideNodes{
    "proc", "core", "slot", "rank", "pu",  "thread", "socket", "package",
    "numa", "l2",   "l3",   "die",  "cpu", "gpu",    "task",   "domain"};

bool joins_nodes(const Machine& machine, std::size_t level) {
  // hwloc writes "Package" and "PU".
  std::string members = machine.levels()[level].members;
  std::transform(members.begin(), members.end(), members.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_innermost = level + 1 == machine.levels().size();
  if (members.empty()) return !is_innermost || machine.levels().size() == 1;
  return std::none_of(kInsideNodes.begin(), kInsideNodes.end(),
                      [&](std::string_view begin) { return members.starts_with(begin); });
}

/// What messages of each level would have, from the outermost inwards, were nothing known of it.
std::vector<LevelFigures> figures_of(const Machine& machine) {
  std::vector<LevelFigures> figures(machine.levels().size());
  Time memory = kUsualMemory.latency;
  Time network = kUsualNetwork.latency;
  bool is_outside = false;  // what is around a level that joins nodes joins nodes too
  for (std::size_t l = figures.size(); l-- > 0;) {
    is_outside = is_outside || joins_nodes(machine, l);
    Time& next = is_outside ? network : memory;
    figures[l] = is_outside ? LevelFigures{next, kUsualLink.out, std::nullopt}
                            : LevelFigures{next, std::nullopt, kUsualMemory.flow_cap};
    next = next + next;
  }
  return figures;
}

/// What the description says of the latencies of one level.
struct KnownLatency {
  bool is_joining = false;  ///< some cluster has two members: a message may need the latency
  bool has_hops = false;    ///< an uplink on the way up to this level takes time
  Time longest;             ///< longest latency of a channel or a pair
};

std::vector<KnownLatency> known_latencies(const Machine& machine) {
  std::vector<KnownLatency> known(machine.levels().size());
  std::size_t hops_up_to = 0;  // levels that messages reach over uplinks with a latency
  for (const Cluster& cluster : machine.clusters()) {
    KnownLatency& level = known[cluster.depth];
    level.is_joining = level.is_joining || cluster.member_count > 1;
    level.longest = std::max(level.longest, cluster.channel.latency);
    for (const PairLink& pair : machine.pairs(cluster)) {
      level.longest = std::max(level.longest, pair.latency);
    }
    if (cluster.uplink.latency > Time{}) {
      hops_up_to = std::max<std::size_t>(hops_up_to, cluster.depth);
    }
  }
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    if (machine.leaf_uplink(leaf).latency > Time{}) hops_up_to = known.size();
  }
  for (std::size_t l = 0; l < hops_up_to; ++l) known[l].has_hops = true;
  return known;
}

/// Keeps the latencies that there are: what is assumed lies between those of its neighbours.
void keep_known(std::vector<LevelFigures>& figures, const std::vector<KnownLatency>& known) {
  Time outer = kForever;
  for (std::size_t l = 0; l < figures.size(); ++l) {
    const bool is_known = known[l].longest > Time{} || known[l].has_hops || !known[l].is_joining;
    if (known[l].longest > Time{}) outer = known[l].longest;
    figures[l].latency =
        is_known ? std::nullopt : std::optional(std::min(*figures[l].latency, outer));
  }
  Time inner{};
  for (std::size_t l = figures.size(); l-- > 0;) {
    if (figures[l].latency) figures[l].latency = std::max(*figures[l].latency, inner);
    inner = std::max(inner, figures[l].latency.value_or(known[l].longest));
  }
}

bool is_limited(const Uplink& uplink) { return !uplink.out.unlimited() || !uplink.in.unlimited(); }

/// Whether messages of this level pass a capacity: a channel's or a pair's of the level, or an
/// uplink of the level or of those inside of it.
bool has_limit(const Machine& machine, std::size_t level) {
  for (const Cluster& cluster : machine.clusters()) {
    if (cluster.depth > level && is_limited(cluster.uplink)) return true;
    if (cluster.depth != level) continue;
    if (!cluster.channel.backbone.unlimited() || !cluster.channel.flow_cap.unlimited()) return true;
    for (const PairLink& pair : machine.pairs(cluster)) {
      if (!pair.capacity.unlimited()) return true;
    }
  }
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    if (is_limited(machine.leaf_uplink(leaf))) return true;
  }
  return false;
}

/// Bandwidths come with latencies, for levels that have no limit.
void drop_known_limits(std::vector<LevelFigures>& figures, const Machine& machine) {
  for (std::size_t l = 0; l < figures.size(); ++l) {
    if (figures[l].latency && !has_limit(machine, l)) continue;
    figures[l].link = figures[l].flow_cap = std::nullopt;
  }
}

std::string in_words(const Machine& machine, const std::vector<LevelFigures>& figures,
                     MissingFigures missing) {
  std::vector<std::string> parts;
  for (std::size_t l = 0; l < figures.size(); ++l) {
    if (!figures[l].latency) continue;
    const LevelName& name = machine.levels()[l];
    const std::string& word = name.members.empty() ? name.channel : name.members;
    const auto limit = figures[l].link ? figures[l].link : figures[l].flow_cap;
    parts.push_back(fmt::format("{}{}{}", word.empty() ? "" : word + " ",
                                to_string(*figures[l].latency),
                                limit ? fmt::format(" and {}", to_string(*limit)) : ""));
  }
  if (!missing.latencies) {
    return fmt::format("{} no latency; {} of an ordinary cluster {} assumed: {}",
                       parts.size() == 1 ? "a level has" : "some levels have",
                       parts.size() == 1 ? "that" : "those", parts.size() == 1 ? "is" : "are",
                       fmt::join(parts, ", "));
  }
  return fmt::format("it has no latencies{}; those of an ordinary cluster are assumed: {}",
                     missing.bandwidths ? " and no bandwidths" : "", fmt::join(parts, ", "));
}

bool costs_processes_time(const Machine& machine) {
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    const NodeCosts& costs = machine.leaf_costs(leaf);
    if (costs.send.fixed > Time{} || costs.recv.fixed > Time{}) return true;
  }
  return false;
}

}  // namespace

MissingFigures missing_figures(const Machine& machine) {
  MissingFigures missing{true, true};
  const auto look_at = [&](const Uplink& uplink) {
    if (uplink.latency > Time{}) missing.latencies = false;
    if (!uplink.out.unlimited() || !uplink.in.unlimited()) missing.bandwidths = false;
  };
  for (const Cluster& cluster : machine.clusters()) {
    look_at(cluster.uplink);
    if (cluster.channel.latency > Time{}) missing.latencies = false;
    if (!cluster.channel.backbone.unlimited() || !cluster.channel.flow_cap.unlimited()) {
      missing.bandwidths = false;
    }
    for (const PairLink& pair : machine.pairs(cluster)) {
      if (pair.latency > Time{}) missing.latencies = false;
      if (!pair.capacity.unlimited()) missing.bandwidths = false;
    }
  }
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    look_at(machine.leaf_uplink(leaf));
    const NodeCosts& costs = machine.leaf_costs(leaf);
    if (costs.send.fixed > Time{} || costs.recv.fixed > Time{}) missing.latencies = false;
    if (!costs.send.rate.unlimited() || !costs.recv.rate.unlimited()) missing.bandwidths = false;
  }
  return missing;
}

AssumedMachine with_usual_figures(Machine machine) {
  if (machine.size() == 1 || costs_processes_time(machine)) return {std::move(machine), ""};
  const MissingFigures missing = missing_figures(machine);
  std::vector<LevelFigures> figures = figures_of(machine);
  if (!missing.latencies) keep_known(figures, known_latencies(machine));
  if (std::none_of(figures.begin(), figures.end(),
                   [](const LevelFigures& level) { return level.latency.has_value(); })) {
    return {std::move(machine), ""};
  }
  drop_known_limits(figures, machine);
  std::string note = in_words(machine, figures, missing);
  machine = with_level_figures(std::move(machine), figures);
  return {std::move(machine), std::move(note)};
}

}  // namespace espalier::topology
