#pragma once

#include "group/words.hpp"
#include "topology/machine.hpp"

namespace espalier::group {

/// Where a process lies on a machine, as AlongTopology wants it: its clusters from the outermost
/// inwards.
[[nodiscard]] inline Words cluster_path(const topology::Machine& machine, Rank rank) {
  Words path;
  path.append(machine.clusters_of(rank));
  return path;
}

}  // namespace espalier::group
