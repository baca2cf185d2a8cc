#include "topology/simgrid/read_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "topology/simgrid/read_parts.hpp"

namespace espalier::topology::simgrid {
namespace {

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

/// Elements that say nothing a machine can hold, and the note that says so.
struct Passed {
  std::string_view element;
  std::string_view note;
};
constexpr std::string_view kNoProfiles =
    "profiles of speeds, bandwidths and failures over time are not taken over";
constexpr std::string_view kNoDisks = "disks and storages are not taken over";
constexpr std::string_view kNoActors = "the deployment of actors is not taken over";
constexpr std::string_view kNoBypass =
    "bypass routes are not taken over: the ordinary routes count";
constexpr std::array kPassed{
    Passed{"prop", ""},
    Passed{"config", "<config> is not taken over"},
    Passed{"random", ""},
    Passed{"trace", kNoProfiles},
    Passed{"trace_connect", kNoProfiles},
    Passed{"storage", kNoDisks},
    Passed{"storage_type", kNoDisks},
    Passed{"process", kNoActors},
    Passed{"actor", kNoActors},
    Passed{"bypassRoute", kNoBypass},
    Passed{"bypassASroute", kNoBypass},
    Passed{"bypassZoneRoute", kNoBypass},
};

constexpr std::array kRoutes{std::string_view("route"), std::string_view("ASroute"),
                             std::string_view("zoneRoute"), std::string_view("host_link")};

struct Declared {
  pugi::xml_node node;
  ZoneId zone;
};

class PlatformReader {
 public:
  explicit PlatformReader(const XmlSource& source)
      : source_(source), builder_(source.file()), in_{source_, builder_} {}

  Expected<Platform> read() {
    const pugi::xml_node root = source_.root();
    if (Failure failure = check_version(root)) return *failure;
    if (Failure failure = declare(root, kNone)) return *failure;
    if (builder_.platform().zones.empty()) {
      return Error{source_.where(root), "the platform has no zone",
                   "expected a <zone>, <AS> or <cluster> with hosts in it"};
    }
    // Routes may name what stands after them.
    for (const Declared& route : routes_) {
      if (Failure failure = read_route(in_, route.node, route.zone)) return *failure;
    }
    return std::move(builder_).finish();
  }

 private:
  Failure check_version(const pugi::xml_node& root) {
    if (std::string_view(root.name()) != "platform") {
      return Error{source_.where(root), fmt::format("found <{:.60}>", root.name()),
                   "expected <platform version=\"4.1\">"};
    }
    const std::string_view version = root.attribute("version").value();
    if (version.starts_with("4")) return {};
    return Error{source_.where(root),
                 fmt::format("platform version \"{:.60}\"; versions 4 and 4.1 are read", version),
                 "update the file with SimGrid's simgrid_update_xml"};
  }

  /// All points and links of a zone, or of the platform if it is kNone.
  Failure declare(const pugi::xml_node& parent, ZoneId zone) {
    for (const pugi::xml_node& node : parent.children()) {
      if (node.type() != pugi::node_element) continue;
      if (Failure failure = declare_one(node, zone)) return failure;
    }
    return {};
  }

  Failure declare_one(const pugi::xml_node& node, ZoneId zone) {
    const std::string_view name = node.name();
    const auto passed = std::find_if(kPassed.begin(), kPassed.end(),
                                     [&](const Passed& p) { return p.element == name; });
    if (passed != kPassed.end()) {
      if (!passed->note.empty()) builder_.note(std::string(passed->note));
      return {};
    }
    const bool opens_zone = name == "zone" || name == "AS" || name == "cluster";
    if (opens_zone && zone == kNone && !builder_.platform().zones.empty()) {
      return Error{source_.where(node), "a second outermost zone",
                   "put both into one <zone> and give it routes between them"};
    }
    if (name == "zone" || name == "AS") return declare_zone(node, zone);
    if (name == "cluster") return read_cluster(in_, node, zone);
    if (zone != kNone) {
      if (std::find(kRoutes.begin(), kRoutes.end(), name) != kRoutes.end()) {
        routes_.push_back({node, zone});
        return {};
      }
      if (name == "host") return declare_host(node, zone);
      if (name == "router") return declare_router(node, zone);
      if (name == "link") return read_link(in_, node, zone);
      if (name == "cabinet") return read_cabinet(in_, node, zone);
      if (name == "backbone") return read_backbone(in_, node, zone);
    }
    if (name == "peer") {
      return Error{source_.where(node), "a <peer>: its distances come from coordinates",
                   "describe it as a <host> with a <link> of its own"};
    }
    return Error{source_.where(node),
                 fmt::format("found <{:.60}> in <{:.60}>", name, node.parent().name()),
                 name == "include" ? "copy the included file into this one"
                                   : "expected an element of SimGrid's platforms, version 4.1"};
  }

  Failure declare_zone(const pugi::xml_node& node, ZoneId parent) {
    auto id = source_.required(node, "id");
    if (!id) return id.error();
    auto routing = read_routing(node);
    if (!routing) return routing.error();
    auto zone = builder_.add_zone(*id, *routing, parent, source_.line(node));
    if (!zone) return zone.error();
    for (const pugi::xml_node& prop : node.children("prop")) {
      const std::string_view name = prop.attribute("id").value();
      if (name == "espalier/cluster") builder_.zone(*zone).kept = true;
    }
    return declare(node, *zone);
  }

  Expected<Routing> read_routing(const pugi::xml_node& node) {
    struct Known {
      std::string_view name;
      Routing routing;
    };
    constexpr std::array kKnown{
        Known{"Full", Routing::Full},         Known{"Floyd", Routing::Floyd},
        Known{"Dijkstra", Routing::Dijkstra}, Known{"DijkstraCache", Routing::Dijkstra},
        Known{"None", Routing::None},         Known{"Cluster", Routing::Star},
        Known{"Star", Routing::Star},
    };
    const std::string_view text = node.attribute("routing").value();
    for (const Known& known : kKnown) {
      if (same_letters(text, known.name)) return known.routing;
    }
    if (same_letters(text, "Vivaldi") || same_letters(text, "Wifi")) {
      return Error{source_.where(node),
                   fmt::format("routing \"{}\" gives no routes of links to read", text),
                   "describe the zone with routing \"Full\" or \"Cluster\""};
    }
    return Error{source_.where(node), fmt::format("routing \"{:.60}\"", text),
                 "expected Full, Floyd, Dijkstra, DijkstraCache, Cluster or None"};
  }

  Failure declare_host(const pugi::xml_node& node, ZoneId zone) {
    auto id = source_.required(node, "id");
    if (!id) return id.error();
    auto host = read_host_figures(in_, node);
    if (!host) return host.error();
    for (const char* profile : {"availability_file", "speed_file", "state_file"}) {
      if (!std::string_view(node.attribute(profile).value()).empty()) {
        builder_.note(std::string(kNoProfiles));
      }
    }
    if (node.child("disk") || node.child("mount")) builder_.note(std::string(kNoDisks));
    auto added = builder_.add_host(*id, *host, zone, source_.line(node));
    return added ? Failure{} : added.error();
  }

  Failure declare_router(const pugi::xml_node& node, ZoneId zone) {
    auto id = source_.required(node, "id");
    if (!id) return id.error();
    auto added = builder_.add_router(*id, zone, source_.line(node));
    return added ? Failure{} : added.error();
  }

  const XmlSource& source_;
  PlatformBuilder builder_;
  Reading in_;
  std::vector<Declared> routes_;
};

}  // namespace

Expected<Platform> read_platform(std::string_view text, const std::string& file) {
  auto source = XmlSource::parse(text, file);
  if (!source) return source.error();
  return PlatformReader(*source).read();
}

}  // namespace espalier::topology::simgrid
