#include <fmt/format.h>

#include <algorithm>

#include "topology/simgrid/read_parts.hpp"

namespace espalier::topology::simgrid {
namespace {

Failure read_properties(Reading& in, const pugi::xml_node& node, Host& host) {
  for (const pugi::xml_node& prop : node.children("prop")) {
    const std::string_view id = prop.attribute("id").value();
    const std::string_view value = prop.attribute("value").value();
    if (id == "smpi/os" || id == "smpi/or") {
      auto cost = parse_cost(value);
      if (!cost) return in.source.at(prop, "value", cost.error());
      (id == "smpi/os" ? host.costs.send : host.costs.recv) = cost->cost;
      if (cost->sections > 1) {
        in.builder.note("of smpi/os and smpi/or only the first section is taken, for all sizes");
      }
    } else if (id == "espalier/reduce") {
      auto rate = parse_rate(value);
      if (!rate) return in.source.at(prop, "value", rate.error());
      host.costs.reduce = *rate;
    } else if (id == "espalier/rank") {
      auto rank = parse_count(value, 0, kMaxHosts);
      if (!rank) return in.source.at(prop, "value", rank.error());
      host.rank = *rank;
    }
  }
  return {};
}

bool has_profile(const pugi::xml_node& node) {
  const auto given = [&](const char* name) {
    return !std::string_view(node.attribute(name).value()).empty();
  };
  return given("bandwidth_file") || given("latency_file") || given("state_file");
}

}  // namespace

Expected<Bandwidth> read_rate(Reading& in, const pugi::xml_node& node, const char* attribute) {
  auto text = in.source.required(node, attribute);
  if (!text) return text.error();
  auto rate = parse_rate(*text);
  return rate ? rate : in.source.at(node, attribute, rate.error());
}

Expected<Time> read_latency(Reading& in, const pugi::xml_node& node, const char* attribute) {
  auto text = in.source.required(node, attribute);
  if (!text) return text.error();
  return read_optional_latency(in, node, attribute);
}

Expected<std::optional<Bandwidth>> read_optional_rate(Reading& in, const pugi::xml_node& node,
                                                      const char* attribute) {
  const std::string_view text = trimmed(node.attribute(attribute).value());
  // A zero, with any unit, says that there is none.
  const bool zero = text.find_first_of("123456789") == std::string_view::npos &&
                    (text.starts_with('0') || text.starts_with('.'));
  if (text.empty() || zero) return std::optional<Bandwidth>();
  auto rate = read_rate(in, node, attribute);
  if (!rate) return rate.error();
  return std::optional(*rate);
}

Expected<Time> read_optional_latency(Reading& in, const pugi::xml_node& node,
                                     const char* attribute) {
  const std::string_view text = node.attribute(attribute).value();
  if (text.empty()) return Time{0};
  auto latency = parse_latency(text);
  return latency ? latency : in.source.at(node, attribute, latency.error());
}

Expected<Sharing> read_sharing(Reading& in, const pugi::xml_node& node, const char* attribute,
                               Sharing otherwise) {
  const std::string_view text = node.attribute(attribute).value();
  if (text.empty()) return otherwise;
  if (text == "SHARED") return Sharing::Shared;
  if (text == "SPLITDUPLEX" || text == "FULLDUPLEX") return Sharing::SplitDuplex;
  if (text == "FATPIPE") return Sharing::FatPipe;
  if (text == "WIFI") {
    in.builder.note("a WIFI link is taken as a shared one of its first bandwidth");
    return Sharing::Shared;
  }
  return Error{in.source.where(node), fmt::format("{} \"{:.60}\"", attribute, text),
               "expected SHARED, SPLITDUPLEX or FATPIPE"};
}

Expected<Host> read_host_figures(Reading& in, const pugi::xml_node& node) {
  auto text = in.source.required(node, "speed");
  if (!text) {
    Error error = text.error();
    if (node.attribute("power")) error.hint = "\"power\" is of version 3: call it speed";
    return error;
  }
  std::size_t pstate = 0;
  if (const std::string_view given = node.attribute("pstate").value(); !given.empty()) {
    // "0.0" is what SimGrid itself writes as the default.
    auto number = parse_count(given.substr(0, given.find('.')), 0, 1000);
    if (!number) return in.source.at(node, "pstate", number.error());
    pstate = *number;
  }
  auto speed = parse_speed(*text, pstate);
  if (!speed) return in.source.at(node, "speed", speed.error());
  Host host;
  host.costs.speed_millionths = *speed;
  if (const std::string_view given = node.attribute("core").value(); !given.empty()) {
    auto cores = parse_count(given, 1, kMaxCoresInAll);
    if (!cores) return in.source.at(node, "core", cores.error());
    host.cores = *cores;
  }
  if (Failure failure = read_properties(in, node, host)) return *failure;
  return host;
}

Failure read_link(Reading& in, const pugi::xml_node& node, ZoneId) {
  auto id = in.source.required(node, "id");
  if (!id) return id.error();
  auto sharing = read_sharing(in, node, "sharing_policy", Sharing::Shared);
  if (!sharing) return sharing.error();
  auto text = in.source.required(node, "bandwidth");
  if (!text) return text.error();
  auto bandwidth = parse_rate(split(*text, ',')[0]);  // WIFI links list several
  if (!bandwidth) return in.source.at(node, "bandwidth", bandwidth.error());
  auto latency = read_optional_latency(in, node, "latency");
  if (!latency) return latency.error();
  if (has_profile(node)) {
    in.builder.note("profiles of speeds, bandwidths and failures over time are not taken over");
  }
  auto link = in.builder.add_link(*id, *bandwidth, *latency, *sharing, in.source.line(node));
  return link ? Failure{} : link.error();
}

Failure read_backbone(Reading& in, const pugi::xml_node& node, ZoneId zone) {
  auto id = in.source.required(node, "id");
  if (!id) return id.error();
  auto bandwidth = read_rate(in, node, "bandwidth");
  if (!bandwidth) return bandwidth.error();
  auto latency = read_optional_latency(in, node, "latency");
  if (!latency) return latency.error();
  Zone& star = in.builder.zone(zone);
  if (star.routing != Routing::Star || !star.centre.empty()) {
    return Error{in.source.where(node),
                 star.centre.empty() ? "a <backbone> in a zone that is no cluster"
                                     : "a second <backbone> in one zone",
                 "one <backbone> may stand in a <zone routing=\"Cluster\">"};
  }
  auto link = in.builder.add_link(*id, *bandwidth, *latency, Sharing::Shared, in.source.line(node));
  if (!link) return link.error();
  in.builder.zone(zone).centre = {*link};
  return {};
}

}  // namespace espalier::topology::simgrid
