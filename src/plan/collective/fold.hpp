#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Makes a power of two of any number of positions, as butterflies need it: of the first 2 * extra
/// positions each pair 2i, 2i + 1 becomes one, the others stay alone. Who is left is called active
/// and numbered from 0; active a stands for the positions [first(a), first(a + 1)), so ranges of
/// actives are ranges of positions and rank order is kept.
///
/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005, section 4.4. Ours may say who stays.
class Fold {
 public:
  /// Of a pair `keep` stays, of the other pairs the lower. @pre size > 0
  explicit Fold(Rank size, Rank keep = 0);

  [[nodiscard]] Rank actives() const { return actives_; }
  /// Pairs.
  [[nodiscard]] Rank extra() const { return extra_; }
  [[nodiscard]] Rank first(Rank active) const {
    return active + (active < extra_ ? active : extra_);
  }
  /// Of the position itself or of the one that stands for it.
  [[nodiscard]] Rank active_of(Rank position) const;
  /// Who is active a.
  [[nodiscard]] Rank position(Rank active) const;
  [[nodiscard]] bool is_active(Rank p) const { return position(active_of(p)) == p; }
  /// The other of the pair, or kNoRank.
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

}  // namespace espalier::collective
