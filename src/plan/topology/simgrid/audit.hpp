#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/machine.hpp"
#include "topology/simgrid/platform.hpp"
#include "topology/simgrid/routes.hpp"

namespace espalier::topology::simgrid {

/// Where a host went: its first process is that leaf of the machine.
struct HostPlace {
  PointId point = kNone;  ///< of a group: the hub of its star
  GroupId group = kNone;
  std::uint32_t number = 0;  ///< within the group's names
  std::uint64_t leaf = 0;
};

/// Every host, in the order of the machine's leaves.
[[nodiscard]] std::vector<HostPlace> places(const Platform& platform);

/// Follows the routes of the platform between its hosts (all of them, or about `most`) and adds a
/// note if the machine says otherwise of any. @return false after routes.failure()
bool audit(const Platform& platform, Routes& routes, const Machine& machine, std::size_t most,
           std::vector<std::string>& notes);

}  // namespace espalier::topology::simgrid
