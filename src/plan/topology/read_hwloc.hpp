#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "topology/load_machine.hpp"

namespace espalier::topology {

/// The inside of a node from an hwloc XML export (`lstopo node.xml`), of hwloc 1 or 2.
///
/// One process a core: the hardware threads (PU) of a core share it, and a PU outside of any core
/// counts as one. The levels are those of hwloc, outermost first, such as machine > package > numa
/// > l3 > core; one that says nothing (each of its clusters has one member, or is the only one in
/// the level above) is left out, so that a plain laptop has a single level. A NUMA level is made
/// where memory divides the cores; memory that all of them share makes none.
/// Left out with a note: cores that are offline or not allowed. Passed over: devices, distances.
/// No figures: hwloc knows none that time a message, so all are 0 or unlimited.
///
/// @param file only named in errors
/// Refuses with file:line: malformed XML, another root element, unknown object types, a PU without
/// or with another's os_index, sets of CPUs that are none, a core without PUs, no usable core.
Expected<LoadedMachine> read_hwloc(std::string_view text, const std::string& file);

/// The node this process runs on, as the hwloc library sees it; its variables (HWLOC_XMLFILE,
/// HWLOC_SYNTHETIC, ...) are obeyed.
Expected<LoadedMachine> discover_local_node();

/// The same, and on which leaf (core) each CPU is that the system counts; kNoLeaf: on none.
struct LocalNode {
  Machine machine;
  std::vector<Leaf> leaf_of_cpu;
};
inline constexpr Leaf kNoLeaf = ~Leaf{0};
Expected<LocalNode> local_node_with_cpus();

}  // namespace espalier::topology
