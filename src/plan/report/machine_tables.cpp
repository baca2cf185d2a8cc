#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "report/draw_machine.hpp"
#include "report/figures.hpp"
#include "report/outline.hpp"
#include "report/text.hpp"

namespace espalier::report {
namespace {

using topology::Cluster;
using topology::Machine;

/// The least and the greatest of what was seen.
template <typename T>
struct Range {
  T low{};
  T high{};
  bool seen = false;

  void see(T value) {
    low = seen ? std::min(low, value) : value;
    high = seen ? std::max(high, value) : value;
    seen = true;
  }
};

/// Terminals have no room for "unlimited"; a dash says that no figure is known.
std::string words(Time t) { return t == Time{} ? "-" : rounded(t); }
std::string words(Bandwidth b) { return b.unlimited() ? "-" : rounded(b); }

template <typename T>
std::string in_words(const Range<T>& range) {
  if (!range.seen) return "";
  const std::string low = words(range.low);
  const std::string high = words(range.high);
  if (low == high) return low == "-" ? "" : low;
  if (low == "-") return "up to " + high;
  return high == "-" ? "from " + low : fmt::format("{} to {}", low, high);
}

/// "3 sites", "12 x 16 processes": so many clusters of so many members.
std::string joins(std::uint64_t clusters, const Range<std::uint64_t>& members,
                  const std::string& noun) {
  const std::string times = clusters > 1 ? grouped(clusters) + " x " : "";
  if (members.low == members.high) return times + counted(members.low, noun);
  return fmt::format("{}{}-{} {}", times, grouped(members.low), grouped(members.high),
                     plural(noun));
}

/// "Paris", "Paris.n1": as Machine::describe() calls the places of ranks.
std::string place_of_member(const Machine& machine, const topology::Member& member) {
  if (member.is_leaf) return machine.describe(machine.rank_at(member.id));
  std::string place;
  for (topology::ClusterId c = member.id; c != 0; c = machine.clusters()[c].parent) {
    const Cluster& cluster = machine.clusters()[c];
    const std::string own = cluster.name.empty() ? fmt::format("{}", cluster.index) : cluster.name;
    place = place.empty() ? own : own + "." + place;
  }
  return place;
}

struct LevelFigures {
  std::uint64_t clusters = 0;
  Range<std::uint64_t> members;
  Range<Time> latency;
  Range<Bandwidth> backbone;
  Range<Bandwidth> flow_cap;
  Range<Bandwidth> uplink;
};

void see(const Machine& machine, const Cluster& cluster, LevelFigures& level) {
  ++level.clusters;
  level.members.see(cluster.member_count);
  level.latency.see(cluster.channel.latency);
  for (const topology::PairLink& pair : machine.pairs(cluster)) level.latency.see(pair.latency);
  level.backbone.see(cluster.channel.backbone);
  level.flow_cap.see(cluster.channel.flow_cap);
  for (const topology::Member& member : machine.members(cluster)) {
    const topology::Uplink& uplink =
        member.is_leaf ? machine.leaf_uplink(member.id) : machine.clusters()[member.id].uplink;
    level.uplink.see(uplink.out);
    level.uplink.see(uplink.in);
  }
}

}  // namespace

Table level_table(const Machine& machine) {
  std::vector<LevelFigures> figures(machine.levels().size());
  for (const Cluster& cluster : machine.clusters()) see(machine, cluster, figures[cluster.depth]);
  Table table{{{"level", "level", Align::Right},
               {"channel", "channel", Align::Left, 8},
               {"joins", "joins", Align::Left, 8},
               {"latency", "latency", Align::Right, 8},
               {"uplink", "uplink", Align::Right, 8},
               {"backbone", "backbone", Align::Right, 8},
               {"flow_cap", "a flow", Align::Right, 8}},
              {}};
  for (std::uint32_t l = 0; l < figures.size(); ++l) {
    const LevelFigures& level = figures[l];
    const bool innermost = l + 1 == figures.size();
    table.rows.push_back({{std::int64_t{l}, level_style(l)},
                          {printable(machine.levels()[l].channel), level_style(l)},
                          {joins(level.clusters, level.members, noun(machine, l, innermost))},
                          {in_words(level.latency)},
                          {in_words(level.uplink)},
                          {in_words(level.backbone)},
                          {in_words(level.flow_cap)}});
  }
  return table;
}

Table pair_table(const Machine& machine, Detail detail) {
  constexpr std::size_t kFew = 12;
  Table table{{{"pair", "pair", Align::Left, 8},
               {"latency", "latency", Align::Right},
               {"capacity", "capacity", Align::Right}},
              {}};
  std::size_t pairs = 0;
  for (const Cluster& cluster : machine.clusters()) {
    const auto members = machine.members(cluster);
    for (const topology::PairLink& pair : machine.pairs(cluster)) {
      if (++pairs > kFew && detail == Detail::Folded) continue;
      table.rows.push_back(
          {{printable(fmt::format("{} - {}", place_of_member(machine, members[pair.a]),
                                  place_of_member(machine, members[pair.b])))},
           {words(pair.latency)},
           {pair.capacity.unlimited() ? "" : rounded(pair.capacity)}});
    }
  }
  if (pairs > table.rows.size()) {
    const std::size_t more = pairs - table.rows.size();
    table.rows.push_back({{fmt::format("… {} more: --all", grouped(more))}, {}, {}});
  }
  return table;
}

Table rank_table(const Machine& machine) {
  Table table{{{"rank", "rank", Align::Right},
               {"place", "place", Align::Left, 8},
               {"depth", "depth", Align::Right}},
              {}};
  for (std::uint32_t l = 0; l < machine.levels().size(); ++l) {
    // The id is that of a member of the channel: over a WAN, of the site.
    const bool is_innermost = l + 1 == machine.levels().size();
    table.columns.push_back(
        {fmt::format("cluster_id_{}", l), noun(machine, l, is_innermost), Align::Right});
  }
  table.columns.push_back({"send_ps", "send", Align::Right});
  table.columns.push_back({"recv_ps", "recv", Align::Right});
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    std::vector<Cell> row{
        {std::int64_t{rank}}, {machine.describe(rank)}, {std::int64_t{machine.depth(rank)}}};
    for (const std::uint32_t id : machine.cluster_ids(rank)) row.push_back({std::int64_t{id}});
    row.resize(3 + machine.levels().size());
    const topology::NodeCosts& costs = machine.costs(rank);
    const auto fixed = [](const topology::Cost& c) {
      return c.fixed == Time{} ? Cell{} : Cell{c.fixed};
    };
    row.push_back(fixed(costs.send));
    row.push_back(fixed(costs.recv));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace espalier::report
