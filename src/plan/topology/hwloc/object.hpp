#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace espalier::topology::hwloc {

/// An object of an hwloc topology that holds cores we may use.
struct Object {
  std::string kind;             ///< "machine", "package", "numa", "die", "l3", "group", "core", ...
  std::string where;            ///< "file:line"
  std::vector<Object> members;  ///< a core has no members
};

/// What an XML export says about one node.
struct Topology {
  std::string host_name;  ///< "" if the export names no host
  Object machine;
  std::uint64_t cores = 0;           ///< one or more
  std::uint64_t threads = 0;         ///< usable PUs
  std::uint64_t unusable_cores = 0;  ///< listed, but offline or not allowed
};

/// Reads the objects, not yet simplified: see read_hwloc() for what is refused.
Expected<Topology> read_topology(std::string_view text, const std::string& file);

/// Leaves out every kind that divides nothing: each of its objects has one member, or each is the
/// only member of another. Where two kinds hold the same cores, the one that tells a reader more
/// stays: package, numa, die, caches from the outermost, groups.
/// @post the machine and its cores are left, the cores in their order
void leave_out_idle_kinds(Object& machine);

}  // namespace espalier::topology::hwloc
