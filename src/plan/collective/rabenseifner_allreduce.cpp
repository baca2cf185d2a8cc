#include "collective/rabenseifner_allreduce.hpp"

#include "collective/unless_empty.hpp"
#include "collective/vector_halving.hpp"

namespace espalier::collective {

void rabenseifner_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                            const schedule::Region& data) {
  const Fold fold(participants.size());
  const Rank actives = fold.actives();
  const Rank index = fold.active_of(participants.me);
  const BlockLayout pieces = BlockLayout::split(data, actives);
  halve_vector(program, participants, fold, data, pieces);
  for (Rank mask = actives / 2; fold.is_active(participants.me) && mask > 0; mask /= 2) {
    const Rank peer = index ^ mask;
    const HeldPieces mine = held_pieces(actives, index, 2 * mask);
    const HeldPieces other = held_pieces(actives, peer, 2 * mask);
    const Rank rank = participants.at(fold.position(peer));
    send_unless_empty(program, rank, pieces.region(program, mine.first, mine.count));
    recv_unless_empty(program, rank, pieces.region(program, other.first, other.count));
  }
  fold_out(program, participants, fold, data);
}

}  // namespace espalier::collective
