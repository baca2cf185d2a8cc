#include "collective/messages.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void binomial_scan(ProgramBuilder& program, const Participants& participants, const Region& data) {
  const Rank size = participants.size();
  const std::uint64_t spare = program.scratch(participants.me > 0 ? data.length : 0);
  const Region received = slice(Buffer::Scratch, spare, data.length);
  const auto add_from = [&](Rank position) {
    recv_unless_empty(program, participants.ranks[position], received);
    reduce_unless_empty(program, received, data, Operands::FromThenTo);
  };
  // Counted from 1, the last of each aligned range of 2 * half has the range's sum after its step.
  const Rank place = participants.me + 1;
  Rank half = 1;
  for (; half < size; half *= 2) {
    if (place % (2 * half) == 0) {
      add_from(participants.me - half);
    } else if (place % (2 * half) == half && participants.me + half < size) {
      send_unless_empty(program, participants.ranks[participants.me + half], data);
    }
  }
  for (half /= 2; half > 0; half /= 2) {
    if (place % (2 * half) == 0 && participants.me + half < size) {
      send_unless_empty(program, participants.ranks[participants.me + half], data);
    } else if (place % (2 * half) == half && place > half) {
      add_from(participants.me - half);
    }
  }
}

}  // namespace espalier::collective
