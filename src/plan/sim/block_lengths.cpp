#include "sim/block_lengths.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"

namespace espalier::sim {

using schedule::Buffer;
using schedule::Collective;
using schedule::Op;
using schedule::Operation;
using schedule::Program;
using schedule::Region;

namespace {

/// The region of member `k` of a family of messages.
Region region_of_member(const Program& program, const Op& op, std::uint32_t k) {
  Region found;
  std::uint32_t at = 0;
  schedule::for_each_message(program, op, [&](Rank, const Region& region) {
    if (at++ == k) found = region;
  });
  return found;
}

std::uint64_t sum(const std::vector<std::uint64_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
}

/// Elements of a block that a rank brings along.
std::uint64_t elements_in(const Collective& call, Rank rank, std::uint64_t unit) {
  switch (call.operation) {
    case Operation::Scatter:
    case Operation::ReduceScatter:
      return call.counts[unit];
    case Operation::Alltoall:
      return call.counts[std::uint64_t{rank} * call.size + unit];
    default:
      return call.counts[rank];
  }
}

}  // namespace

BlockLengths::BlockLengths(const schedule::Schedule& schedule)
    : schedule_(schedule), out_(schedule.programs.size()), scratch_(schedule.programs.size()) {
  expects(schedule.call.irregular(), "BlockLengths: all blocks are equally long");
}

std::uint64_t BlockLengths::bytes_read(Rank rank, std::uint32_t op) const {
  return sum(read(rank, schedule_.programs[rank].ops[op].from));
}

std::uint64_t BlockLengths::send(std::uint32_t message, Rank rank, std::uint32_t op,
                                 std::uint32_t k) {
  const Program& program = schedule_.programs[rank];
  Lengths& lengths = under_way_[message];
  lengths = read(rank, region_of_member(program, program.ops[op], k));
  return sum(lengths);
}

void BlockLengths::receive(std::uint32_t message, Rank rank, std::uint32_t op, std::uint32_t k) {
  const Program& program = schedule_.programs[rank];
  const auto it = under_way_.find(message);
  expects(it != under_way_.end(), "BlockLengths::receive: no such message is under way");
  write(rank, region_of_member(program, program.ops[op], k), it->second);
  under_way_.erase(it);
}

void BlockLengths::copy(Rank rank, std::uint32_t op) {
  const Op& step = schedule_.programs[rank].ops[op];
  write(rank, step.to, read(rank, step.from));
}

std::uint64_t BlockLengths::length(Rank rank, Buffer buffer, std::uint64_t unit) const {
  const Collective& call = schedule_.call;
  if (buffer == Buffer::In) return elements_in(call, rank, unit) * call.element.value;
  const Lengths& held = buffer == Buffer::Out ? out_[rank] : scratch_[rank];
  return unit < held.size() ? held[unit] : 0;  // nothing there yet
}

BlockLengths::Lengths BlockLengths::read(Rank rank, const Region& region) const {
  Lengths lengths;
  schedule::for_each_stretch(schedule_.programs[rank], region,
                             [&](std::uint64_t offset, std::uint64_t count) {
                               for (std::uint64_t u = offset; u < offset + count; ++u) {
                                 lengths.push_back(length(rank, region.buffer, u));
                               }
                             });
  return lengths;
}

void BlockLengths::write(Rank rank, const Region& region, const Lengths& lengths) {
  if (region.buffer == Buffer::In) return;
  Lengths& held = region.buffer == Buffer::Out ? out_[rank] : scratch_[rank];
  auto next = lengths.begin();
  schedule::for_each_stretch(schedule_.programs[rank], region,
                             [&](std::uint64_t offset, std::uint64_t count) {
                               if (held.size() < offset + count) held.resize(offset + count, 0);
                               for (std::uint64_t u = offset; u < offset + count; ++u) {
                                 if (next != lengths.end()) held[u] = *next++;
                               }
                             });
}

}  // namespace espalier::sim
