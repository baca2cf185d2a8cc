#include "view/machine_document.hpp"

#include <algorithm>
#include <optional>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/outline.hpp"

namespace espalier::view {
namespace {

using topology::Cluster;
using topology::Machine;
using topology::Member;

/// Figures of a level: from the least to the largest.
struct LevelRange {
  std::optional<std::pair<Time, Time>> latency;
  std::optional<std::pair<Bandwidth, Bandwidth>> bandwidth;  ///< limited ones only

  void add(Time time) {
    if (!latency) latency = {time, time};
    latency = {std::min(latency->first, time), std::max(latency->second, time)};
  }
  void add(Bandwidth rate) {
    if (rate.unlimited()) return;
    if (!bandwidth) bandwidth = {rate, rate};
    bandwidth = {std::min(bandwidth->first, rate), std::max(bandwidth->second, rate)};
  }
};

void add_members(const Machine& machine, const Cluster& cluster, LevelRange& range) {
  for (const Member& member : machine.members(cluster)) {
    const topology::Uplink& uplink =
        member.is_leaf ? machine.leaf_uplink(member.id) : machine.clusters()[member.id].uplink;
    range.add(uplink.out);
    range.add(uplink.in);
  }
}

std::vector<LevelRange> ranges_of(const Machine& machine) {
  std::vector<LevelRange> ranges(machine.levels().size());
  for (const Cluster& cluster : machine.clusters()) {
    LevelRange& range = ranges[cluster.depth];
    if (cluster.member_count > 1) range.add(cluster.channel.latency);
    range.add(cluster.channel.backbone);
    range.add(cluster.channel.flow_cap);
    for (const topology::PairLink& pair : machine.pairs(cluster)) {
      range.add(pair.latency);
      range.add(pair.capacity);
    }
    add_members(machine, cluster, range);
  }
  return ranges;
}

Json clusters_json(const Machine& machine) {
  Json parent = Json::array(), name = Json::array(), depth = Json::array(),
       first_leaf = Json::array(), leaves = Json::array(), latency = Json::array(),
       uplink = Json::array();
  for (const Cluster& cluster : machine.clusters()) {
    parent.push_back(cluster.parent);
    name.push_back(cluster.name);
    depth.push_back(cluster.depth);
    first_leaf.push_back(cluster.first_leaf);
    leaves.push_back(cluster.leaf_count);
    latency.push_back(to_string(cluster.channel.latency));
    const Bandwidth rate = std::min(cluster.uplink.out, cluster.uplink.in);
    uplink.push_back(rate.unlimited() ? Json(nullptr) : Json(to_string(rate)));
  }
  return {{"parent", parent}, {"name", name},       {"depth", depth},  {"first_leaf", first_leaf},
          {"leaves", leaves}, {"latency", latency}, {"uplink", uplink}};
}

Json leaves_json(const Machine& machine) {
  Json rank = Json::array(), cluster = Json::array(), name = Json::array(), cost = Json::array();
  bool has_names = false;
  for (topology::Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    rank.push_back(machine.rank_at(leaf));
    cluster.push_back(machine.cluster_of(leaf));
    name.push_back(machine.leaf_name(leaf));
    has_names = has_names || !machine.leaf_name(leaf).empty();
    const topology::NodeCosts& costs = machine.leaf_costs(leaf);
    cost.push_back(std::max(costs.send.fixed, costs.recv.fixed).picoseconds);
  }
  if (!has_names) name = Json::array();
  return {{"rank", rank}, {"cluster", cluster}, {"name", name}, {"message_ps", cost}};
}

}  // namespace

Json level_figures(const Machine& machine) {
  Json figures = Json::array();
  for (const LevelRange& range : ranges_of(machine)) {
    Json one{{"latency_ps", nullptr}, {"bandwidth_bps", nullptr}};
    if (range.latency) {
      one["latency_ps"] = {range.latency->first.picoseconds, range.latency->second.picoseconds};
    }
    if (range.bandwidth) {
      one["bandwidth_bps"] = {range.bandwidth->first.bits_per_second,
                              range.bandwidth->second.bits_per_second};
    }
    figures.push_back(std::move(one));
  }
  return figures;
}

Json machine_document(const Machine& machine) {
  Json levels = Json::array();
  for (std::uint32_t l = 0; l < machine.levels().size(); ++l) {
    const topology::LevelName& level = machine.levels()[l];
    levels.push_back({{"channel", report::channel_name(machine, l)}, {"members", level.members}});
  }
  return {{"name", machine.name()},
          {"processes", machine.size()},
          {"levels", levels},
          {"figures", level_figures(machine)},
          {"clusters", clusters_json(machine)},
          {"leaves", leaves_json(machine)}};
}

}  // namespace espalier::view
