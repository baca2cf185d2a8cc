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

void recursive_doubling_allreduce(ProgramBuilder& program, const Participants& participants,
                                  const Region& data) {
  const Fold fold(participants.size());
  const bool active = fold.is_active(participants.me);
  const std::uint64_t spare = program.scratch(active && participants.size() > 1 ? data.length : 0);
  fold_in(program, participants, fold, data, spare);
  const Rank index = fold.active_of(participants.me);
  for (Rank mask = 1; active && mask < fold.actives(); mask *= 2) {
    const Rank peer = index ^ mask;
    const Region received = slice(Buffer::Scratch, spare, data.length);
    send_unless_empty(program, participants.at(fold.position(peer)), data);
    recv_unless_empty(program, participants.at(fold.position(peer)), received);
    reduce_unless_empty(program, received, data,
                        peer < index ? Operands::FromThenTo : Operands::ToThenFrom);
  }
  fold_out(program, participants, fold, data);
}

namespace {

bool regular_doubling_allreduce(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  return regular_butterfly(rounds, true, true, [&](Rank) { return bytes; });
}

}  // namespace

constexpr Algorithm kRecursiveDoublingAllreduce = on_regular_machines<regular_doubling_allreduce>(
    flat<any_size, in_out<recursive_doubling_allreduce>,
         [](FlatEstimate& at) {
           butterfly(at.rounds, at.everybody, {true, true, at.bytes, at.bytes},
                     [&](Rank, Rank) { return at.bytes; });
         },
         [](LeastFlat& at) {
           at.rounds.butterfly(
               true, [&](Rank) { return at.bytes; }, true, at.bytes, at.bytes);
         }>(Operation::Allreduce, "recursive-doubling", kThakur, kMovesAlong));

}  // namespace espalier::collective
