#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/machine.hpp"
#include "topology/machine_spec.hpp"

namespace espalier::discover {

/// The processes of a node as they lie on its cores.
struct NodeInside {
  topology::MemberSpec node;             ///< its members: packages, NUMA nodes, caches, processes
  std::vector<std::uint32_t> processes;  ///< along the tree
};

/// Processes that are bound to cores stand in the innermost package, NUMA node or shared cache that
/// holds all cores they are bound to; one that is free to move stands in the node itself. Parts
/// with a single member are left out.
/// @param cores a node as read_hwloc() gives it: one leaf a core
/// @param bound for each process the leaves it may run on; empty: not known
[[nodiscard]] NodeInside inside_of(const topology::Machine& cores,
                                   std::span<const std::vector<topology::Leaf>> bound);

/// A node of which nothing more is known.
[[nodiscard]] NodeInside plain_inside(std::uint32_t processes);

}  // namespace espalier::discover
