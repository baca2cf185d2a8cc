#pragma once

#include "base/expected.hpp"
#include "topology/load_machine.hpp"
#include "topology/simgrid/platform.hpp"

namespace espalier::topology::simgrid {

/// The machine of a platform: zones are clusters, hosts are processes, or nodes of as many
/// processes as they have cores. A zone with one member is left out, and so are zones of routers.
///
/// Refuses platforms in which two hosts have no route, and those too irregular to spell out.
/// The notes say where the machine differs from the platform. Up to kAllPairs hosts it was made
/// sure by following every route; beyond that, those of some hosts of each zone.
inline constexpr std::size_t kAllPairs = 150;
Expected<LoadedMachine> to_machine(Platform platform);

}  // namespace espalier::topology::simgrid
