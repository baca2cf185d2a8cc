#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "topology/simgrid/route_part.hpp"
#include "topology/simgrid/to_machine.hpp"

namespace espalier::topology::simgrid {
namespace {

void place_zone(const Platform& platform, ZoneId z, std::uint64_t& leaf,
                std::vector<HostPlace>& out) {
  for (const ZoneItem& item : platform.zones[z].items) {
    if (item.is_group) {
      const HostGroup& group = platform.groups[item.id];
      for (const NumberRange& range : group.ranges) {
        for (std::uint64_t n = range.first; n <= range.last; ++n) {
          out.push_back({platform.zones[z].hub, item.id, static_cast<std::uint32_t>(n), leaf});
          leaf += group.host.cores;
        }
      }
      continue;
    }
    const Point& point = platform.points[item.id];
    if (point.kind == PointKind::Zone) {
      place_zone(platform, point.item, leaf, out);
    } else {
      out.push_back({item.id, kNone, 0, leaf});
      leaf += platform.hosts[point.item].cores;
    }
  }
}

/// Some hosts of each zone: the first ones in it, and others at even distances.
std::vector<HostPlace> choose(const Platform& platform, std::vector<HostPlace> all,
                              std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<HostPlace> chosen;
  std::vector<std::uint32_t> taken(platform.zones.size(), 0);
  const std::size_t step = 2 * all.size() / most;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint32_t& of_zone = taken[platform.points[all[i].point].zone];
    const bool first_ones = of_zone < 2 && chosen.size() < most;
    if (!first_ones && i % step != step - 1) continue;
    ++of_zone;
    chosen.push_back(all[i]);
  }
  return chosen;
}

std::string name_of(const Platform& platform, const HostPlace& place) {
  if (place.group == kNone) return platform.points[place.point].name;
  const HostGroup& group = platform.groups[place.group];
  return fmt::format("{}{}{}", group.prefix, place.number, group.suffix);
}

/// Latency and narrowest link of a real route.
struct RealPath {
  Picoseconds latency = 0;
  Bandwidth bandwidth = kUnlimited;

  void pass(Time link_latency, Bandwidth link_bandwidth) {
    latency += link_latency.picoseconds;
    bandwidth = std::min(bandwidth, link_bandwidth);
  }
};

bool follow(const Platform& platform, Routes& routes, const HostPlace& from, const HostPlace& to,
            RealPath& path) {
  std::vector<LinkId> links;
  if (from.point == to.point) {
    links = platform.zones[platform.points[from.point].zone].centre;  // two of one star's groups
  } else if (!routes.between(from.point, to.point, links)) {
    return false;
  }
  for (const LinkId id : links) path.pass(platform.links[id].latency, platform.links[id].bandwidth);
  for (const HostPlace* end : {&from, &to}) {
    if (end->group == kNone) continue;
    const HostGroup& group = platform.groups[end->group];
    path.pass(group.latency, std::min(group.bandwidth, group.limiter));
  }
  return true;
}

}  // namespace

std::vector<HostPlace> places(const Platform& platform) {
  std::vector<HostPlace> all;
  std::uint64_t leaf = 0;
  place_zone(platform, 0, leaf, all);
  return all;
}

bool audit(const Platform& platform, Routes& routes, const Machine& machine, std::size_t most,
           std::vector<std::string>& notes) {
  const std::vector<HostPlace> all = places(platform);
  const std::vector<HostPlace> chosen = choose(platform, all, most);
  std::uint64_t wrong = 0;
  std::string example;
  for (const HostPlace& from : chosen) {
    for (const HostPlace& to : chosen) {
      if (from.leaf == to.leaf) continue;
      RealPath real;
      if (!follow(platform, routes, from, to, real)) return false;
      const Path path = machine.path(machine.rank_at(static_cast<Leaf>(from.leaf)),
                                     machine.rank_at(static_cast<Leaf>(to.leaf)));
      if (path.latency == to_time(real.latency) && path.bandwidth == real.bandwidth) continue;
      if (++wrong == 1) {
        example = fmt::format("from \"{:.60}\" to \"{:.60}\" {} and {} instead of {} and {}",
                              name_of(platform, from), name_of(platform, to),
                              to_string(path.latency), to_string(path.bandwidth),
                              to_string(to_time(real.latency)), to_string(real.bandwidth));
      }
    }
  }
  if (wrong == 0) return true;
  notes.push_back(fmt::format(
      "the machine is a tree and cannot hold all of these routes: of {} looked at {} differ, {}",
      chosen.size() * (chosen.size() - 1), wrong, example));
  return true;
}

}  // namespace espalier::topology::simgrid
