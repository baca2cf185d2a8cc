#include "topology/simgrid/classes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace espalier::topology::simgrid {
namespace {

/// Which links are on the ends of one member only, and nowhere else in the zone.
class ArmLinks {
 public:
  explicit ArmLinks(ZoneView& view) {
    const Zone& zone = view.zone();
    std::vector<bool> tied(zone.points.size(), false);
    for (std::size_t m = 0; m < view.members().size(); ++m) {
      const ViewMember& member = view.members()[m];
      tied[member.vertex] = member.tied;
      meet(member.up.links, m);
      meet(member.down.links, m);
      if (member.count > 1) meet(member.up.links, kOthers);
    }
    for (std::size_t v = 0; v < zone.arms.size(); ++v) {
      if (tied[v] || zone.routing != Routing::Star) continue;
      meet(zone.arms[v].up, kOthers);
      meet(zone.arms[v].down, kOthers);
    }
    for (const Edge& edge : zone.edges) {
      if (tied[edge.from] || tied[edge.to]) continue;  // a part of that member's ends
      meet(std::span(zone.edge_links).subspan(edge.first_link, edge.link_count), kOthers);
    }
    std::sort(met_.begin(), met_.end());
  }
  [[nodiscard]] bool is_alone(LinkId link) const {
    const auto first = std::lower_bound(met_.begin(), met_.end(), std::pair(link, std::size_t{0}));
    const auto last = std::upper_bound(first, met_.end(), std::pair(link, kOthers));
    return first->second == (last - 1)->second;
  }

 private:
  static constexpr std::size_t kOthers = static_cast<std::size_t>(-1);

  void meet(std::span<const LinkId> links, std::size_t member) {
    for (const LinkId link : links) met_.emplace_back(link, member);
  }
  std::vector<std::pair<LinkId, std::size_t>> met_;
};

bool holds(const std::vector<LinkId>& links, LinkId link) {
  return std::find(links.begin(), links.end(), link) != links.end();
}

void without_repeats(std::vector<LinkId>& links) {
  std::vector<LinkId> once;
  for (const LinkId link : links) {
    if (!holds(once, link)) once.push_back(link);
  }
  links = std::move(once);
}

}  // namespace

void OwnFigures::add_width(const Link& link, bool is_out, bool is_in) {
  if (link.fatpipe) return;
  Bandwidth& width = is_out && is_in ? both : is_out ? out : in;
  width = std::min(width, link.bandwidth);
}

std::vector<bool> Classes::single() const {
  std::vector<bool> single;
  for (const MemberClass& c : classes) single.push_back(c.size == 1);
  return single;
}

Classes classify(const Platform& platform, ZoneView& view) {
  Classes result;
  const ArmLinks arms(view);
  using Key = std::tuple<std::pair<PointId, PointId>, std::vector<LinkId>, std::vector<LinkId>,
                         Bandwidth, Bandwidth, Picoseconds>;
  std::map<Key, std::size_t> known;
  for (std::size_t m = 0; m < view.members().size(); ++m) {
    const ViewMember& member = view.members()[m];
    OwnFigures own;
    own.out = member.half_duplex ? kUnlimited : member.up.width;
    own.in = member.half_duplex ? kUnlimited : member.down.width;
    own.both = member.half_duplex ? member.up.width : kUnlimited;
    own.latency_out = member.up.latency;
    own.latency_in = member.down.latency;
    MemberClass made;
    made.cap_out = member.up.cap;
    made.cap_in = member.down.cap;
    for (const bool up : {true, false}) {
      for (const LinkId id : up ? member.up.links : member.down.links) {
        if (!member.tied || !arms.is_alone(id)) {
          (up ? made.up : made.down).push_back(id);
          continue;
        }
        const Link& link = platform.links[id];
        const bool both = holds(up ? member.down.links : member.up.links, id);
        (up ? own.latency_out : own.latency_in) += link.latency.picoseconds;
        Bandwidth& width = link.fatpipe ? (up ? made.cap_out : made.cap_in)
                           : both       ? own.both
                           : up         ? own.out
                                        : own.in;
        width = std::min(width, link.bandwidth);
      }
    }
    result.own.push_back(own);
    const Key key{member.attachment, made.up,     made.down,
                  made.cap_out,      made.cap_in, own.latency_out - own.latency_in};
    const auto [it, is_new] = known.try_emplace(key, result.classes.size());
    if (is_new) result.classes.push_back(std::move(made));
    MemberClass& of = result.classes[it->second];
    of.members.push_back(m);
    of.size += member.count;
  }
  return result;
}

bool find_routes(Routes& routes, ZoneView& view, const Classes& classes, ZoneRoutes& found) {
  const auto& all = classes.classes;
  RoutePart middle;
  for (std::uint32_t c = 0; c < all.size(); ++c) {
    for (std::uint32_t d = 0; d < all.size(); ++d) {
      if (c == d && all[c].size == 1) continue;
      const std::size_t to =
          c == d && all[c].members.size() > 1 ? all[c].members[1] : all[d].members[0];
      if (!view.route(all[c].members[0], to, middle)) return false;
      RoutePart whole;
      whole.links = all[c].up;
      whole.append(middle);
      whole.links.insert(whole.links.end(), all[d].down.begin(), all[d].down.end());
      if (view.counts_links_once()) without_repeats(whole.links);
      found.inside.add(c, d, whole);
      if (!routes.spend(1 + whole.links.size())) return false;
    }
  }
  return true;
}

bool find_exits(Routes& routes, ZoneView& view, const Classes& classes, std::size_t gateway,
                ZoneRoutes& found) {
  found.exits = {};
  found.entries = {};
  RoutePart rest;
  for (std::uint32_t c = 0; c < classes.classes.size(); ++c) {
    const MemberClass& of = classes.classes[c];
    if (!view.exit(of.members[0], gateway, rest)) return false;
    RoutePart out;
    out.links = of.up;
    out.append(rest);
    if (view.counts_links_once()) without_repeats(out.links);
    found.exits.add(c, c, out);

    if (!view.entry(of.members[0], gateway, rest)) return false;
    rest.links.insert(rest.links.end(), of.down.begin(), of.down.end());
    if (view.counts_links_once()) without_repeats(rest.links);
    found.entries.add(c, c, rest);
    if (!routes.spend(2 + out.links.size() + rest.links.size())) return false;
  }
  return true;
}

}  // namespace espalier::topology::simgrid
