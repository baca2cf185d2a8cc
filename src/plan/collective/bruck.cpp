#include <algorithm>

#include "base/contract.hpp"
#include "collective/allgather.hpp"
#include "collective/alltoall.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

void bruck_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                     const BlockLayout& all) {
  const Rank size = participants.size();
  const std::int64_t me = participants.me;
  for (std::uint64_t distance = 1; distance < size; distance *= 2) {
    const auto d = static_cast<Rank>(distance);
    const Rank count = std::min(d, size - d);
    send_unless_empty(program, participants.at(me - d),
                      all.region(program, participants.me, count));
    recv_unless_empty(program, participants.at(me + d),
                      all.region(program, participants.me + d, count));
  }
}

using schedule::Buffer;
using schedule::IndexSet;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The i < size that have the bit, in one order that all ranks share: as long stretches or as
/// combs, whichever are fewer.
IndexSet with_bit(Rank size, std::uint64_t bit) {
  IndexSet set;
  if (size / (2 * bit) < bit) {
    for (std::uint64_t i = bit; i < size; i += 2 * bit) set.append({i, std::min(bit, size - i), 1});
  } else {
    for (std::uint64_t i = bit; i < std::min<std::uint64_t>(2 * bit, size); ++i) {
      set.append({i, (size - 1 - i) / (2 * bit) + 1, 2 * bit});
    }
  }
  return set;
}

IndexSet downwards(std::uint64_t count) {
  std::vector<std::uint32_t> indices;
  for (auto i = static_cast<std::uint32_t>(count); i > 0; --i) indices.push_back(i - 1);
  return IndexSet(indices);
}

/// Copies `count` blocks from `from` on to `to` on, the last one first. Sets rise, so a falling one
/// is spelled out; as rows and columns it takes 2 sqrt(count) numbers instead of count.
void copy_reversed(ProgramBuilder& program, const Region& from, const Region& to,
                   std::uint64_t block, std::uint64_t count) {
  if (count == 0) return;
  std::uint64_t columns = 1;
  while ((columns + 1) * (columns + 1) <= count) ++columns;
  const std::uint64_t rows = count / columns;
  const std::uint64_t rest = count - rows * columns;
  program.copy(slice(from.buffer, from.offset, rows * columns * block),
               {to.buffer,
                to.offset + rest * block,
                block,
                {program.set(downwards(rows)), columns * block},
                {program.set(downwards(columns)), block}});
  if (rest == 0) return;
  program.copy(slice(from.buffer, from.offset + rows * columns * block, rest * block),
               {to.buffer, to.offset, block, {program.set(downwards(rest)), block}, {}});
}

}  // namespace

void bruck_alltoall(ProgramBuilder& program, const Participants& participants,
                    const BlockLayout& from, const BlockLayout& to) {
  const Rank size = participants.size();
  const std::uint64_t block = from.units(0);
  expects(from.is_uniform() && to.is_uniform() && block == to.units(0),
          "bruck_alltoall: blocks of different lengths");
  if (block == 0) return;
  // Slot i: what has i ranks to go, or on arrival, what came i ranks far.
  const auto slots =
      BlockLayout::uniform(Buffer::Scratch, program.scratch(size * block), size, block);
  const std::uint64_t received = program.scratch(with_bit(size, 1).size() * block);
  program.copy(from.region(program, participants.me, size), slots.region(program, 0, size));
  for (std::uint64_t distance = 1; distance < size; distance *= 2) {
    const IndexSet moving = with_bit(size, distance);
    const Region moved = slice(Buffer::Scratch, received, moving.size() * block);
    const auto d = static_cast<std::int64_t>(distance);
    program.send(participants.at(participants.me + d), slots.region(program, moving));
    program.recv(participants.at(participants.me - d), moved);
    program.copy(moved, slots.region(program, moving));
  }
  // Slot i is from position me - i, around the end.
  const Rank before = participants.me + 1;
  copy_reversed(program, slots.region(program, 0, before), to.region(program, 0, before), block,
                before);
  if (before == size) return;
  copy_reversed(program, slots.region(program, before, size - before),
                to.region(program, before, size - before), block, size - before);
}

namespace {

/// Blocks that have this bit of their way to go.
Rank blocks_with(Rank distance, Rank size) {
  const Rank rest = size % (2 * distance);
  return size / (2 * distance) * distance + (rest > distance ? rest - distance : 0);
}

}  // namespace

constexpr Algorithm kBruckAllgather =
    flat<any_size, allgather<bruck_allgather>,
         [](FlatEstimate& at) {
           dissemination(at.rounds, at.everybody, [&](Rank distance) {
             return at.bytes * std::min<double>(distance, at.size - distance);
           });
         },
         [](LeastFlat& at) {
           at.rounds.dissemination([&](Rank distance) {
             return at.bytes * std::min<double>(distance, at.size - distance);
           });
         }>(Operation::Allgather, "bruck", kBruck, kBundlesAlong);

constexpr Algorithm kBruckAlltoall =
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           bruck_alltoall(program, call.participants, call.in_blocks(), call.out_blocks());
         },
         [](FlatEstimate& at) {
           dissemination(at.rounds, at.everybody, [&](Rank distance) {
             return at.bytes * blocks_with(distance, at.call.size);
           });
         },
         [](LeastFlat& at) {
           at.rounds.dissemination(
               [&](Rank distance) { return at.bytes * blocks_with(distance, at.call.size); });
         }>(Operation::Alltoall, "bruck", kBruck, kBundles);

}  // namespace espalier::collective
