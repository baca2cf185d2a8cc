#pragma once

#include "group/group_view.hpp"

namespace espalier::group {

/// The three ways of the paper's section 2 to a root that is not the tree's own.
enum class RootWay : std::uint8_t {
  Forward,    ///< over the tree's root: one message more, or as many as the way there has hops
  AnyVertex,  ///< along the tree's edges out from, or in to, the vertex that is the root
  OwnTree,    ///< one more tree with that root, made when it is first used
};

/// The one of the first two with fewer steps, from what every member knows: to the tree's root is
/// as far as the depth on the tree, one hop in the world, and the length of a route in a routable
/// group.
[[nodiscard]] RootWay cheaper_root_way(const GroupView& view, Rank root);

}  // namespace espalier::group
