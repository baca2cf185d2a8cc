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
  recv_unless_empty(program, team.ranks[0], before);
  const std::uint64_t others = program.scratch((team.me - 1) * own.length);
  for (Rank p = 1; p < team.me; ++p) {
    const Region part = slice(Buffer::Scratch, others + (p - 1) * own.length, own.length);
    recv_unless_empty(program, team.ranks[p], part);
    reduce_unless_empty(program, part, before, Operands::ToThenFrom);
  }
}

}  // namespace espalier::collective
