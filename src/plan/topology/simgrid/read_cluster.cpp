#include <fmt/format.h>

#include <algorithm>

#include "topology/simgrid/read_parts.hpp"

namespace espalier::topology::simgrid {
namespace {

/// What <cluster> says of each of its hosts and links, whatever their arrangement.
struct ClusterFigures {
  std::string id;
  std::string prefix;
  std::string suffix;
  std::vector<NumberRange> ranges;
  Host host;
  Bandwidth bandwidth;
  Time latency;
  Sharing sharing = Sharing::SplitDuplex;
  std::optional<Bandwidth> limiter;

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const NumberRange& range : ranges) sum += range.size();
    return sum;
  }
};

Expected<ClusterFigures> read_figures(Reading& in, const pugi::xml_node& node) {
  ClusterFigures figures;
  auto id = in.source.required(node, "id");
  if (!id) return id.error();
  figures.id = *id;
  figures.prefix = node.attribute("prefix").value();
  figures.suffix = node.attribute("suffix").value();
  auto radical = in.source.required(node, "radical");
  if (!radical) return radical.error();
  auto ranges = parse_radical(*radical, kMaxHosts);
  if (!ranges) return in.source.at(node, "radical", ranges.error());
  figures.ranges = *ranges;
  auto host = read_host_figures(in, node);
  if (!host) return host.error();
  figures.host = *host;
  auto bandwidth = read_rate(in, node, "bw");
  if (!bandwidth) return bandwidth.error();
  figures.bandwidth = *bandwidth;
  auto latency = read_latency(in, node, "lat");
  if (!latency) return latency.error();
  figures.latency = *latency;
  auto sharing = read_sharing(in, node, "sharing_policy", Sharing::SplitDuplex);
  if (!sharing) return sharing.error();
  figures.sharing = *sharing;
  auto limiter = read_optional_rate(in, node, "limiter_link");
  if (!limiter) return limiter.error();
  figures.limiter = *limiter;

  auto loopback_bw = read_optional_rate(in, node, "loopback_bw");
  if (!loopback_bw) return loopback_bw.error();
  auto loopback_lat = read_optional_latency(in, node, "loopback_lat");
  if (!loopback_lat) return loopback_lat.error();
  if (*loopback_bw || loopback_lat->picoseconds > 0) {
    figures.host.loopback = Loopback{*loopback_lat, loopback_bw->value_or(kUnlimited), true};
  }
  return figures;
}

std::vector<std::string> host_names(const ClusterFigures& figures) {
  std::vector<std::string> names;
  for (const NumberRange& range : figures.ranges) {
    for (std::uint64_t n = range.first; n <= range.last; ++n) {
      names.push_back(fmt::format("{}{}{}", figures.prefix, n, figures.suffix));
    }
  }
  return names;
}

HostGroup group_of(const ClusterFigures& figures, ZoneId zone, std::uint32_t line) {
  HostGroup group;
  group.prefix = figures.prefix;
  group.suffix = figures.suffix;
  group.ranges = figures.ranges;
  group.zone = zone;
  group.line = line;
  group.host = figures.host;
  group.bandwidth = figures.bandwidth;
  group.latency = figures.latency;
  group.fatpipe = figures.sharing == Sharing::FatPipe;
  group.half_duplex = figures.sharing == Sharing::Shared;
  group.limiter = figures.limiter.value_or(kUnlimited);
  return group;
}

Bandwidth twice(Bandwidth rate) {
  return rate > Bandwidth{kUnlimited.bits_per_second / 2} ? kUnlimited
                                                          : Bandwidth{2 * rate.bits_per_second};
}

/// A star of equal hosts around a backbone and a router.
Failure read_flat(Reading& in, const pugi::xml_node& node, ZoneId parent,
                  const ClusterFigures& figures) {
  const std::uint32_t line = in.source.line(node);
  auto zone = in.builder.add_zone(figures.id, Routing::Star, parent, line);
  if (!zone) return zone.error();
  auto bb_bw = read_optional_rate(in, node, "bb_bw");
  if (!bb_bw) return bb_bw.error();
  auto bb_lat = read_optional_latency(in, node, "bb_lat");
  if (!bb_lat) return bb_lat.error();
  auto bb_sharing = read_sharing(in, node, "bb_sharing_policy", Sharing::Shared);
  if (!bb_sharing) return bb_sharing.error();
  if (*bb_bw || bb_lat->picoseconds > 0) {
    const Sharing one = *bb_sharing == Sharing::FatPipe ? Sharing::FatPipe : Sharing::Shared;
    auto link = in.builder.add_link(figures.id + "_backbone", bb_bw->value_or(kUnlimited), *bb_lat,
                                    one, line);
    if (!link) return link.error();
    in.builder.zone(*zone).centre = {*link};
  }
  if (Failure failure = in.builder.add_group(group_of(figures, *zone, line))) return failure;
  const Bandwidth width = figures.bandwidth;
  if (figures.limiter && figures.sharing != Sharing::Shared && *figures.limiter < twice(width)) {
    in.builder.note(fmt::format(
        "cluster \"{:.60}\": its limiter_link is taken for each direction by itself", figures.id));
  }
  std::string router = node.attribute("router_id").value();
  if (router.empty()) router = figures.prefix + figures.id + "_router" + figures.suffix;
  auto added = in.builder.add_router(router, *zone, line);
  return added ? Failure{} : added.error();
}

/// "4,3,2"
Expected<std::vector<std::uint32_t>> read_numbers(Reading& in, const pugi::xml_node& node,
                                                  std::string_view text) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view part : split(text, ',')) {
    auto number = parse_count(part, 1, kMaxHosts);
    if (!number) return in.source.at(node, "topo_parameters", number.error());
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  return numbers;
}

/// Refuses sizes whose product is not the number of hosts.
Failure check_size(Reading& in, const pugi::xml_node& node, const std::vector<std::uint32_t>& sizes,
                   std::uint64_t hosts) {
  std::uint64_t product = 1;
  for (const std::uint32_t size : sizes) product = std::min(product * size, kMaxHosts + 1);
  if (product == hosts) return {};
  return Error{in.source.where(node),
               fmt::format("the radical gives {} hosts, topo_parameters \"{:.60}\" make {}{}",
                           hosts, node.attribute("topo_parameters").value(),
                           product > kMaxHosts ? "more than " : "", std::min(product, kMaxHosts)),
               "make the two agree"};
}

Failure read_torus(Reading& in, const pugi::xml_node& node, ZoneId parent,
                   const ClusterFigures& figures) {
  constexpr std::uint64_t kMaxTorus = 4096;
  const std::uint32_t line = in.source.line(node);
  auto sizes = read_numbers(in, node, node.attribute("topo_parameters").value());
  if (!sizes) return sizes.error();
  if (Failure failure = check_size(in, node, *sizes, figures.size())) return failure;
  if (figures.size() > kMaxTorus || sizes->size() > 16) {
    return Error{in.source.where(node), fmt::format("a torus of {} hosts", figures.size()),
                 fmt::format("up to {} in 16 dimensions are read: every distance is spelled out",
                             kMaxTorus)};
  }
  auto zone = in.builder.add_zone(figures.id, Routing::Torus, parent, line);
  if (!zone) return zone.error();
  in.builder.zone(*zone).dimensions = *sizes;
  std::uint32_t number = 0;
  for (const std::string& name : host_names(figures)) {
    auto host = in.builder.add_host(name, figures.host, *zone, line);
    if (!host) return host.error();
    for (std::size_t d = 0; d < sizes->size(); ++d) {
      auto link = in.builder.add_link(fmt::format("{}_link_{}_{}", figures.id, number, d),
                                      figures.bandwidth, figures.latency, figures.sharing, line);
      if (!link) return link.error();
      in.builder.zone(*zone).torus_links.push_back(*link);
    }
    if (figures.limiter) {
      auto limiter = in.builder.add_link(fmt::format("{}_link_{}_limiter", figures.id, number),
                                         *figures.limiter, Time{0}, Sharing::Shared, line);
      if (!limiter) return limiter.error();
      in.builder.zone(*zone).torus_limiters.push_back(*limiter);
    }
    ++number;
  }
  return {};
}

/// A fat tree as stars within stars: what a switch of level l joins is a zone, and the cables
/// between it and the switches above are one link of their summed width. A message takes one
/// cable, which a FATPIPE link of one cable's width says.
class FatTree {
 public:
  FatTree(Reading& in, const ClusterFigures& figures, std::uint32_t line)
      : in_(in), figures_(figures), line_(line) {}

  Failure read(const pugi::xml_node& node, ZoneId parent) {
    const std::string_view text = node.attribute("topo_parameters").value();
    const std::vector<std::string_view> parts = split(text, ';');
    const Error wrong{in_.source.where(node), fmt::format("topo_parameters \"{:.60}\"", text),
                      "a fat tree has \"LEVELS;CHILDREN;PARENTS;CABLES\", a number for each level "
                      "in each: \"2;4,4;1,2;1,2\""};
    if (parts.size() != 4) return wrong;
    auto levels = parse_count(parts[0], 1, 20);
    if (!levels) return wrong;
    std::vector<std::uint32_t>* lists[] = {&children_, &parents_, &cables_};
    for (std::size_t i = 0; i < 3; ++i) {
      auto numbers = read_numbers(in_, node, parts[i + 1]);
      if (!numbers) return numbers.error();
      if (numbers->size() != *levels) return wrong;
      *lists[i] = *numbers;
    }
    if (Failure failure = check_size(in_, node, children_, figures_.size())) return failure;
    names_ = host_names(figures_);
    if (Failure failure = add_common_links()) return failure;
    in_.builder.note(fmt::format(
        "fat tree \"{}\": the cables between two switches are taken as one link of their width",
        figures_.id));
    return add_switch(figures_.id, children_.size(), parent);
  }

 private:
  Failure add_common_links() {
    auto cable = in_.builder.add_link(figures_.id + "_cable", figures_.bandwidth, Time{0},
                                      Sharing::FatPipe, line_);
    if (!cable) return cable.error();
    common_ = {*cable};
    if (!figures_.limiter) return {};
    auto limiter = in_.builder.add_link(figures_.id + "_limiter", *figures_.limiter, Time{0},
                                        Sharing::FatPipe, line_);
    if (!limiter) return limiter.error();
    common_.push_back(*limiter);
    return {};
  }

  Failure add_switch(const std::string& name, std::size_t level, ZoneId parent) {
    auto zone = in_.builder.add_zone(name, Routing::Star, parent, line_);
    if (!zone) return zone.error();
    auto router = in_.builder.add_router(name + "/switch", *zone, line_);
    if (!router) return router.error();
    for (std::uint32_t child = 0; child < children_[level - 1]; ++child) {
      PointId gateway = kNone;
      std::string child_name = fmt::format("{}/{}", name, child);
      if (level == 1) {
        child_name = names_[next_name_++];
        auto host = in_.builder.add_host(child_name, figures_.host, *zone, line_);
        if (!host) return host.error();
        gateway = *host;
      } else {
        if (Failure failure = add_switch(child_name, level - 1, *zone)) return failure;
        gateway = in_.builder.find_point(child_name + "/switch");
      }
      if (Failure failure = join(child_name, level, gateway, *zone)) return failure;
    }
    return {};
  }

  /// The cables of a child up to its parents on `level`.
  Failure join(const std::string& child, std::size_t level, PointId gateway, ZoneId zone) {
    const std::uint64_t cables = std::uint64_t{parents_[level - 1]} * cables_[level - 1];
    std::uint64_t width = 0;
    if (__builtin_mul_overflow(figures_.bandwidth.bits_per_second, cables, &width)) {
      width = kUnlimited.bits_per_second;
    }
    auto up = in_.builder.add_link(child + "_link", Bandwidth{width}, figures_.latency,
                                   figures_.sharing, line_);
    if (!up) return up.error();
    Arms arms{{*up}, {in_.builder.platform().links[*up].back}, gateway};
    for (const LinkId link : common_) {
      arms.up.push_back(link);
      arms.down.push_back(link);
    }
    const Point& point = in_.builder.platform().points[in_.builder.find_point(child)];
    in_.builder.zone(zone).arms[point.index] = std::move(arms);
    return {};
  }

  Reading& in_;
  const ClusterFigures& figures_;
  std::uint32_t line_;
  std::vector<std::string> names_;
  std::size_t next_name_ = 0;
  std::vector<std::uint32_t> children_, parents_, cables_;
  std::vector<LinkId> common_;
};

}  // namespace

Failure read_cluster(Reading& in, const pugi::xml_node& node, ZoneId parent) {
  auto figures = read_figures(in, node);
  if (!figures) return figures.error();
  const std::string_view topology = node.attribute("topology").value();
  if (topology.empty() || topology == "FLAT") return read_flat(in, node, parent, *figures);
  if (topology == "TORUS") return read_torus(in, node, parent, *figures);
  if (topology == "FAT_TREE") {
    return FatTree(in, *figures, in.source.line(node)).read(node, parent);
  }
  return Error{in.source.where(node), fmt::format("a cluster of topology \"{:.60}\"", topology),
               "FLAT, TORUS and FAT_TREE are read; the routes of a DRAGONFLY follow no tree"};
}

Failure read_cabinet(Reading& in, const pugi::xml_node& node, ZoneId zone) {
  if (in.builder.zone(zone).routing != Routing::Star) {
    return Error{in.source.where(node), "a <cabinet> in a zone that is no cluster",
                 "it may stand in a <zone routing=\"Cluster\">"};
  }
  auto figures = read_figures(in, node);
  if (!figures) return figures.error();
  figures->sharing = Sharing::SplitDuplex;
  figures->limiter.reset();
  figures->host.loopback.reset();
  return in.builder.add_group(group_of(*figures, zone, in.source.line(node)));
}

}  // namespace espalier::topology::simgrid
