#include "collective/vector_halving.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

HeldPieces held_pieces(Rank actives, Rank active, Rank mask) {
  HeldPieces held{0, actives};
  for (Rank bit = 1; bit < mask; bit *= 2) {
    held.count /= 2;
    if ((active & bit) != 0) held.first += held.count;
  }
  return held;
}

void halve_vector(ProgramBuilder& program, const Participants& participants, const Fold& fold,
                  const Region& data, const BlockLayout& pieces) {
  const Rank actives = fold.actives();
  const Rank index = fold.active_of(participants.me);
  const bool active = fold.is_active(participants.me);
  // A folded pair's vector comes whole, later ones by halves.
  std::uint64_t most = 0;
  if (active && actives > 1) most = pieces.units(0, actives / 2);
  if (active && fold.partner(participants.me) != kNoRank) most = data.length;
  const std::uint64_t spare = program.scratch(most);
  fold_in(program, participants, fold, data, spare);
  for (Rank mask = 1; active && mask < actives; mask *= 2) {
    const Rank peer = index ^ mask;
    const HeldPieces kept = held_pieces(actives, index, 2 * mask);
    const HeldPieces given = held_pieces(actives, peer, 2 * mask);
    const Region mine = pieces.region(program, kept.first, kept.count);
    const Region received = slice(Buffer::Scratch, spare, mine.length);
    send_unless_empty(program, participants.at(fold.position(peer)),
                      pieces.region(program, given.first, given.count));
    recv_unless_empty(program, participants.at(fold.position(peer)), received);
    reduce_unless_empty(program, received, mine,
                        peer < index ? Operands::FromThenTo : Operands::ToThenFrom);
  }
}

}  // namespace espalier::collective
