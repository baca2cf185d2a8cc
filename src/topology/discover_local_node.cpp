#include <hwloc.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "topology/read_hwloc.hpp"

namespace espalier::topology {
namespace {

constexpr const char* kWhere = "this node";

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, DestroyTopology>;

Error hwloc_said_no(const char* what) {
  return {kWhere, std::string(what) + ": " + std::strerror(errno),
          "run lstopo to see what hwloc finds here"};
}

}  // namespace

// Through XML, so that a node is read in one way, whether it is this one or another.
Expected<LoadedMachine> discover_local_node() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return hwloc_said_no("hwloc could not start");
  const TopologyHandle topology(raw);
  if (hwloc_topology_load(raw) != 0) return hwloc_said_no("hwloc could not read the topology");
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(raw, &text, &length, 0) != 0) {
    return hwloc_said_no("hwloc could not export the topology");
  }
  const std::string copy(text, std::strlen(text));  // `length` counts the final zero
  hwloc_free_xmlbuffer(raw, text);
  return read_hwloc(copy, kWhere);
}

}  // namespace espalier::topology
