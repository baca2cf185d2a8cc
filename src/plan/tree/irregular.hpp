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
  std::span<const Bytes> bytes;  ///< of every rank's own block
  const model::CostModel& model;
  std::span<const Rank> kinds = {};  ///< model::kinds_of(): saves work; empty: all ranks differ

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

}  // namespace espalier::tree
