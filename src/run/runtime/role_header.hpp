#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace espalier::runtime {

/// A rank of a tree that only its root knows, as it stands in a message: in the order of the tree,
/// parents before children, sub-trees side by side.
struct RoleEntry {
  Rank rank = 0;
  std::uint64_t bytes = 0;  ///< bytes of the rank's own block
  std::uint32_t tree = 1;   ///< entries of its sub-tree, itself included
  friend bool operator==(const RoleEntry&, const RoleEntry&) = default;
};
using Roles = std::span<const RoleEntry>;

/// Calls visit(roles) for each child of the first entry, with the child's own sub-tree.
template <typename Visit>
void for_each_child(Roles roles, Visit visit) {
  for (std::size_t at = 1; at < roles.size(); at += roles[at].tree) {
    visit(roles.subspan(at, roles[at].tree));
  }
}

/// The head of a message that gives a rank its role in a call: which call, then all entries of its
/// sub-tree, its own first; all numbers as in block_header.hpp. The data of these blocks follows,
/// in the same order. The number of the call is the whole one: a tag has a few bits of it, and
/// whoever takes messages from any rank may be given one of a call far ahead.
inline constexpr std::size_t kMaxRoleEntryBytes = 20;
inline constexpr std::size_t kMaxRoleHeadBytes = 15;

/// Appends it to `bytes`.
void append_role_header(std::uint64_t call, Roles roles, std::vector<std::byte>& bytes);

struct RoleHeader {
  std::uint64_t call = 0;
  std::vector<RoleEntry> roles;  ///< entries of the receiver's sub-tree; at least its own
  std::size_t size = 0;          ///< bytes of the header itself
  std::uint64_t total = 0;       ///< bytes of all blocks
};

/// Nothing if `bytes` does not begin with a header for ranks below `ranks`, of sub-trees that lie
/// within each other.
[[nodiscard]] std::optional<RoleHeader> read_role_header(std::span<const std::byte> bytes,
                                                         Rank ranks);

}  // namespace espalier::runtime
