#include <algorithm>

#include "collective/allgather.hpp"
#include "collective/allreduce.hpp"
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

namespace {

/// Blocks of scratch in turn, so that the next block can come while the last ones leave.
struct RingSlots {
  std::uint64_t offset = 0;
  std::uint64_t block = 0;
  Rank count = 1;
  [[nodiscard]] Region slot(Rank step, std::uint64_t length) const {
    return slice(Buffer::Scratch, offset + ((step - 1) % count) * block, length);
  }
};

/// A block that leaves over a long link keeps its slot until it is there; with two of them, a ring
/// that crosses a WAN would move two blocks a latency.
constexpr Rank kLeavingSlots = 64;
/// In place a slot is free again once its block is combined.
constexpr Rank kCombiningSlots = 2;

RingSlots make_ring_slots(ProgramBuilder& program, Rank steps, Rank most,
                          const BlockLayout& blocks) {
  const std::uint64_t block = blocks.longest();
  const Rank count = std::min(steps, most);
  return {program.scratch(block * count), block, std::max<Rank>(1, count)};
}

}  // namespace

void ring_reduce_scatter(ProgramBuilder& program, const Participants& participants,
                         const BlockLayout& contributions, const Region& mine) {
  const Rank size = participants.size();
  if (size == 1) {
    copy_unless_empty(program, contributions.region(program, 0), mine);
    return;
  }
  const Rank right = participants.at(std::int64_t{participants.me} + 1);
  const Rank left = participants.at(std::int64_t{participants.me} - 1);
  const RingSlots slots = make_ring_slots(program, size - 2, kLeavingSlots, contributions);
  Region partial = contributions.region(program, participants.me + size - 1);
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, right, partial);
    const Rank block = (participants.me + 2 * size - 1 - step) % size;
    const Region own = contributions.region(program, block);
    partial = block == participants.me ? mine : slots.slot(step, contributions.units(block));
    recv_unless_empty(program, left, partial);
    reduce_unless_empty(program, own, partial, Operands::ToThenFrom);
  }
}

void ring_reduce_scatter_in_place(ProgramBuilder& program, const Participants& participants,
                                  const BlockLayout& data) {
  const Rank size = participants.size();
  const Rank right = participants.at(std::int64_t{participants.me} + 1);
  const Rank left = participants.at(std::int64_t{participants.me} - 1);
  const RingSlots slots = make_ring_slots(program, size - 1, kCombiningSlots, data);
  for (Rank step = 1; step < size; ++step) {
    const Rank block = (participants.me + 2 * size - 1 - step) % size;
    const Region received = slots.slot(step, data.units(block));
    send_unless_empty(program, right, data.region(program, block + 1));
    recv_unless_empty(program, left, received);
    reduce_unless_empty(program, received, data.region(program, block), Operands::FromThenTo);
  }
}

void ring_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                    const BlockLayout& all) {
  const Rank size = participants.size();
  const Rank right = participants.at(std::int64_t{participants.me} + 1);
  const Rank left = participants.at(std::int64_t{participants.me} - 1);
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, right, all.region(program, participants.me + size - step + 1));
    recv_unless_empty(program, left, all.region(program, participants.me + size - step));
  }
}

void ring_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& data) {
  const BlockLayout pieces = BlockLayout::split(data, participants.size());
  ring_reduce_scatter_in_place(program, participants, pieces);
  ring_allgather(program, participants, pieces);
}

namespace {

template <bool kCombines>
bool regular_ring(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  rounds.ring(0, bytes, kCombines);
  return true;
}

bool regular_ring_allreduce(RegularRounds& rounds, const schedule::Collective& call, double bytes) {
  rounds.ring(0, bytes / call.size, true, 1, kCombiningSlots);
  rounds.ring(0, bytes / call.size, false);
  return true;
}

}  // namespace

constexpr Algorithm kRingAllgather = on_regular_machines<regular_ring<false>>(
    flat<any_size, allgather<ring_allgather>,
         [](FlatEstimate& at) { at.rounds.ring(at.everybody, at.size - 1, at.bytes); },
         [](LeastFlat& at) { at.rounds.ring(at.size - 1, at.bytes, false, true); }>(
        Operation::Allgather, "ring", kThakur, kMovesAlong));

constexpr Algorithm kRingAllreduce = on_regular_machines<regular_ring_allreduce>(
    flat<any_size, in_out<ring_allreduce>,
         [](FlatEstimate& at) {
           at.rounds.ring(at.everybody, at.size - 1, at.bytes / at.size, true, kCombiningSlots);
           at.rounds.ring(at.everybody, at.size - 1, at.bytes / at.size);
         },
         [](LeastFlat& at) {
           at.rounds.ring(at.size - 1, at.bytes / at.size, true, true);
           at.rounds.ring(at.size - 1, at.bytes / at.size, false, true);
         }>(Operation::Allreduce, "ring", kPatarasuk,
            {.along_machine = true, .longest = LongestMessage::Piece}));

constexpr Algorithm kRingReduceScatter = on_regular_machines<regular_ring<true>>(
    flat<any_size, reduce_scatter<ring_reduce_scatter>,
         [](FlatEstimate& at) { at.rounds.ring(at.everybody, at.size - 1, at.bytes, true); },
         [](LeastFlat& at) { at.rounds.ring(at.size - 1, at.bytes, true, true); }>(
        Operation::ReduceScatter, "ring", kPatarasuk, {.along_machine = true}));

}  // namespace espalier::collective
