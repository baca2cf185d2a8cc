#pragma once

#include <pugixml.hpp>

#include "topology/simgrid/platform_builder.hpp"
#include "topology/simgrid/xml_source.hpp"

/// The parts of read_platform(), by the elements they read.
namespace espalier::topology::simgrid {

struct Reading {
  const XmlSource& source;
  PlatformBuilder& builder;
};

/// SHARED, SPLITDUPLEX (FULLDUPLEX), FATPIPE; WIFI counts as shared, with a note.
Expected<Sharing> read_sharing(Reading& in, const pugi::xml_node& node, const char* attribute,
                               Sharing otherwise);
/// Speed, cores and the <prop>s of a <host>, <cluster> or <cabinet>.
Expected<Host> read_host_figures(Reading& in, const pugi::xml_node& node);

Failure read_link(Reading& in, const pugi::xml_node& node, ZoneId zone);
Failure read_cluster(Reading& in, const pugi::xml_node& node, ZoneId parent);
Failure read_cabinet(Reading& in, const pugi::xml_node& node, ZoneId zone);
Failure read_backbone(Reading& in, const pugi::xml_node& node, ZoneId zone);

/// <route>, <zoneRoute>, <ASroute>, <host_link>: once all points and links are known.
Failure read_route(Reading& in, const pugi::xml_node& node, ZoneId zone);

/// A bandwidth or a latency that must be there.
Expected<Bandwidth> read_rate(Reading& in, const pugi::xml_node& node, const char* attribute);
Expected<Time> read_latency(Reading& in, const pugi::xml_node& node, const char* attribute);
/// A bandwidth or a latency that may be left out, empty or 0.
Expected<std::optional<Bandwidth>> read_optional_rate(Reading& in, const pugi::xml_node& node,
                                                      const char* attribute);
Expected<Time> read_optional_latency(Reading& in, const pugi::xml_node& node,
                                     const char* attribute);

}  // namespace espalier::topology::simgrid
