#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topology/hwloc/object.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

/// The kinds that stand at one depth: usually one; "package/l3" where branches differ.
using Kinds = std::vector<std::string>;

void collect_kinds(const hwloc::Object& object, std::size_t depth, std::vector<Kinds>& at_depth) {
  if (at_depth.size() <= depth) at_depth.resize(depth + 1);
  Kinds& kinds = at_depth[depth];
  if (std::find(kinds.begin(), kinds.end(), object.kind) == kinds.end()) {
    kinds.push_back(object.kind);
  }
  for (const hwloc::Object& member : object.members) collect_kinds(member, depth + 1, at_depth);
}

std::vector<LevelSpec> level_specs(const hwloc::Object& machine) {
  std::vector<Kinds> at_depth;
  collect_kinds(machine, 0, at_depth);
  std::vector<LevelSpec> levels;
  for (std::size_t d = 0; d + 1 < at_depth.size(); ++d) {
    Kinds clusters = at_depth[d];
    std::erase(clusters, "core");
    levels.push_back({{fmt::format("{}", fmt::join(clusters, "/")),
                       fmt::format("{}", fmt::join(at_depth[d + 1], "/"))},
                      {},
                      {}});
  }
  return levels;
}

/// Numbered as lstopo does: along the machine, each kind on its own.
MemberSpec member_spec(const hwloc::Object& object, std::map<std::string, std::uint64_t>& next) {
  MemberSpec spec;
  spec.where = object.where;
  spec.name = fmt::format("{}{}", object.kind, next[object.kind]++);
  for (const hwloc::Object& member : object.members) {
    spec.members.push_back(member_spec(member, next));
  }
  return spec;
}

std::vector<std::string> notes_on(const hwloc::Topology& topology) {
  std::vector<std::string> notes = {"hwloc gives no latencies or bandwidths"};
  if (topology.threads > topology.cores) {
    notes.push_back(fmt::format("one process a core: {} hardware threads share {} cores",
                                topology.threads, topology.cores));
  }
  if (topology.unusable_cores > 0) {
    notes.push_back(fmt::format("{} core{} left out: offline or not allowed",
                                topology.unusable_cores, topology.unusable_cores == 1 ? "" : "s"));
  }
  return notes;
}

}  // namespace

Expected<LoadedMachine> read_hwloc(std::string_view text, const std::string& file) {
  auto topology = hwloc::read_topology(text, file);
  if (!topology) return topology.error();
  hwloc::leave_out_idle_kinds(topology->machine);

  MachineSpec spec;
  spec.where = topology->machine.where;
  spec.name = topology->host_name;
  spec.levels = level_specs(topology->machine);
  std::map<std::string, std::uint64_t> next;
  spec.whole = member_spec(topology->machine, next);
  spec.whole.name.clear();
  auto machine = build_machine(spec);
  if (!machine) return machine.error();
  return LoadedMachine{*std::move(machine), notes_on(*topology)};
}

}  // namespace espalier::topology
