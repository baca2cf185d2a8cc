#pragma once

#include "topology/machine.hpp"

namespace espalier::bound {

/// Leaves first .. first + count: all of a part of the machine.
struct Stretch {
  topology::Leaf first = 0;
  std::uint32_t count = 0;
};

[[nodiscard]] inline Stretch stretch_of(const topology::Machine& machine,
                                        const topology::Member& member) {
  if (member.is_leaf) return {member.id, 1};
  const topology::Cluster& cluster = machine.clusters()[member.id];
  return {cluster.first_leaf, cluster.leaf_count};
}

}  // namespace espalier::bound
