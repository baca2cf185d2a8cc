#include "collective/rabenseifner_reduce.hpp"

#include "collective/unless_empty.hpp"
#include "collective/vector_halving.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void rabenseifner_reduce(ProgramBuilder& program, const Participants& participants, Rank root,
                         const Region& own, const Region& result) {
  const Fold fold(participants.size(), root);
  const Rank actives = fold.actives();
  if (!fold.is_active(participants.me)) {
    fold_in(program, participants, fold, own, 0);
    return;
  }
  const Region work = participants.me == root
                          ? result
                          : slice(Buffer::Scratch, program.scratch(own.length), own.length);
  copy_unless_empty(program, own, work);
  const BlockLayout pieces = BlockLayout::split(work, actives);
  halve_vector(program, participants, fold, work, pieces);

  const Rank index = fold.active_of(participants.me);
  const Rank target = fold.active_of(root);
  for (Rank mask = actives / 2; mask > 0; mask /= 2) {
    const Rank peer = index ^ mask;
    const Rank rank = participants.at(fold.position(peer));
    const bool sends = ((index ^ target) & mask) != 0;
    const HeldPieces moved = held_pieces(actives, sends ? index : peer, 2 * mask);
    const Region region = pieces.region(program, moved.first, moved.count);
    if (sends) {
      send_unless_empty(program, rank, region);
      return;
    }
    recv_unless_empty(program, rank, region);
  }
}

}  // namespace espalier::collective
