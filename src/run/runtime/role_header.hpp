#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "schedule/program.hpp"

namespace espalier::runtime {

/// One rank of a tree that only its root knows, as it stands in a message. Entries come in the
/// order of the tree: parents before children, each sub-tree in one stretch.
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

/// The head of a message that gives a rank its role in a call: the number of the call, then all
/// entries of the rank's sub-tree, its own first. Numbers are written as in block_header.hpp. The
/// data of these blocks follows in the same order. The head holds the whole number of the call,
/// since a tag has only a few bits of it and a receive from any rank may match a call far ahead.
inline constexpr std::size_t kMaxRoleEntryBytes = 20;
inline constexpr std::size_t kMaxRoleHeadBytes = 15;

/// Appends the head to `bytes`.
void append_role_header(std::uint64_t call, Roles roles, std::vector<std::byte>& bytes);

struct RoleHeader {
  std::uint64_t call = 0;
  std::vector<RoleEntry> roles;  ///< entries of the receiver's sub-tree; at least its own
  std::size_t size = 0;          ///< bytes of the header itself
  std::uint64_t total = 0;       ///< bytes of all blocks
};

/// The most bytes of a head that begins like this: O(entries of the receiver's sub-tree). Absent if
/// it is none. @param bytes its first bytes, kMaxRoleHeadBytes or all
[[nodiscard]] std::optional<std::uint64_t> most_role_header_bytes(std::span<const std::byte> bytes,
                                                                  Rank ranks);

/// Absent if `bytes` does not begin with a head whose ranks are below `ranks` and whose sub-trees
/// lie within each other.
[[nodiscard]] std::optional<RoleHeader> read_role_header(std::span<const std::byte> bytes,
                                                         Rank ranks);

/// A rank's part of a gather of blocks up a tree of which it knows its own sub-tree. Bundles come
/// from the children, in the order of the tree, and go up behind its own block. A unit is a block.
/// @param roles the rank's sub-tree, itself first
/// @param parent the rank's parent; kNoRank at the root
[[nodiscard]] schedule::Program gather_program(Roles roles, Rank parent);

/// A rank's part of a scatter of blocks down such a tree: all blocks of its sub-tree come from its
/// parent into scratch, in the order of the tree; each child's go on, and the own one is copied to
/// Out.
/// @param from the rank's parent; kNoRank if the blocks are there already
/// @param has_data whether there are blocks at all, and not only roles
[[nodiscard]] schedule::Program scatter_program(Roles roles, Rank from, bool has_data);

}  // namespace espalier::runtime
