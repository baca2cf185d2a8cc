#include "collective/direct_exscan.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void direct_exscan(ProgramBuilder& program, const Team& team, const Region& own,
                   const Region& before) {
  for (Rank p = team.me + 1; p < team.size(); ++p) send_unless_empty(program, team.ranks[p], own);
  if (team.me == 0) return;
  // The nearest first: those that send to few after them are done first, and who takes messages one
  // by one does not wait for the last one to come.
  recv_unless_empty(program, team.ranks[team.me - 1], before);
  const std::uint64_t others = program.scratch((team.me - 1) * own.length);
  for (Rank p = team.me - 1; p-- > 0;) {
    const Region part = slice(Buffer::Scratch, others + p * own.length, own.length);
    recv_unless_empty(program, team.ranks[p], part);
    reduce_unless_empty(program, part, before, Operands::FromThenTo);
  }
}

}  // namespace espalier::collective
