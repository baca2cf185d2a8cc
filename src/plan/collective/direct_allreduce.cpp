#include "collective/allreduce.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/reduce_scatter.hpp"

namespace espalier::collective {

using schedule::Operation;

void direct_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                      const schedule::Region& in, const schedule::Region& out) {
  const Rank size = participants.size();
  const BlockLayout pieces = BlockLayout::split(out, size);
  const schedule::Region own = pieces.region(program, participants.me);
  direct_reduce_scatter(program, participants, BlockLayout::split(in, size), own);
  // One by one, as the blocks before them.
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, participants.at((participants.me + step) % size), own);
  }
  for (Rank step = 1; step < size; ++step) {
    const Rank source = (participants.me + size - step) % size;
    recv_unless_empty(program, participants.at(source), pieces.region(program, source));
  }
}

namespace {

bool regular_direct_allreduce(RegularRounds& rounds, const schedule::Collective& call,
                              double bytes) {
  if (!rounds.all_combine(bytes / call.size, false)) return false;
  rounds.all_to_all(bytes / call.size, false);
  return true;
}

}  // namespace

constexpr Algorithm kDirectAllreduce = on_regular_machines<regular_direct_allreduce>(
    flat<serves_direct_reduce_scatter, from_in_to_out<direct_allreduce>,
         [](FlatEstimate& at) {
           const cost::Picos combined = all_combine(at, at.bytes / at.size, false);
           for (const Rank r : at.everybody) at.rounds.set_clock(r, combined);
           at.rounds.all_to_all(at.everybody, at.bytes / at.size);
         },
         [](LeastFlat& at) {
           at.rounds.add(least_all_combine(at, at.bytes / at.size));
           at.rounds.all_to_all(at.bytes / at.size, false);
         }>(Operation::Allreduce, "direct", kByDefinition,
            meeting_all(Operation::Allreduce, kMovesAlong)));

}  // namespace espalier::collective
