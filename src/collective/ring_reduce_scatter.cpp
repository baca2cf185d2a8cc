#include "collective/ring_reduce_scatter.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// Two blocks of scratch in turn, so that the next block can come while the last one leaves.
struct Slots {
  std::uint64_t offset = 0;
  std::uint64_t block = 0;
  [[nodiscard]] Region slot(Rank step, std::uint64_t length) const {
    return slice(Buffer::Scratch, offset + ((step - 1) % 2) * block, length);
  }
};

Slots make_slots(ProgramBuilder& program, Rank steps, const BlockLayout& blocks) {
  const std::uint64_t block = blocks.longest();
  return {program.scratch(block * (steps < 2 ? steps : 2)), block};
}

}  // namespace

void ring_reduce_scatter(ProgramBuilder& program, const Team& team,
                         const BlockLayout& contributions, const Region& mine) {
  const Rank size = team.size();
  if (size == 1) {
    copy_unless_empty(program, contributions.region(program, 0), mine);
    return;
  }
  const Rank right = team.at(std::int64_t{team.me} + 1);
  const Rank left = team.at(std::int64_t{team.me} - 1);
  const Slots slots = make_slots(program, size - 2, contributions);
  Region partial = contributions.region(program, team.me + size - 1);
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, right, partial);
    const Rank block = (team.me + 2 * size - 1 - step) % size;
    const Region own = contributions.region(program, block);
    partial = block == team.me ? mine : slots.slot(step, contributions.units(block));
    recv_unless_empty(program, left, partial);
    reduce_unless_empty(program, own, partial, Operands::ToThenFrom);
  }
}

void ring_reduce_scatter_in_place(ProgramBuilder& program, const Team& team,
                                  const BlockLayout& data) {
  const Rank size = team.size();
  const Rank right = team.at(std::int64_t{team.me} + 1);
  const Rank left = team.at(std::int64_t{team.me} - 1);
  const Slots slots = make_slots(program, size - 1, data);
  for (Rank step = 1; step < size; ++step) {
    const Rank block = (team.me + 2 * size - 1 - step) % size;
    const Region received = slots.slot(step, data.units(block));
    send_unless_empty(program, right, data.region(program, block + 1));
    recv_unless_empty(program, left, received);
    reduce_unless_empty(program, received, data.region(program, block), Operands::FromThenTo);
  }
}

}  // namespace espalier::collective
