#include "topology/simgrid/platform_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::simgrid {
namespace {

/// Points that no route names come last.
void number_as_seen(Zone& zone) {
  zone.first_seen.assign(zone.points.size(), kNone);
  std::uint32_t next = 0;
  const auto see = [&](std::uint32_t point) {
    if (zone.first_seen[point] == kNone) zone.first_seen[point] = next++;
  };
  for (const Edge& edge : zone.edges) {
    see(edge.from);
    see(edge.to);
  }
  for (std::uint32_t point = 0; point < zone.points.size(); ++point) see(point);
}

}  // namespace

Expected<PointId> PlatformBuilder::add_point(Point point) {
  const auto id = static_cast<PointId>(platform_.points.size());
  const auto [it, is_new] = point_names_.try_emplace(point.name, id);
  if (!is_new) {
    return Error{
        platform_.where(point.line),
        fmt::format("a second host, router or zone called \"{:.60}\"; the first is on line {}",
                    point.name, platform_.points[it->second].line),
        "give each its own id"};
  }
  if (point.zone != kNone) {
    Zone& in = zone(point.zone);
    point.index = static_cast<std::uint32_t>(in.points.size());
    in.points.push_back(id);
    in.arms.push_back({{}, {}, id});
    if (point.kind != PointKind::Router) in.items.push_back({false, id});
  }
  platform_.points.push_back(std::move(point));
  return id;
}

Expected<ZoneId> PlatformBuilder::add_zone(const std::string& name, Routing routing, ZoneId parent,
                                           std::uint32_t line) {
  const auto id = static_cast<ZoneId>(platform_.zones.size());
  const std::uint32_t depth = parent == kNone ? 0 : zone(parent).depth + 1;
  if (depth > kMaxZoneDepth) {
    return Error{platform_.where(line),
                 fmt::format("zones nested more than {} deep", kMaxZoneDepth),
                 "is a closing tag missing?"};
  }
  auto point = add_point({PointKind::Zone, name, line, parent, 0, id});
  if (!point) return point.error();
  Zone made;
  made.name = name;
  made.point = *point;
  made.parent = parent;
  made.depth = depth;
  made.line = line;
  made.routing = routing;
  platform_.zones.push_back(std::move(made));
  return id;
}

Expected<PointId> PlatformBuilder::add_router(const std::string& name, ZoneId zone,
                                              std::uint32_t line) {
  return add_point({PointKind::Router, name, line, zone, 0, 0});
}

Failure PlatformBuilder::count_hosts(std::uint64_t hosts, std::uint64_t cores, std::uint32_t line) {
  hosts_ += hosts;
  cores_ += hosts * cores;  // both below 2^32
  if (hosts_ <= kMaxHosts && cores_ <= kMaxCoresInAll) return {};
  return Error{platform_.where(line),
               fmt::format("more than {} hosts or {} cores in all", kMaxHosts, kMaxCoresInAll),
               "check the radicals and core counts"};
}

Expected<PointId> PlatformBuilder::add_host(const std::string& name, const Host& host, ZoneId zone,
                                            std::uint32_t line) {
  if (Failure failure = count_hosts(1, host.cores, line)) return *failure;
  auto point = add_point(
      {PointKind::Host, name, line, zone, 0, static_cast<std::uint32_t>(platform_.hosts.size())});
  if (point) platform_.hosts.push_back(host);
  return point;
}

Failure PlatformBuilder::add_group(HostGroup group) {
  if (Failure failure = count_hosts(group.size(), group.host.cores, group.line)) return failure;
  const auto id = static_cast<GroupId>(platform_.groups.size());
  if (zone(group.zone).hub == kNone) {
    // Stands for any of its hosts in routes. No host is called so: names end in no line break.
    auto hub = add_router(zone(group.zone).name + "\n", group.zone, group.line);
    if (!hub) return hub.error();
    zone(group.zone).hub = *hub;
  }
  zone(group.zone).items.push_back({true, id});
  groups_by_affixes_[{group.prefix, group.suffix}].push_back(id);
  platform_.groups.push_back(std::move(group));
  return {};
}

LinkId PlatformBuilder::add_half(std::string name, Bandwidth bandwidth, Time latency,
                                 bool fatpipe) {
  const auto id = static_cast<LinkId>(platform_.links.size());
  link_names_.emplace(name, id);
  // Where nothing limits them flows have nothing to share.
  platform_.links.push_back(
      {std::move(name), bandwidth, latency, fatpipe || bandwidth.unlimited(), id});
  return id;
}

Expected<LinkId> PlatformBuilder::add_link(const std::string& name, Bandwidth bandwidth,
                                           Time latency, Sharing sharing, std::uint32_t line) {
  const bool split = sharing == Sharing::SplitDuplex;
  if (link_names_.contains(name) ||
      (split && (link_names_.contains(name + "_UP") || link_names_.contains(name + "_DOWN")))) {
    return Error{platform_.where(line), fmt::format("a second link called \"{:.60}\"", name),
                 "give each its own id; a SPLITDUPLEX link x takes x_UP and x_DOWN"};
  }
  const bool fatpipe = sharing == Sharing::FatPipe;
  if (!split) return add_half(name, bandwidth, latency, fatpipe);
  const LinkId up = add_half(name + "_UP", bandwidth, latency, false);
  const LinkId down = add_half(name + "_DOWN", bandwidth, latency, false);
  platform_.links[up].back = down;
  platform_.links[down].back = up;
  return up;
}

void PlatformBuilder::add_edge(ZoneId id, Edge edge, const std::vector<LinkId>& links) {
  Zone& in = zone(id);
  edge.first_link = static_cast<std::uint32_t>(in.edge_links.size());
  edge.link_count = static_cast<std::uint32_t>(links.size());
  in.edge_links.insert(in.edge_links.end(), links.begin(), links.end());
  in.edges.push_back(edge);
}

void PlatformBuilder::note(const std::string& text) {
  std::vector<std::string>& notes = platform_.notes;
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

LinkId PlatformBuilder::find_link(const std::string& name) const {
  const auto it = link_names_.find(name);
  return it == link_names_.end() ? kNone : it->second;
}

PointId PlatformBuilder::find_point(const std::string& name) {
  const auto it = point_names_.find(name);
  if (it != point_names_.end()) return it->second;
  // PREFIX NUMBER SUFFIX: any run of digits in the name may hold the number.
  constexpr std::size_t kLongestName = 200;
  constexpr std::uint32_t kMostTakenOut = 4096;  // each makes a group smaller, and costs its size
  if (name.size() > kLongestName || taken_out_ == kMostTakenOut) return kNone;
  for (std::size_t first = 0; first < name.size(); ++first) {
    for (std::size_t end = first; end < name.size() && std::isdigit(name[end]) != 0; ++end) {
      if (name[first] == '0' && end > first) break;  // SimGrid writes no leading zeros
      const auto number = parse_count(name.substr(first, end + 1 - first), 0, 0x7fffffff);
      const auto groups = groups_by_affixes_.find({name.substr(0, first), name.substr(end + 1)});
      if (!number || groups == groups_by_affixes_.end()) continue;
      for (const GroupId id : groups->second) {
        const auto& ranges = platform_.groups[id].ranges;
        const bool holds = std::any_of(ranges.begin(), ranges.end(), [&](const NumberRange& r) {
          return r.first <= *number && *number <= r.last;
        });
        if (holds) return take_out_of_group(id, static_cast<std::uint32_t>(*number), name);
      }
    }
  }
  return kNone;
}

PointId PlatformBuilder::take_out_of_group(GroupId id, std::uint32_t number,
                                           const std::string& name) {
  ++taken_out_;
  // The hosts before it stay in the group, those after it become a group of their own.
  HostGroup after = platform_.groups[id];
  HostGroup& before = platform_.groups[id];
  auto in = std::find_if(before.ranges.begin(), before.ranges.end(), [&](const NumberRange& r) {
    return r.first <= number && number <= r.last;
  });
  const auto at = in - before.ranges.begin();
  after.ranges.erase(after.ranges.begin(), after.ranges.begin() + at);
  const NumberRange whole = *in;
  if (number < whole.last) {
    after.ranges.front().first = number + 1;
  } else {
    after.ranges.erase(after.ranges.begin());
  }
  before.ranges.resize(static_cast<std::size_t>(at));
  if (whole.first < number) before.ranges.push_back({whole.first, number - 1});

  const HostGroup& like = before;
  const std::string link_name = fmt::format("{}_link_{}", zone(like.zone).name, number);
  const auto link = [&](const std::string& suffix, Bandwidth width, Time latency, bool fatpipe) {
    return add_half(link_name + suffix, width, latency, fatpipe);
  };
  Arms arms;
  const LinkId up = link(like.half_duplex ? "" : "_UP", like.bandwidth, like.latency, like.fatpipe);
  const LinkId down =
      like.half_duplex ? up : link("_DOWN", like.bandwidth, like.latency, like.fatpipe);
  arms.up = {up};
  arms.down = {down};
  if (!like.limiter.unlimited()) {
    const LinkId limiter = link("_limiter", like.limiter, Time{0}, false);
    arms.up.push_back(limiter);
    arms.down.push_back(limiter);
  }
  Zone& in_zone = zone(like.zone);
  arms.up.insert(arms.up.end(), in_zone.centre.begin(), in_zone.centre.end());
  arms.down.insert(arms.down.end(), in_zone.centre.begin(), in_zone.centre.end());

  const auto point = static_cast<PointId>(platform_.points.size());
  point_names_.emplace(name, point);
  arms.gateway = point;
  platform_.points.push_back({PointKind::Host, name, like.line, like.zone,
                              static_cast<std::uint32_t>(in_zone.points.size()),
                              static_cast<std::uint32_t>(platform_.hosts.size())});
  platform_.hosts.push_back(like.host);
  in_zone.points.push_back(point);
  in_zone.arms.push_back(std::move(arms));

  auto item = std::find_if(in_zone.items.begin(), in_zone.items.end(),
                           [&](const ZoneItem& i) { return i.is_group && i.id == id; });
  item = in_zone.items.insert(item + 1, {false, point});
  if (!after.ranges.empty()) {
    const auto after_id = static_cast<GroupId>(platform_.groups.size());
    in_zone.items.insert(item + 1, {true, after_id});
    groups_by_affixes_[{after.prefix, after.suffix}].push_back(after_id);
    platform_.groups.push_back(std::move(after));
  }
  return point;
}

Expected<Platform> PlatformBuilder::finish() && {
  for (Zone& in : platform_.zones) {
    number_as_seen(in);
    if (in.hub != kNone) {
      Arms& arms = in.arms[platform_.points[in.hub].index];
      arms.up = arms.down = in.centre;
    }
    const auto key = [](const Edge& e) { return std::pair(e.from, e.to); };
    std::stable_sort(in.edges.begin(), in.edges.end(),
                     [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
    const auto twice =
        std::adjacent_find(in.edges.begin(), in.edges.end(),
                           [&](const Edge& a, const Edge& b) { return key(a) == key(b); });
    if (twice != in.edges.end()) {
      return Error{
          platform_.where((twice + 1)->line),
          fmt::format("a second route from \"{:.60}\" to \"{:.60}\"; the first is on line {}",
                      platform_.points[in.points[twice->from]].name,
                      platform_.points[in.points[twice->to]].name, twice->line),
          "a route counts both ways unless it says symmetrical=\"NO\""};
    }
    for (const ZoneItem& item : in.items) {
      const bool is_host = !item.is_group && platform_.points[item.id].kind == PointKind::Host;
      if (item.is_group) in.host_count += platform_.groups[item.id].size();
      if (is_host) ++in.host_count;
    }
  }
  for (std::size_t z = platform_.zones.size(); z-- > 1;) {
    platform_.zones[platform_.zones[z].parent].host_count += platform_.zones[z].host_count;
  }
  return std::move(platform_);
}

}  // namespace espalier::topology::simgrid
