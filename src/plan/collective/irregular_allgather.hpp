#pragma once

#include <cstdint>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "schedule/program_builder.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::collective {

/// Allgatherv along one tree over all ranks, for those who know all lengths (every rank does).
///
/// Long blocks flow from their owners along the tree, at every rank on to all its neighbours but
/// the one they came from, as soon as they are there: each crosses each edge once, away from its
/// owner. Short ones go up the tree together, a bundle for each sub-tree, and down together, to
/// each child all but its own: two messages an edge instead of one for each block. Empty ones do
/// not travel. Everything is received where it belongs: no scratch.
class IrregularAllgather {
 public:
  /// @param long_from blocks of so many bytes and more are long
  /// @pre call is an irregular allgather; the tree has its size and spans all ranks
  IrregularAllgather(const tree::CommTree& tree, schedule::Collective call, Bytes long_from);

  [[nodiscard]] schedule::Program program_of(Rank rank) const;
  /// How many blocks are long.
  [[nodiscard]] std::size_t long_blocks() const { return long_.size(); }

 private:
  [[nodiscard]] bool is_short(Rank rank) const;
  [[nodiscard]] bool is_below(Rank rank, Rank ancestor) const {
    return begin_[ancestor] <= begin_[rank] && begin_[rank] < end_[ancestor];
  }
  /// The short blocks below a rank, itself included; or all others.
  [[nodiscard]] std::vector<Rank> short_below(Rank rank) const;
  [[nodiscard]] std::vector<Rank> short_elsewhere(Rank rank) const;
  void pass_long(schedule::ProgramBuilder& program, std::uint32_t tag, Rank owner) const;

  schedule::Collective call_;
  tree::CommTree tree_;
  std::vector<Rank> order_;                 ///< all ranks, in the order of the tree
  std::vector<std::uint32_t> begin_, end_;  ///< [rank] its sub-tree is [begin_, end_) of order_
  std::vector<Rank> long_;                  ///< owners of long blocks, the longest first
};

}  // namespace espalier::collective
