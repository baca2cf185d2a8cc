#include "topology/simgrid/link_roles.hpp"

#include <algorithm>
#include <set>

namespace espalier::topology::simgrid {

void RouteTable::add(std::uint32_t from, std::uint32_t to, const RoutePart& piece) {
  routes.push_back(
      {from, to, links.size(), piece.links.size(), piece.latency, piece.width, piece.cap});
  links.insert(links.end(), piece.links.begin(), piece.links.end());
}

/// Whether the route at hand has not passed it yet.
bool LinkRoles::first_time(LinkId link) {
  Use& use = use_[link];
  if (use.met && use.stamp == stamp_) return false;
  if (!use.met) used_.push_back(link);
  use.met = true;
  use.stamp = stamp_;
  return true;
}

/// Only classes that have a part in every route of a link can own it.
void LinkRoles::narrow(Use& use, std::uint32_t a, std::uint32_t b) {
  const bool first_route = use.inside + use.exits + use.entries == 0;
  if (first_route) {
    use.candidate[0] = a;
    use.candidate[1] = b == a ? kNone : b;
    return;
  }
  for (std::uint32_t& candidate : use.candidate) {
    if (candidate != a && candidate != b) candidate = kNone;
  }
}

void LinkRoles::meet_all(const ZoneRoutes& routes) {
  for (const RouteTable::Route& route : routes.inside.routes) {
    ++stamp_;
    ++out_degree_[route.from];
    ++in_degree_[route.to];
    const auto links = routes.inside.links_of(route);
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (!first_time(links[i])) continue;
      Use& use = use_[links[i]];
      narrow(use, route.from, route.to);
      use.nearest = 2 * i < links.size() ? route.from : route.to;
      ++use.inside;
    }
  }
  for (const auto& route : routes.exits.routes) {
    ++stamp_;
    for (const LinkId link : routes.exits.links_of(route)) {
      if (!first_time(link)) continue;
      narrow(use_[link], route.from, route.from);
      ++use_[link].exits;
    }
  }
  for (const auto& route : routes.entries.routes) {
    ++stamp_;
    for (const LinkId link : routes.entries.links_of(route)) {
      if (!first_time(link)) continue;
      narrow(use_[link], route.from, route.from);
      ++use_[link].entries;
    }
  }
}

void LinkRoles::count_for_candidates(const ZoneRoutes& routes) {
  for (const RouteTable::Route& route : routes.inside.routes) {
    ++stamp_;
    for (const LinkId link : routes.inside.links_of(route)) {
      if (!first_time(link)) continue;
      Use& use = use_[link];
      for (int k = 0; k < 2; ++k) {
        use.from[k] += use.candidate[k] == route.from ? 1 : 0;
        use.to[k] += use.candidate[k] == route.to ? 1 : 0;
      }
    }
  }
  for (const bool leaving : {true, false}) {
    const RouteTable& table = leaving ? routes.exits : routes.entries;
    for (const RouteTable::Route& route : table.routes) {
      for (const LinkId link : table.links_of(route)) {
        Use& use = use_[link];
        for (int k = 0; k < 2; ++k) {
          if (use.candidate[k] == route.from) (leaving ? use.exit[k] : use.entry[k]) = true;
        }
      }
    }
  }
}

void LinkRoles::decide(LinkId link, const ZoneRoutes& routes, const std::vector<bool>& single) {
  const Use& use = use_[link];
  LinkRole& role = roles_[link];
  const std::uint64_t classes = single.size();
  const bool leaves = !routes.exits.routes.empty();
  const bool on_all_inside = use.inside == routes.inside.routes.size();
  const bool on_all_exits = !leaves || use.exits == classes;
  const bool on_all_entries = !leaves || use.entries == classes;
  if (on_all_inside && on_all_exits && on_all_entries) {
    role.role = Role::Everywhere;
    return;
  }
  const bool only_leaving = use.inside == 0 && (use.exits == 0 || use.exits == classes) &&
                            (use.entries == 0 || use.entries == classes);
  if (only_leaving) {
    role = {Role::Leaving, kNone, use.exits > 0, use.entries > 0, false};
    return;
  }
  int owners = 0;
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t owner = use.candidate[k];
    if (owner == kNone || !single[owner]) continue;
    const bool out = use.from[k] == out_degree_[owner] && use.from[k] > 0;
    const bool in = use.to[k] == in_degree_[owner] && use.to[k] > 0;
    const bool all_or_none = (out || use.from[k] == 0) && (in || use.to[k] == 0);
    const bool same_outside = !leaves || (use.exit[k] == out && use.entry[k] == in);
    if (!all_or_none || !same_outside || (!out && !in)) continue;
    // Of two equal claims, which only a zone of two members has, the nearer end counts.
    if (++owners == 2 && use.nearest != owner) continue;
    role = {Role::Owned, owner, out, in, false};
  }
  if (owners > 0) return;
  role = {on_all_inside ? Role::Inside : Role::Partial, kNone, false, false, false};
}

void LinkRoles::work_out(const ZoneRoutes& routes, const std::vector<bool>& single) {
  for (const LinkId link : used_) {
    use_[link] = {};
    roles_[link] = {};
  }
  used_.clear();
  out_degree_.assign(single.size(), 0);
  in_degree_.assign(single.size(), 0);
  meet_all(routes);
  count_for_candidates(routes);
  for (const LinkId link : used_) decide(link, routes, single);
  find_links_of_one_pair(routes.inside, single);
}

/// A machine has a place for them after all.
void LinkRoles::find_links_of_one_pair(const RouteTable& inside, const std::vector<bool>& single) {
  constexpr std::uint64_t kNoPair = static_cast<std::uint64_t>(-1);
  for (const LinkId link : used_) use_[link].stamp = kNoPair;
  for (const RouteTable::Route& route : inside.routes) {
    const auto [low, high] = std::minmax(route.from, route.to);
    const std::uint64_t pair = (std::uint64_t{low} << 32) | high;
    for (const LinkId link : inside.links_of(route)) {
      Use& use = use_[link];
      const bool first = use.stamp == kNoPair;
      roles_[link].of_one_pair = first ? single[low] && single[high] && use.exits + use.entries == 0
                                       : roles_[link].of_one_pair && use.stamp == pair;
      use.stamp = pair;
    }
  }
}

}  // namespace espalier::topology::simgrid
