#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "schedule/program_builder.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::collective {

/// How a rank deals with several children.
enum class Sending : std::uint8_t {
  AtOnce,    ///< all messages are under way together and share what they cross
  OneByOne,  ///< the next message is sent when the one before has arrived, as with blocking calls
};

/// Scatterv or gatherv along any tree, for those who know all lengths.
///
/// The blocks of a sub-tree travel as one bundle in the order of the tree: the rank's own, then
/// child by child, so that what an inner rank passes on is one slice of what it holds. Empty blocks
/// are left out, and so are ranks with nothing for themselves or below them. With `piece` a bundle
/// is cut between blocks into messages of at most so many bytes (a longer block goes alone), each
/// passed on as soon as it is there. Gathering, a rank receives its children in the reverse of the
/// tree's order. The tree's ranks outside, if any, must have empty blocks.
class IrregularTree {
 public:
  /// @pre call is irregular, a scatter or gather; the tree has its size and root; its members are
  /// at least those with blocks; piece is 0 with Sending::OneByOne
  IrregularTree(const tree::CommTree& tree, schedule::Collective call, Sending sending,
                Bytes piece = Bytes{0});

  [[nodiscard]] const schedule::Collective& call() const { return call_; }
  [[nodiscard]] schedule::Program program_of(Rank rank) const;

 private:
  using Ranks = std::span<const Rank>;

  [[nodiscard]] Ranks bundle_of(Rank rank) const;
  [[nodiscard]] std::vector<Ranks> pieces_of(Rank rank) const;
  /// The children that have a bundle.
  [[nodiscard]] std::vector<Rank> children_of(Rank rank) const;
  /// Where some of a rank's blocks are in its own buffers.
  [[nodiscard]] schedule::Region place_of(schedule::ProgramBuilder& program, Ranks blocks) const;
  void scatter(schedule::ProgramBuilder& program) const;
  void gather(schedule::ProgramBuilder& program) const;

  schedule::Collective call_;
  Sending sending_;
  Bytes piece_;
  tree::CommTree tree_;
  std::vector<Rank> order_;                 ///< all ranks with blocks, in the order of the tree
  std::vector<std::uint32_t> begin_, end_;  ///< [rank] its bundle is [begin_, end_) of order_
};

}  // namespace espalier::collective
