#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "topology/load_machine.hpp"

namespace espalier::topology {

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
