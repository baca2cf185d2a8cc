#pragma once

#include <functional>
#include <span>

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// What the algorithms with partners at distances 1, 2, 4, ... have in common.

/// Makes a power of two of any number of positions, as butterflies need it: of the first 2 * extra
/// positions each pair 2i, 2i + 1 becomes one, the others stay alone. Who is left is called active
/// and numbered from 0; active a stands for the positions [first(a), first(a + 1)), so ranges of
/// actives are ranges of positions and rank order is kept.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.4. Ours may say who stays.
class Fold {
 public:
  /// @param keep position that stays active in its pair; in other pairs the lower stays. @pre size
  /// > 0
  explicit Fold(Rank size, Rank keep = 0);

  [[nodiscard]] Rank actives() const { return actives_; }
  /// Number of pairs.
  [[nodiscard]] Rank extra() const { return extra_; }
  [[nodiscard]] Rank first(Rank active) const {
    return active + (active < extra_ ? active : extra_);
  }
  /// Number of the active that stands for this position.
  [[nodiscard]] Rank active_of(Rank position) const;
  /// Position of an active.
  [[nodiscard]] Rank position(Rank active) const;
  [[nodiscard]] bool is_active(Rank p) const { return position(active_of(p)) == p; }
  /// The other position of the pair, or kNoRank if there is none.
  [[nodiscard]] Rank partner(Rank position) const;

 private:
  Rank actives_;
  Rank extra_;
  Rank keep_;
};

/// Combines `data` of each pair into that of the active one, through scratch at `spare` as long as
/// `data`, in the order of the positions.
void fold_in(schedule::ProgramBuilder& program, const Participants& participants, const Fold& fold,
             const schedule::Region& data, std::uint64_t spare);
/// Gives the others of the pairs the `data` of the active ones.
void fold_out(schedule::ProgramBuilder& program, const Participants& participants, const Fold& fold,
              const schedule::Region& data);

/// The vector in as many pieces as there are actives; which of them an active works on, after it
/// has met its partners at the distances below `mask`: one range, half as long after each.
///
/// The near partners come first, when most is to be exchanged, and what is combined are
/// neighbouring ranges of positions: so rank order is kept, at the price that active a ends with
/// piece bit-reverse(a).
struct HeldPieces {
  Rank first = 0;
  Rank count = 0;
};
[[nodiscard]] HeldPieces held_pieces(Rank actives, Rank active, Rank mask);

/// Reduce-scatter of a vector in place by vector halving and distance doubling: the first half of
/// Rabenseifner's reduce and allreduce. Of each pair that is folded one stays active; afterwards
/// active a has the result in held_pieces(actives, a, actives).
/// @param data   this rank's contribution, overwritten. A plain slice
/// @param pieces data, split for the actives
void halve_vector(schedule::ProgramBuilder& program, const Participants& participants,
                  const Fold& fold, const schedule::Region& data, const BlockLayout& pieces);

/// Which blocks of the list it works on an active position keeps, and which it gives away. Indices
/// into that list; what is kept is the next list, in this order.
struct BlockHalves {
  schedule::IndexSet kept;
  schedule::IndexSet given;
};

/// What the reduce-scatters by halving have in common: actives meet their partners at the given
/// distances, each time half of the blocks changes hands and the other half is combined in the
/// order of the positions. The first list is all blocks by position; an active ends with its own.
/// Folded pairs come together first and part at last.
/// @param halves of an active and a distance
/// @pre between two partners, what one gives is what the other keeps, in the same order
void halve_blocks(schedule::ProgramBuilder& program, const Participants& participants,
                  const Fold& fold, const BlockLayout& contributions, const schedule::Region& mine,
                  std::span<const Rank> distances,
                  const std::function<BlockHalves(Rank active, Rank distance)>& halves);

}  // namespace espalier::collective
