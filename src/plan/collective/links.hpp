#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::collective {

/// One edge of a tree, seen from one of its ends.
struct Link {
  Rank peer = kNoRank;
  std::uint64_t segment = 0;  ///< units a message; 0: all in one
  friend bool operator==(const Link&, const Link&) = default;
};

/// A rank's own part of a tree: all it needs to build its own program.
struct Links {
  Link parent;                 ///< peer == kNoRank: the root
  std::vector<Link> children;  ///< in the order in which they are sent to
  friend bool operator==(const Links&, const Links&) = default;
};

/// From a tree of all ranks, every edge with the same segments.
[[nodiscard]] Links links_of(const tree::CommTree& tree, Rank rank, std::uint64_t segment);

}  // namespace espalier::collective
