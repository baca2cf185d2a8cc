#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/reduce_scatter.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void direct_reduce_scatter(ProgramBuilder& program, const Participants& participants,
                           const BlockLayout& contributions, const Region& mine) {
  const Rank size = participants.size();
  const std::uint64_t block = contributions.units(participants.me);
  for (Rank step = 1; step < size; ++step) {
    const Rank target = (participants.me + step) % size;
    send_unless_empty(program, participants.at(target), contributions.region(program, target));
  }
  const Region own = contributions.region(program, participants.me);
  if (own != mine) copy_unless_empty(program, own, mine);
  if (block == 0) return;
  const std::uint64_t slots = program.scratch((size - 1) * block);
  Region after;  // what the positions after ours come to: where that of the last one arrived
  for (Rank step = 1; step < size; ++step) {
    const Rank source = (participants.me + size - step) % size;
    const Region received = slice(Buffer::Scratch, slots + (step - 1) * block, block);
    program.recv(participants.at(source), received);
    if (source < participants.me) {
      program.reduce(received, mine, Operands::FromThenTo);
    } else if (source == size - 1) {
      after = received;
    } else {
      program.reduce(received, after, Operands::FromThenTo);
    }
  }
  if (participants.me + 1 < size) program.reduce(after, mine, Operands::ToThenFrom);
}

namespace {

bool regular_direct_reduce_scatter(RegularRounds& rounds, const schedule::Collective&,
                                   double bytes) {
  return rounds.all_combine(bytes, false);
}

}  // namespace

constexpr Algorithm kDirectReduceScatter = on_regular_machines<regular_direct_reduce_scatter>(
    flat<serves_direct_reduce_scatter, reduce_scatter<direct_reduce_scatter>,
         [](FlatEstimate& at) { return all_combine(at, at.bytes, false); },
         [](LeastFlat& at) { return least_all_combine(at, at.bytes); }>(
        Operation::ReduceScatter, "direct", kByDefinition, meeting_all(Operation::ReduceScatter)));

}  // namespace espalier::collective
