#pragma once

#include <algorithm>
#include <functional>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>
// clang-format off
#include <simgrid/version.h>  // after s4u.hpp: it does not stand alone in 3.32
// clang-format on
#if SIMGRID_VERSION < 40000
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif

/// The calls of SimGrid that version 4.0 named anew, under one name for 3.32 and 4.0.
namespace espalier::simgrid_check {

namespace s4u = ::simgrid::s4u;

using LatencyFactor =
    std::function<double(double, const s4u::Host*, const s4u::Host*, const std::vector<s4u::Link*>&,
                         const std::unordered_set<s4u::NetZone*>&)>;

#if SIMGRID_VERSION >= 40000

inline s4u::NetZone* make_full_zone(const std::string& name) {
  return s4u::Engine::get_instance()->get_netzone_root()->add_netzone_full(name);
}
inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double speed) {
  return zone->add_host(name, speed);
}
inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_second) {
  return zone->add_link(name, bytes_per_second);
}
inline void add_route(s4u::NetZone* zone, const s4u::Host* from, const s4u::Host* to,
                      const std::vector<s4u::LinkInRoute>& route) {
  zone->add_route(from, to, route, false);
}
inline void set_latency_factor(s4u::NetZone* zone, const LatencyFactor& factor) {
  zone->set_latency_factor_cb(factor);
}
template <class Code>
s4u::ActorPtr add_actor(const std::string& name, s4u::Host* host, Code code) {
  return s4u::Engine::get_instance()->add_actor(name, host, std::function<void()>(std::move(code)));
}

inline s4u::ActivitySet set_of(const std::vector<s4u::CommPtr>& comms) {
  return s4u::ActivitySet(std::vector<s4u::ActivityPtr>(comms.begin(), comms.end()));
}
inline ssize_t index_of(const s4u::ActivityPtr& found, const std::vector<s4u::CommPtr>& comms) {
  const auto at = std::find(comms.begin(), comms.end(), found);
  return at == comms.end() ? -1 : at - comms.begin();
}
/// The index of one that is complete, or -1.
inline ssize_t test_any(const std::vector<s4u::CommPtr>& comms) {
  return index_of(set_of(comms).test_any(), comms);
}
inline ssize_t wait_any(const std::vector<s4u::CommPtr>& comms) {
  return index_of(set_of(comms).wait_any(), comms);
}

#else

inline s4u::NetZone* make_full_zone(const std::string& name) { return s4u::create_full_zone(name); }
inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double speed) {
  return zone->create_host(name, speed);
}
inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_second) {
  return zone->create_link(name, bytes_per_second);
}
inline void add_route(s4u::NetZone* zone, const s4u::Host* from, const s4u::Host* to,
                      const std::vector<s4u::LinkInRoute>& route) {
  zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
}
inline void set_latency_factor(s4u::NetZone* zone, const LatencyFactor& factor) {
  zone->get_network_model()->set_lat_factor_cb(factor);
}
template <class Code>
s4u::ActorPtr add_actor(const std::string& name, s4u::Host* host, Code code) {
  return s4u::Actor::create(name, host, std::move(code));
}
/// The index of one that is complete, or -1.
inline ssize_t test_any(const std::vector<s4u::CommPtr>& comms) {
  return s4u::Comm::test_any(comms);
}
inline ssize_t wait_any(const std::vector<s4u::CommPtr>& comms) {
  return s4u::Comm::wait_any(comms);
}

#endif

}  // namespace espalier::simgrid_check
