#include "topology/simgrid/to_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace espalier::topology::simgrid {
namespace {

class MachineMaker {
 public:
  explicit MachineMaker(Platform platform)
      : platform_(std::move(platform)),
        routes_(platform_),
        settled_(platform_.zones.size()),
        roles_(platform_.links.size()),
        notes_(platform_.notes) {}

  Expected<LoadedMachine> make() {
    if (platform_.zones[0].host_count == 0) {
      return Error{platform_.where(platform_.zones[0].line), "the platform has no hosts",
                   "give a zone a <host> or a <cluster>"};
    }
    find_gateways();
    for (ZoneId z = static_cast<ZoneId>(platform_.zones.size()); z-- > 0;) {
      if (platform_.zones[z].host_count > 0 && !settle_zone(z)) return *routes_.failure();
    }
    MachineSpec spec = whole_spec();
    auto machine = build_machine(spec);
    if (!machine) return machine.error();
    note_names();
    if (!audit(platform_, routes_, *machine, kAllPairs, notes_)) return *routes_.failure();
    return LoadedMachine{std::move(*machine), std::move(notes_)};
  }

 private:
  /// How many routes use a gateway: those of the zone around it, and those further out whose
  /// gateway lies in it too. The nearer ones count first: they join more alike hosts.
  struct Uses {
    std::uint64_t near = 0;
    std::uint64_t far = 0;
    friend auto operator<=>(const Uses&, const Uses&) = default;
  };
  using UsesByGateway = std::map<PointId, Uses>;

  void find_gateways() {
    std::vector<UsesByGateway> uses(platform_.zones.size());
    for (ZoneId z = 0; z < platform_.zones.size(); ++z) {
      const Zone& zone = platform_.zones[z];
      for (const Edge& edge : zone.edges) {
        for (const PointId gateway : {edge.gateway_from, edge.gateway_to}) {
          if (Uses* of = uses_within(uses, z, gateway)) ++of->near;
        }
      }
      if (zone.routing == Routing::Star) {
        for (const Arms& arms : zone.arms) {
          if (Uses* of = uses_within(uses, z, arms.gateway)) ++of->near;
        }
      }
      for (const auto& [gateway, own] : uses[z]) {
        if (Uses* of = uses_within(uses, z, gateway)) of->far += own.near + own.far;
      }
      rank_gateways(uses[z], settled_[z].gateways);
      uses[z].clear();
    }
  }

  /// Of the zone within `z` that the gateway lies in, if it does.
  Uses* uses_within(std::vector<UsesByGateway>& uses, ZoneId z, PointId gateway) {
    PointId in_zone = gateway;
    while (platform_.points[in_zone].zone != z) {
      in_zone = platform_.zones[platform_.points[in_zone].zone].point;
    }
    const Point& point = platform_.points[in_zone];
    return point.kind == PointKind::Zone && in_zone != gateway ? &uses[point.item][gateway]
                                                               : nullptr;
  }

  static void rank_gateways(const UsesByGateway& uses, std::vector<PointId>& gateways) {
    for (const auto& [gateway, of] : uses) gateways.push_back(gateway);
    std::stable_sort(gateways.begin(), gateways.end(),
                     [&](PointId a, PointId b) { return uses.at(a) > uses.at(b); });
  }

  bool settle_zone(ZoneId z) {
    const Zone& zone = platform_.zones[z];
    if (zone.routing == Routing::None && zone.items.size() > 1) {
      notes_.push_back(fmt::format(
          "zone \"{:.60}\" has routing None: its members are taken as joined at no cost",
          zone.name));
    }
    ZoneView view(platform_, routes_, settled_, z);
    const bool one_member = view.members().size() == 1 && view.members()[0].count == 1;
    if (!one_member) return settle(platform_, routes_, view, roles_, settled_[z], notes_);

    // Nothing to tell apart: the member stands for the zone.
    ViewMember& member = view.members()[0];
    SettledZone& settled = settled_[z];
    settled.spec = std::move(member.spec);
    if (zone.kept) {
      MemberSpec cluster;
      cluster.where = platform_.where(zone.line);
      cluster.name = plain_name(zone.name);
      cluster.members.push_back(std::move(settled.spec));
      settled.spec = std::move(cluster);
    }
    for (std::size_t g = 0; g < settled.gateways.size(); ++g) {
      RoutePart exit, entry;
      if (!view.exit(0, g, exit) || !view.entry(0, g, entry)) return false;
      GatewayRoutes ends{member.up, entry};
      ends.out.append(exit);
      ends.in.append(member.down);
      settled.ends.push_back(std::move(ends));
    }
    return true;
  }

  MachineSpec whole_spec() {
    MachineSpec spec;
    spec.where = platform_.where(platform_.zones[0].line);
    spec.name = plain_name(platform_.zones[0].name);
    MemberSpec& outermost = settled_[0].spec;
    if (outermost.members.empty()) {
      spec.whole.members.push_back(std::move(outermost));
    } else {
      spec.whole = std::move(outermost);
    }
    spec.whole.uplink.reset();
    take_ranks(spec);
    return spec;
  }

  /// write_simgrid leaves the ranks with the hosts if they are not in order.
  void take_ranks(MachineSpec& spec) {
    std::vector<std::uint64_t> leaf_of_rank(platform_.zones[0].host_count, kNone);
    std::uint64_t leaf = 0;
    for (const HostPlace& place : places(platform_)) {
      if (place.group != kNone) return;
      const Host& host = platform_.hosts[platform_.points[place.point].item];
      const bool fits = host.rank && host.cores == 1 && *host.rank < leaf_of_rank.size() &&
                        leaf_of_rank[*host.rank] == kNone;
      if (!fits) return;
      leaf_of_rank[*host.rank] = leaf++;
    }
    spec.placement = PlacementKind::Listed;
    spec.listed = std::move(leaf_of_rank);
  }

  void note_names() {
    const auto changed = [](const std::string& name) { return plain_name(name) != name; };
    const bool any =
        std::any_of(
            platform_.points.begin(), platform_.points.end(),
            [&](const Point& p) { return p.kind != PointKind::Router && changed(p.name); }) ||
        std::any_of(platform_.groups.begin(), platform_.groups.end(),
                    [&](const HostGroup& g) { return changed(g.prefix) || changed(g.suffix); });
    if (any) notes_.push_back("brackets, commas and control characters in names have become \"_\"");
    const auto joined_otherwise = [](const Host& h) { return h.cores > 1 && !h.loopback; };
    const bool nodes =
        std::any_of(platform_.hosts.begin(), platform_.hosts.end(), joined_otherwise) ||
        std::any_of(platform_.groups.begin(), platform_.groups.end(),
                    [&](const HostGroup& g) { return joined_otherwise(g.host); });
    if (nodes) {
      notes_.push_back(
          "hosts of several cores without a loopback: their processes are taken as joined as "
          "SimGrid joins them, at 10 GB/s or through their cluster");
    }
  }

  Platform platform_;
  Routes routes_;
  std::vector<SettledZone> settled_;
  LinkRoles roles_;
  std::vector<std::string> notes_;
};

}  // namespace

Expected<LoadedMachine> to_machine(Platform platform) {
  return MachineMaker(std::move(platform)).make();
}

}  // namespace espalier::topology::simgrid
