#include "collective/direct_scan.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::Region;
using schedule::slice;

void direct_scan(schedule::ProgramBuilder& program, const Participants& participants,
                 const Region& own, const Region& result) {
  for (Rank p = participants.me + 1; p < participants.size(); ++p)
    send_unless_empty(program, participants.ranks[p], own);
  copy_unless_empty(program, own, result);
  const std::uint64_t others = program.scratch(participants.me * own.length);
  for (Rank p = participants.me; p-- > 0;) {  // the nearest first: it is put before what is there
    const Region part = slice(Buffer::Scratch, others + p * own.length, own.length);
    recv_unless_empty(program, participants.ranks[p], part);
    reduce_unless_empty(program, part, result, Operands::FromThenTo);
  }
}

}  // namespace espalier::collective
