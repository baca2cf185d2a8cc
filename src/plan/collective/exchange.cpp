#include "collective/allreduce.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void direct_exchange(ProgramBuilder& program, const Participants& participants,
                     const Region& region, std::uint64_t segment) {
  const auto others = static_cast<std::uint64_t>(participants.size() - 1);
  if (others == 0) return;
  const std::uint64_t parts = program.scratch(region.length * others);
  for (std::uint64_t s = 0; s < segment_count(region, segment); ++s) {
    const Region mine = segment_of(region, segment, s);
    for (Rank step = 1; step < participants.size(); ++step)
      program.send(participants.at(participants.me + step), mine);
    const std::uint64_t shift = mine.offset - region.offset;
    // Part p of the scratch is what the p-th other member sent, in the participants' order.
    const auto part_of = [&](Rank position) {
      const std::uint64_t slot = position < participants.me ? position : position - 1;
      return slice(Buffer::Scratch, parts + slot * region.length + shift, mine.length);
    };
    for (Rank step = 1; step < participants.size(); ++step) {
      const Rank from = (participants.me + participants.size() - step) % participants.size();
      program.recv(participants[from], part_of(from));
    }
    // ((0 op 1) op 2) op ...: what lies before mine is gathered from the left, then mine joins,
    // then the rest, so that the bits do not depend on who combines.
    if (participants.me > 0) {
      for (Rank p = 1; p < participants.me; ++p) {
        program.reduce(part_of(p), part_of(0), Operands::ToThenFrom);
      }
      program.reduce(part_of(0), mine, Operands::FromThenTo);
    }
    for (Rank p = participants.me + 1; p < participants.size(); ++p) {
      program.reduce(part_of(p), mine, Operands::ToThenFrom);
    }
  }
}

void direct_exchange_barrier(ProgramBuilder& program, const Participants& participants) {
  for (Rank step = 1; step < participants.size(); ++step)
    program.send(participants.at(participants.me + step), {});
  for (Rank step = 1; step < participants.size(); ++step) {
    program.recv(participants.at(static_cast<std::int64_t>(participants.me) - step), {});
  }
}

}  // namespace espalier::collective
