#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void pairwise_reduce_scatter(ProgramBuilder& program, const Participants& participants,
                             const BlockLayout& contributions, const Region& mine) {
  const Rank size = participants.size();
  const std::uint64_t block = contributions.units(participants.me);
  const bool any_after = participants.me + 1 < size;
  const Region after = slice(Buffer::Scratch, program.scratch(any_after ? block : 0), block);
  const std::uint64_t slots = program.scratch(size > 1 ? 2 * block : 0);
  copy_unless_empty(program, contributions.region(program, participants.me), mine);
  for (Rank step = 1; step < size; ++step) {
    // First come the positions before ours, then those after it, from the last down.
    const Rank source = (participants.me + size - step) % size;
    const bool first_after = source == size - 1;
    const Region received =
        first_after ? after : slice(Buffer::Scratch, slots + (step % 2) * block, block);
    const Rank target = (participants.me + step) % size;
    send_unless_empty(program, participants.at(target), contributions.region(program, target));
    if (block > 0) program.recv(participants.at(source), received);
    program.fence();  // one message each way at a time; combining may overlap with the next
    if (!first_after) {
      reduce_unless_empty(program, received, source < participants.me ? mine : after,
                          Operands::FromThenTo);
    }
  }
  if (any_after) reduce_unless_empty(program, after, mine, Operands::ToThenFrom);
}

constexpr Algorithm kPairwiseReduceScatter =
    flat<any_size, reduce_scatter<pairwise_reduce_scatter>,
         [](FlatEstimate& at) { pairwise(at.rounds, at.everybody, at.bytes, true); },
         [](LeastFlat& at) { return least_pairwise(at, true); }>(
        Operation::ReduceScatter, "pairwise", kThakur, meeting_all(Operation::ReduceScatter));

}  // namespace espalier::collective
