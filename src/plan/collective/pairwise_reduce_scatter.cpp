#include "collective/pairwise_reduce_scatter.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void pairwise_reduce_scatter(ProgramBuilder& program, const Team& team,
                             const BlockLayout& contributions, const Region& mine) {
  const Rank size = team.size();
  const std::uint64_t block = contributions.units(team.me);
  const bool any_after = team.me + 1 < size;
  const Region after = slice(Buffer::Scratch, program.scratch(any_after ? block : 0), block);
  const std::uint64_t slots = program.scratch(size > 1 ? 2 * block : 0);
  copy_unless_empty(program, contributions.region(program, team.me), mine);
  for (Rank step = 1; step < size; ++step) {
    // First come the positions before ours, then those after it, from the last down.
    const Rank source = (team.me + size - step) % size;
    const bool first_after = source == size - 1;
    const Region received =
        first_after ? after : slice(Buffer::Scratch, slots + (step % 2) * block, block);
    const Rank target = (team.me + step) % size;
    send_unless_empty(program, team.at(target), contributions.region(program, target));
    if (block > 0) program.recv(team.at(source), received);
    program.fence();  // one message each way at a time; combining may overlap with the next
    if (!first_after) {
      reduce_unless_empty(program, received, source < team.me ? mine : after, Operands::FromThenTo);
    }
  }
  if (any_after) reduce_unless_empty(program, after, mine, Operands::ToThenFrom);
}

}  // namespace espalier::collective
