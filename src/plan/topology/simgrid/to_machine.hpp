#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/load_machine.hpp"
#include "topology/machine.hpp"
#include "topology/simgrid/link_roles.hpp"
#include "topology/simgrid/platform.hpp"
#include "topology/simgrid/routes.hpp"
#include "topology/simgrid/zone_view.hpp"

namespace espalier::topology::simgrid {

/// Turns the routes of a zone into a cluster of a machine: every link gets the place that its role
/// gives it, latencies go where they add up to those of the routes, and pairs of members say what
/// is left.
///
/// Exact in what Machine::path says, but for routes that differ by direction, and for members whose
/// ways out differ by more than their distance. Notes say which links are shared in another way
/// than the machine can hold.
/// @param roles scratch, made once for the platform
/// @post settled.spec and settled.ends are set, for settled.gateways
/// @return false after routes.failure()
bool settle(const Platform& platform, Routes& routes, ZoneView& view, LinkRoles& roles,
            SettledZone& settled, std::vector<std::string>& notes);

/// Where a host went: its first process is that leaf of the machine.
struct HostPlace {
  PointId point = kNone;  ///< the host itself; for a host of a group, the hub of its star
  GroupId group = kNone;
  std::uint32_t number = 0;  ///< index of its name in the group
  std::uint64_t leaf = 0;
};

/// Every host, in the order of the machine's leaves.
[[nodiscard]] std::vector<HostPlace> places(const Platform& platform);

/// Follows the routes of the platform between its hosts (all of them, or about `most`) and adds a
/// note if the machine says otherwise of any. @return false after routes.failure()
bool audit(const Platform& platform, Routes& routes, const Machine& machine, std::size_t most,
           std::vector<std::string>& notes);

/// The machine of a platform: zones are clusters, hosts are processes, or nodes of as many
/// processes as they have cores. A zone with one member is left out, and so are zones of routers.
///
/// Refuses platforms in which two hosts have no route, and those too irregular to spell out.
/// The notes say where the machine differs from the platform. Up to kAllPairs hosts it was made
/// sure by following every route; beyond that, those of some hosts of each zone.
inline constexpr std::size_t kAllPairs = 150;
Expected<LoadedMachine> to_machine(Platform platform);

}  // namespace espalier::topology::simgrid
