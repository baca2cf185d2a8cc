#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "place/build_inventory.hpp"

namespace espalier::place {

/// An inventory from whatever a user names on the command line: a file (espalier-inventory-1,
/// what `sinfo --json` or `scontrol show topology` printed, a hostfile of Open MPI or MPICH; told
/// apart by content), or any machine that the other commands take.
/// @param forecast links as they are now, instead of those of an espalier-inventory-1 or between
///        partitions of sinfo; of clusters that it does not know they are passed over with a note;
///        none of use is an error, and so is any for inventories without named clusters
/// An inventory without latencies gets those of an ordinary cluster, and a note that says so.
Expected<map::Inventory> load_inventory(const std::string& argument,
                                        const std::vector<LinkSpec>& forecast = {});

/// The same from text that is already there, machines left out; `file` is only named in errors.
Expected<map::Inventory> parse_inventory(const std::string& text, const std::string& file,
                                         const std::vector<LinkSpec>& forecast = {});

/// espalier-inventory-1, see docs/formats.md.
Expected<map::Inventory> read_inventory_json(std::string_view text, const std::string& file,
                                             const std::vector<LinkSpec>& forecast = {});

/// `sinfo --json`, of Slurm 22.05 ("nodes") or later ("sinfo"): hosts, idle CPUs as slots, the
/// partition as cluster, states.
Expected<map::Inventory> read_sinfo_json(std::string_view text, const std::string& file,
                                         const std::vector<LinkSpec>& forecast = {});

/// `scontrol show topology`: switches as clusters of hosts with one slot each.
Expected<map::Inventory> read_scontrol_topology(std::string_view text, const std::string& file);

/// A line a host: "n1 slots=4", "n1:4", "n1" (one slot; again: one more); "#" begins a comment.
Expected<map::Inventory> read_hostfile(std::string_view text, const std::string& file);

}  // namespace espalier::place
