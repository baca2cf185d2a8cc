#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topology/hostlist.hpp"
#include "topology/simgrid/classes.hpp"
#include "topology/simgrid/to_machine.hpp"

namespace espalier::topology::simgrid {
namespace {

using Route = RouteTable::Route;

/// What a zone's messages to or from its gateway still have before them, class by class.
struct Leftover {
  Picoseconds latency = 0;
  Bandwidth width = kUnlimited;
  Bandwidth cap = kUnlimited;
};

class Settler {
 public:
  Settler(const Platform& platform, Routes& routes, ZoneView& view, LinkRoles& roles,
          SettledZone& settled, std::vector<std::string>& notes)
      : platform_(platform),
        routes_(routes),
        view_(view),
        roles_(roles),
        settled_(settled),
        notes_(notes),
        classes_(classify(platform, view)) {}

  bool run() {
    if (!find_routes(routes_, view_, classes_, found_)) return false;
    const bool leaves = !settled_.gateways.empty();
    if (leaves && !find_exits(routes_, view_, classes_, 0, found_)) return false;
    roles_.work_out(found_, classes_.single());
    give_members_what_is_theirs();
    set_latencies();
    set_widths();
    if (!add_pairs()) return false;
    for (std::size_t g = 0; g < settled_.gateways.size(); ++g) {
      if (g > 0 && !find_exits(routes_, view_, classes_, g, found_)) return false;
      settled_.ends.push_back({piece_of(g, true), piece_of(g, false)});
    }
    note_shared_links();
    write_spec();
    return true;
  }

 private:
  [[nodiscard]] std::size_t class_count() const { return classes_.classes.size(); }
  [[nodiscard]] const OwnFigures& own(std::size_t c) const {
    return classes_.own[classes_.classes[c].members[0]];
  }
  [[nodiscard]] Picoseconds latency_of(const RouteTable& table, const Route& route) const {
    Picoseconds sum = route.latency;
    for (const LinkId id : table.links_of(route)) sum += platform_.links[id].latency.picoseconds;
    return sum;
  }

  /// Links with one owner join what was its own from the start; a class of one has no common ones.
  void give_members_what_is_theirs() {
    for (const LinkId id : roles_.used()) {
      const LinkRole& role = roles_.of(id);
      const Link& link = platform_.links[id];
      if (role.role == Role::Everywhere && !link.fatpipe) {
        channel_.backbone = std::min(channel_.backbone, link.bandwidth);
      }
      if (role.role != Role::Owned) continue;
      classes_.own[classes_.classes[role.owner].members[0]].add_width(link, role.out, role.in);
    }
    for (const OwnFigures& figures : classes_.own) {
      Uplink uplink{std::min(figures.out, figures.both), std::min(figures.in, figures.both), false,
                    Time{0}};
      uplink.half_duplex =
          !figures.both.unlimited() && figures.both <= figures.out && figures.both <= figures.in;
      uplinks_.push_back(uplink);
    }
  }

  /// The uplink of a class gets the latency of what its routes pass in both directions.
  void set_latencies() {
    std::vector<Picoseconds> out, in;
    for (std::size_t c = 0; c < class_count(); ++c) {
      out.push_back(own(c).latency_out);
      in.push_back(own(c).latency_in);
    }
    for (const LinkId id : roles_.used()) {
      const LinkRole& role = roles_.of(id);
      if (role.role != Role::Owned) continue;
      const Picoseconds latency = platform_.links[id].latency.picoseconds;
      if (role.out) out[role.owner] += latency;
      if (role.in) in[role.owner] += latency;
    }
    for (std::size_t c = 0; c < class_count(); ++c) {
      uplink_latency_.push_back(std::max<Picoseconds>(0, std::min(out[c], in[c])));
    }
    level_the_ways_out();
    choose_channel_latency();
  }

  /// What a route between two classes takes beyond the uplinks of its ends.
  [[nodiscard]] Picoseconds rest_of(const Route& route) const {
    return own(route.from).latency_out + latency_of(found_.inside, route) +
           own(route.to).latency_in - uplink_latency_[route.from] - uplink_latency_[route.to];
  }
  [[nodiscard]] Picoseconds rest_of_exit(std::size_t c, bool out) const {
    const RouteTable& table = out ? found_.exits : found_.entries;
    return (out ? own(c).latency_out : own(c).latency_in) + latency_of(table, table.routes[c]) -
           uplink_latency_[c];
  }

  /// The rest of the way out should be the same for all classes. Where it is not, the difference
  /// can be a part of the uplinks, if the routes inside are long enough to take it off again.
  void level_the_ways_out() {
    if (found_.exits.routes.empty()) return;
    std::vector<Picoseconds> more(class_count());
    Picoseconds least_out = rest_of_exit(0, true);
    Picoseconds least_in = rest_of_exit(0, false);
    for (std::size_t c = 1; c < class_count(); ++c) {
      least_out = std::min(least_out, rest_of_exit(c, true));
      least_in = std::min(least_in, rest_of_exit(c, false));
    }
    for (std::size_t c = 0; c < class_count(); ++c) {
      more[c] = std::min(rest_of_exit(c, true) - least_out, rest_of_exit(c, false) - least_in);
    }
    const auto& inside = found_.inside.routes;
    const bool possible = std::all_of(inside.begin(), inside.end(), [&](const Route& route) {
      return rest_of(route) >= more[route.from] + more[route.to];
    });
    if (!possible) return;
    for (std::size_t c = 0; c < class_count(); ++c) uplink_latency_[c] += more[c];
  }

  /// Most pairs of members should need no word of their own.
  void choose_channel_latency() {
    std::map<Picoseconds, std::uint64_t> votes;
    for (const Route& route : found_.inside.routes) {
      if (route.from > route.to) continue;
      const std::uint64_t a = classes_.classes[route.from].size;
      const std::uint64_t b = classes_.classes[route.to].size;
      const Picoseconds rest = std::max<Picoseconds>(0, rest_of(route));
      votes[rest] += route.from == route.to ? a * (a - 1) / 2 : a * b;
    }
    std::uint64_t most = 0;
    for (const auto& [rest, count] : votes) {
      if (count <= most) continue;
      most = count;
      channel_.latency = to_time(rest);
    }
  }

  /// The tightest of what limits each flow by itself.
  [[nodiscard]] Bandwidth cap_of(const Route& route) const {
    Bandwidth cap = std::min(
        {route.cap, classes_.classes[route.from].cap_out, classes_.classes[route.to].cap_in});
    for (const LinkId id : found_.inside.links_of(route)) {
      const Link& link = platform_.links[id];
      if (link.fatpipe || roles_.of(id).role == Role::Inside) cap = std::min(cap, link.bandwidth);
    }
    return cap;
  }
  /// The narrowest of what has no place but a pair.
  [[nodiscard]] Bandwidth unplaced_width(const Route& route) const {
    Bandwidth width = route.width;
    for (const LinkId id : found_.inside.links_of(route)) {
      const Link& link = platform_.links[id];
      if (!link.fatpipe && roles_.of(id).role == Role::Partial) {
        width = std::min(width, link.bandwidth);
      }
    }
    return width;
  }
  [[nodiscard]] Bandwidth widest(std::size_t c, bool out) const {
    Bandwidth widest{0};
    for (const std::size_t m : classes_.classes[c].members) {
      widest = std::max(widest, out ? uplinks_[m].out : uplinks_[m].in);
    }
    return widest;
  }

  void set_widths() {
    widest_out_.resize(class_count());
    widest_in_.resize(class_count());
    for (std::size_t c = 0; c < class_count(); ++c) {
      widest_out_[c] = widest(c, true);
      widest_in_[c] = widest(c, false);
    }
    channel_.flow_cap = Bandwidth{0};
    for (const Route& route : found_.inside.routes) {
      channel_.flow_cap = std::max(channel_.flow_cap, cap_of(route));
    }
  }

  /// What the machine would say of a route without pairs, at its best.
  [[nodiscard]] Bandwidth placed_width(const Route& route) const {
    return std::min(
        {widest_out_[route.from], widest_in_[route.to], channel_.backbone, channel_.flow_cap});
  }
  [[nodiscard]] Bandwidth pair_capacity(const Route& route) const {
    const Bandwidth needed = std::min(unplaced_width(route), cap_of(route));
    return needed < placed_width(route) ? needed : kUnlimited;
  }

  /// Pairs of classes that differ from the channel, for each pair of their members.
  bool add_pairs() {
    struct PairOfClasses {
      std::uint32_t first = 0;
      std::uint32_t second = 0;
      Time latency;
      Bandwidth capacity;
    };
    std::vector<PairOfClasses> pairs;
    for (const Route& route : found_.inside.routes) {
      const auto [first, second] = std::minmax(route.from, route.to);
      pairs.push_back({first, second, to_time(rest_of(route)), pair_capacity(route)});
    }
    const auto order = [](const PairOfClasses& p) { return std::pair(p.first, p.second); };
    std::sort(pairs.begin(), pairs.end(),
              [&](const PairOfClasses& p, const PairOfClasses& q) { return order(p) < order(q); });
    std::vector<std::vector<std::string>> names(class_count());
    for (std::size_t i = 0; i < pairs.size();) {
      PairOfClasses pair = pairs[i];
      for (++i; i < pairs.size() && order(pairs[i]) == order(pair); ++i) {  // the way back
        pair.latency = std::max(pair.latency, pairs[i].latency);
        pair.capacity = std::min(pair.capacity, pairs[i].capacity);
      }
      if (pair.latency == channel_.latency && pair.capacity.unlimited()) continue;
      for (const std::uint32_t c : {pair.first, pair.second}) {
        if (names[c].empty()) names[c] = names_of(c);
      }
      const bool same = pair.first == pair.second;
      if (!add_pairs_of(names[pair.first], names[pair.second], same, pair.latency, pair.capacity)) {
        return false;
      }
    }
    return true;
  }

  bool add_pairs_of(const std::vector<std::string>& first, const std::vector<std::string>& second,
                    bool same, Time latency, Bandwidth capacity) {
    if (!routes_.spend(20 * first.size() * second.size())) return false;
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t j = same ? i + 1 : 0; j < second.size(); ++j) {
        // Made here, they are right: no error will ask where they stand.
        settled_.spec.pairs.push_back({"", first[i], second[j], latency, capacity});
      }
    }
    return true;
  }
  [[nodiscard]] std::vector<std::string> names_of(std::size_t c) const {
    std::vector<std::string> names;
    for (const std::size_t m : classes_.classes[c].members) {
      const auto own_names = expand_hostlist(view_.members()[m].spec.name, kMaxHosts);
      if (own_names) names.insert(names.end(), own_names->begin(), own_names->end());
    }
    return names;
  }

  [[nodiscard]] bool passes_on(LinkId id, std::size_t gateway, bool out) const {
    const LinkRole& role = roles_.of(id);
    return gateway == 0 && role.role == Role::Leaving && (out ? role.out : role.in);
  }

  [[nodiscard]] Leftover leftover(std::size_t c, std::size_t gateway, bool out) const {
    const RouteTable& table = out ? found_.exits : found_.entries;
    const Route& route = table.routes[c];
    const MemberClass& of = classes_.classes[c];
    Leftover left{rest_of_exit(c, out), route.width,
                  std::min(route.cap, out ? of.cap_out : of.cap_in)};
    for (const LinkId id : table.links_of(route)) {
      const Link& link = platform_.links[id];
      const LinkRole& role = roles_.of(id);
      if (passes_on(id, gateway, out)) {
        left.latency -= link.latency.picoseconds;
      } else if (link.fatpipe) {
        left.cap = std::min(left.cap, link.bandwidth);
      } else if (role.role != Role::Everywhere && !(role.role == Role::Owned && role.owner == c)) {
        left.width = std::min(left.width, link.bandwidth);
      }
    }
    return left;
  }

  /// The way out (or in) as the zone around this one is to see it: that of the largest class, as
  /// wide as the widest. Narrower ones have it in their uplinks, if that harms nothing inside.
  RoutePart piece_of(std::size_t gateway, bool out) {
    RoutePart piece;
    const RouteTable& table = out ? found_.exits : found_.entries;
    for (const LinkId id : table.links_of(table.routes[0])) {
      if (passes_on(id, gateway, out)) piece.links.push_back(id);
    }
    std::vector<Leftover> left;
    std::size_t largest = 0;
    piece.width = piece.cap = Bandwidth{0};
    for (std::size_t c = 0; c < class_count(); ++c) {
      left.push_back(leftover(c, gateway, out));
      piece.width = std::max(piece.width, left[c].width);
      piece.cap = std::max(piece.cap, left[c].cap);
      if (classes_.classes[c].size > classes_.classes[largest].size) largest = c;
    }
    piece.latency = left[largest].latency;
    for (std::size_t c = 0; c < class_count(); ++c) {
      const bool narrower = left[c].width < piece.width || left[c].cap < piece.cap;
      if (narrower) restrict_uplinks(c, std::min(left[c].width, left[c].cap), out);
    }
    return piece;
  }

  void restrict_uplinks(std::size_t c, Bandwidth width, bool out) {
    for (const Route& route : found_.inside.routes) {
      if ((out ? route.from : route.to) != c) continue;
      const Bandwidth inside =
          std::min({placed_width(route), unplaced_width(route), cap_of(route)});
      if (inside > width) return;
    }
    for (const std::size_t m : classes_.classes[c].members) {
      Uplink& uplink = uplinks_[m];
      if (uplink.half_duplex) continue;
      Bandwidth& narrowed = out ? uplink.out : uplink.in;
      narrowed = std::min(narrowed, width);
    }
  }

  void note_shared_links() {
    std::vector<std::string> names;
    for (const LinkId id : roles_.used()) {
      const LinkRole& role = roles_.of(id);
      const Link& link = platform_.links[id];
      if (link.fatpipe || link.bandwidth.unlimited()) continue;
      const bool lost = role.role == Role::Partial && !role.of_one_pair;
      if (lost || role.role == Role::Inside) names.push_back(link.name);
    }
    if (names.empty()) return;
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i) {
      list += fmt::format("{}\"{:.60}\"", i == 0 ? "" : ", ", names[i]);
    }
    if (names.size() > 3) list += fmt::format(" and {} more", names.size() - 3);
    notes_.push_back(fmt::format(
        "zone \"{:.60}\": {} {} shared by some of its routes only; the machine has the right "
        "bandwidth for each message alone, but lets them pass at once",
        view_.zone().name, list, names.size() == 1 ? "is" : "are"));
  }

  void write_spec() {
    MemberSpec& spec = settled_.spec;
    spec.where = platform_.where(view_.zone().line);
    spec.name = plain_name(view_.zone().name);
    spec.channel = {channel_.latency, channel_.backbone, channel_.flow_cap};
    for (std::size_t c = 0; c < class_count(); ++c) {
      const OwnFigures& first = own(c);
      for (const std::size_t m : classes_.classes[c].members) {
        uplinks_[m].latency =
            to_time(uplink_latency_[c] - first.latency_out + classes_.own[m].latency_out);
      }
    }
    for (std::size_t m = 0; m < view_.members().size(); ++m) {
      ViewMember& member = view_.members()[m];
      member.spec.uplink = uplinks_[m];
      spec.members.push_back(std::move(member.spec));
    }
  }

  const Platform& platform_;
  Routes& routes_;
  ZoneView& view_;
  LinkRoles& roles_;
  SettledZone& settled_;
  std::vector<std::string>& notes_;
  Classes classes_;
  ZoneRoutes found_;
  Channel channel_;
  std::vector<Uplink> uplinks_;  ///< [member]
  std::vector<Picoseconds>
      uplink_latency_;  ///< [class] uplink latency of the first member of the class
  std::vector<Bandwidth> widest_out_, widest_in_;
};

}  // namespace

bool settle(const Platform& platform, Routes& routes, ZoneView& view, LinkRoles& roles,
            SettledZone& settled, std::vector<std::string>& notes) {
  return Settler(platform, routes, view, roles, settled, notes).run();
}

}  // namespace espalier::topology::simgrid
