#include "topology/usual_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/units.hpp"

namespace espalier::topology {
namespace {

/// How names of what is inside of a node begin.
constexpr std::array<std::string_view, 16> kInsideNodes{
    "proc", "core", "slot", "rank", "pu",  "thread", "socket", "package",
    "numa", "l2",   "l3",   "die",  "cpu", "gpu",    "task",   "domain"};

bool joins_nodes(const Machine& machine, std::size_t level) {
  const std::string& members = machine.levels()[level].members;
  const bool is_innermost = level + 1 == machine.levels().size();
  if (members.empty()) return !is_innermost || machine.levels().size() == 1;
  return std::none_of(kInsideNodes.begin(), kInsideNodes.end(),
                      [&](std::string_view begin) { return members.starts_with(begin); });
}

/// Of each level, from the outermost inwards.
std::vector<LevelFigures> figures_of(const Machine& machine) {
  std::vector<LevelFigures> figures(machine.levels().size());
  Time memory = kUsualMemory.latency;
  Time network = kUsualNetwork.latency;
  bool is_outside = false;  // what is around a level that joins nodes joins nodes too
  for (std::size_t l = figures.size(); l-- > 0;) {
    is_outside = is_outside || joins_nodes(machine, l);
    Time& next = is_outside ? network : memory;
    figures[l] = {next, is_outside ? kUsualLink : Uplink{}};
    next = next + next;
  }
  return figures;
}

std::string in_words(const Machine& machine, const std::vector<LevelFigures>& figures,
                     MissingFigures missing) {
  std::vector<std::string> parts;
  for (std::size_t l = 0; l < figures.size(); ++l) {
    const LevelName& name = machine.levels()[l];
    const std::string& word = name.members.empty() ? name.channel : name.members;
    const bool has_link = missing.bandwidths && !figures[l].uplink.out.unlimited();
    parts.push_back(fmt::format(
        "{}{}{}", word.empty() ? "" : word + " ", to_string(figures[l].latency),
        has_link ? fmt::format(" and {}", to_string(figures[l].uplink.out)) : std::string()));
  }
  return fmt::format("it has no latencies{}; those of an ordinary cluster are assumed: {}",
                     missing.bandwidths ? " and no bandwidths" : "", fmt::join(parts, ", "));
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
  const MissingFigures missing = missing_figures(machine);
  if (!missing.latencies || machine.size() == 1) return {std::move(machine), ""};
  const std::vector<LevelFigures> figures = figures_of(machine);
  std::string note = in_words(machine, figures, missing);
  machine = with_level_figures(std::move(machine), figures, missing.bandwidths);
  return {std::move(machine), std::move(note)};
}

}  // namespace espalier::topology
