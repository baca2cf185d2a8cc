#include "collective/direct_reduce_scatter.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void direct_reduce_scatter(ProgramBuilder& program, const Team& team,
                           const BlockLayout& contributions, const Region& mine) {
  const Rank size = team.size();
  const std::uint64_t block = contributions.units(team.me);
  for (Rank step = 1; step < size; ++step) {
    const Rank target = (team.me + step) % size;
    send_unless_empty(program, team.at(target), contributions.region(program, target));
  }
  copy_unless_empty(program, contributions.region(program, team.me), mine);
  if (block == 0) return;
  const std::uint64_t slots = program.scratch((size - 1) * block);
  Region after;  // what the positions after ours come to: where that of the last one arrived
  for (Rank step = 1; step < size; ++step) {
    const Rank source = (team.me + size - step) % size;
    const Region received = slice(Buffer::Scratch, slots + (step - 1) * block, block);
    program.recv(team.at(source), received);
    if (source < team.me) {
      program.reduce(received, mine, Operands::FromThenTo);
    } else if (source == size - 1) {
      after = received;
    } else {
      program.reduce(received, after, Operands::FromThenTo);
    }
  }
  if (team.me + 1 < size) program.reduce(after, mine, Operands::ToThenFrom);
}

}  // namespace espalier::collective
