#pragma once

#include <span>

#include "base/types.hpp"
#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// What the builders of trees for blocks of unequal lengths go by (scatterv; of gatherv the mirror:
/// give them model::TimeReversed, and receive in the reverse of the tree's order).
struct IrregularRequest {
  const Participants& who;
  std::span<const Bytes> bytes;  ///< [rank] length of its own block
  const model::CostModel& model;
  std::span<const Rank> kinds =
      {};  ///< model::kinds_of(), which saves work; empty: no two ranks are alike

  [[nodiscard]] Rank kind_of(Rank rank) const { return kinds.empty() ? rank : kinds[rank]; }
  /// t(i, j, m) of dichev2010: when j has m bytes that i begins to send at 0.
  [[nodiscard]] Time time(Rank from, Rank to, Bytes size) const {
    return model.cost(from, to, size).delivered;
  }
};

/// The root and all ranks whose blocks are not empty, counted from the root upwards and around:
/// nobody sends nothing. @pre root < bytes.size()
[[nodiscard]] Participants with_blocks(std::span<const Bytes> bytes, Rank root);

/// @throws ContractViolation unless ranks, lengths and model fit each other
void expects_valid(const IrregularRequest& request);

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
