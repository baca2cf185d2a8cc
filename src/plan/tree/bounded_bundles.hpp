#pragma once

#include <span>

#include "tree/comm_tree.hpp"

namespace espalier::tree {

/// What ranks may keep for others, unless told otherwise.
inline constexpr Bytes kBundleLimit{64 * 1024 * 1024};

/// The most that any rank but the root holds for others: the blocks of all ranks below it.
[[nodiscard]] Bytes largest_bundle(const CommTree& tree, std::span<const Bytes> bytes);

/// The same tree where no rank but the root holds more than `limit` for others: a rank with too
/// much hands its child with the longest bundle over to its own parent (right behind itself), until
/// it fits. With a limit of 0 bytes only the root has children with blocks. O(P log P).
[[nodiscard]] CommTree with_bounded_bundles(const CommTree& tree, std::span<const Bytes> bytes,
                                            Bytes limit);

}  // namespace espalier::tree
