#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "topology/load_machine.hpp"
#include "topology/machine.hpp"

namespace espalier::topology {

// Descriptions of machines that are read, one a source file. load_machine.hpp tells them apart.

/// A machine from the JSON form of docs/machine.md (schema: data/machine.schema.json).
/// @param file only named in errors
Expected<Machine> read_json(std::string_view text, const std::string& file);
/// read_json(), and the "notes" of the file.
Expected<LoadedMachine> read_json_and_notes(std::string_view text, const std::string& file);

/// A machine in one line, in the spirit of hwloc's synthetic topologies, from the outermost level
/// inwards; the last level are the processes:
///
///   "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)"
///
///   level = MEMBER ":" COUNT [ "(" ATTRIBUTE { "," ATTRIBUTE } ")" ]
///
/// An attribute is a time (the latency between the members), a bandwidth (the uplink of each), or
/// key=value: name latency uplink out in duplex hop backbone cap send recv reduce speed. The levels
/// may be followed by placement=block|cyclic.
///
/// A count or value may be a list, "1|2" or "100us|300us*4", for the elements of its level in
/// order: counts, latency, backbone and cap for the clusters that the members are in, all else for
/// the members. docs/machine.md has the whole story.
Expected<Machine> parse_synthetic(std::string_view text);

/// Whether the text begins like one ("word:digit"), to tell it from a file's name.
[[nodiscard]] bool looks_synthetic(std::string_view text);
/// Whether it begins like a level, of which the count may be missing ("word:").
[[nodiscard]] bool begins_with_level(std::string_view text);

/// A machine from a SimGrid platform file (XML, version 4 or 4.1): zones are clusters, a host is a
/// process, or a node with one process for each of its cores.
///
/// Paths have the latency and the narrowest bandwidth of SimGrid's routes; a note says where a tree
/// of clusters cannot hold them. FATPIPE links limit each flow. A speed of 1 Gflop/s is 1.
/// Bandwidth and latency profiles, bypass routes, disks and deployment are noted and left out;
/// Vivaldi and Wifi zones and dragonflies are refused, and so are hosts without a route between
/// them. Bounds: 2^20 hosts, 2^22 processes, zones 125 deep, simgrid::kMaxSteps.
/// @param file only named in errors
Expected<LoadedMachine> read_simgrid(std::string_view text, const std::string& file);

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

/// The local node, and the leaf (core) of each CPU of the system; kNoLeaf: the CPU is not used.
struct LocalNode {
  Machine machine;
  std::vector<Leaf> leaf_of_cpu;
};
inline constexpr Leaf kNoLeaf = ~Leaf{0};
Expected<LocalNode> local_node_with_cpus();

/// A machine from Slurm's topology.conf, of the tree plugin (SwitchName=, Switches=, Nodes=) or the
/// block plugin (BlockName=, Nodes=, BlockSizes=).
///
/// Each switch or block is a cluster, each node one process, or a cluster of `processes_per_node`.
/// The topmost switch is the whole machine. Switches may lie at any depth. Several switches without
/// a parent are joined under the whole machine, with a note: to Slurm they are networks without a
/// connection. BlockSizes beyond the first join that many consecutive blocks. LinkSpeed is passed
/// over: its unit is arbitrary. The file has no figures, so all are 0 or unlimited.
///
/// @param file only named in errors
/// @pre processes_per_node > 0
/// Refuses with file:line: lines that are not KEY=VALUE, unknown keys, a switch or block that is
/// defined twice, a switch with neither or both of Nodes and Switches, of two parents, unknown, or
/// below itself, a node that stands twice, more than 64 switches on top of each other, block sizes
/// that are not the first one times powers of two, blocks smaller than that.
Expected<LoadedMachine> read_slurm_topology(std::string_view text, const std::string& file,
                                            std::uint32_t processes_per_node = 1);

}  // namespace espalier::topology
