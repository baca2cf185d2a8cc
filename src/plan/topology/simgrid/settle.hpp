#pragma once

#include <string>
#include <vector>

#include "topology/simgrid/link_roles.hpp"
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

}  // namespace espalier::topology::simgrid
