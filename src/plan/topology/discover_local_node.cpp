#include <hwloc.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "topology/readers.hpp"

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

Expected<TopologyHandle> load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return hwloc_said_no("hwloc could not start");
  TopologyHandle topology(raw);
  if (hwloc_topology_load(raw) != 0) return hwloc_said_no("hwloc could not read the topology");
  return topology;
}

// Through XML, so that a node is read in one way, whether it is this one or another.
Expected<LoadedMachine> read_topology_of(hwloc_topology_t topology) {
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology, &text, &length, 0) != 0) {
    return hwloc_said_no("hwloc could not export the topology");
  }
  const std::string copy(text, std::strlen(text));  // `length` counts the final zero
  hwloc_free_xmlbuffer(topology, text);
  return read_hwloc(copy, kWhere);
}

}  // namespace

Expected<LoadedMachine> discover_local_node() {
  auto topology = load_topology();
  if (!topology) return topology.error();
  return read_topology_of(topology->get());
}

Expected<LocalNode> local_node_with_cpus() {
  auto topology = load_topology();
  if (!topology) return topology.error();
  auto read = read_topology_of(topology->get());
  if (!read) return read.error();
  LocalNode node{std::move(read->machine), {}};
  // Leaves are cores in the order of hwloc's logical numbers; without cores, CPUs.
  hwloc_obj_t cpu = nullptr;
  while ((cpu = hwloc_get_next_obj_by_type(topology->get(), HWLOC_OBJ_PU, cpu)) != nullptr) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology->get(), HWLOC_OBJ_CORE, cpu);
    const Leaf leaf = core != nullptr ? core->logical_index : cpu->logical_index;
    if (leaf >= node.machine.size() || cpu->os_index > 65'535) continue;
    if (node.leaf_of_cpu.size() <= cpu->os_index) {
      node.leaf_of_cpu.resize(cpu->os_index + 1, kNoLeaf);
    }
    node.leaf_of_cpu[cpu->os_index] = leaf;
  }
  return node;
}

}  // namespace espalier::topology
