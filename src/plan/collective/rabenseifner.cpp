#include <algorithm>

#include "collective/allreduce.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/halving.hpp"
#include "collective/messages.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

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

namespace {

/// @param keep position that stays in its pair
void halve_vector_time(FlatEstimate& at, Rank keep = 0) {
  butterfly(at.rounds, at.everybody, {true, true, at.bytes, 0, keep},
            [&](Rank, Rank mask) { return at.bytes / (2.0 * mask); });
}

/// The pieces of half of the actives, then of a quarter of them, and so on.
void reduce_time(FlatEstimate& at) {
  const auto root = std::find(at.everybody.begin(), at.everybody.end(), at.call.root);
  const auto position = static_cast<Rank>(root - at.everybody.begin());
  halve_vector_time(at, position);
  at.rounds.join();
  pieces_to_one(at.rounds, at.everybody, position,
                [&](Rank mask) { return at.bytes / (2.0 * mask); });
}

void reduce_least(LeastFlat& at) {
  const auto bytes = [&](Rank mask) { return at.bytes / (2.0 * mask); };
  at.rounds.butterfly(true, bytes, true, at.bytes, 0, at.call.root);
  cost::Picos way = 0;
  for (Rank mask = Fold(at.call.size).actives() / 2; mask > 0; mask /= 2) {
    way += at.rounds.message(mask, bytes(mask));
  }
  at.rounds.add(way);
}

bool regular_vector_halving(RegularRounds& rounds, double bytes) {
  return regular_butterfly(rounds, true, true, [&](Rank mask) { return bytes / (2.0 * mask); });
}

bool regular_rabenseifner(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  return regular_vector_halving(rounds, bytes) &&
         regular_butterfly(rounds, false, false, [&](Rank mask) { return bytes / (2.0 * mask); });
}

bool regular_reduce(RegularRounds& rounds, const schedule::Collective& call, double bytes) {
  if (call.root != 0 || !regular_vector_halving(rounds, bytes)) return false;
  for (Rank mask = rounds.size() / 2; mask > 0; mask /= 2) {
    rounds.to_lower_half(mask, bytes / (2.0 * mask));
  }
  return true;
}

}  // namespace

/// Vector halving, then the pieces to the root along a binomial tree.
constexpr Algorithm kRabenseifnerReduce = on_regular_machines<regular_reduce>(
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           rabenseifner_reduce(program, call.participants, call.root, call.in(), call.out());
         },
         reduce_time, reduce_least>(Operation::Reduce, "rabenseifner", kRabenseifner,
                                    kHalvesAlong));

constexpr Algorithm kRabenseifnerAllreduce = on_regular_machines<regular_rabenseifner>(
    flat<any_size, in_out<rabenseifner_allreduce>,
         [](FlatEstimate& at) {
           halve_vector_time(at);
           butterfly(at.rounds, at.everybody, {false, false, 0, at.bytes},
                     [&](Rank, Rank mask) { return at.bytes / (2.0 * mask); });
         },
         [](LeastFlat& at) {
           at.rounds.butterfly(
               true, [&](Rank mask) { return at.bytes / (2.0 * mask); }, true, at.bytes);
           at.rounds.butterfly(
               false, [&](Rank mask) { return at.bytes / (2.0 * mask); }, false, 0, at.bytes);
         }>(Operation::Allreduce, "rabenseifner", kRabenseifner, kHalvesAlong));

}  // namespace espalier::collective
