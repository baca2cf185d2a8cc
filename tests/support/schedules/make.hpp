#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schedule/program_builder.hpp"
#include "schedule/schedule.hpp"

namespace espalier::test_schedules {

using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Operands;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::Schedule;
using schedule::slice;

/// build(program) writes the part of program.rank().
template <typename Build>
Schedule make_schedule(Collective call, std::string name, Build build) {
  Schedule schedule{std::move(call), std::move(name), {}};
  for (Rank rank = 0; rank < schedule.call.size; ++rank) {
    ProgramBuilder program(rank);
    build(program);
    schedule.programs.push_back(std::move(program).build());
  }
  return schedule;
}

/// Block b of a buffer.
inline Region block_of(const Collective& call, Buffer buffer, std::uint64_t b,
                       std::uint64_t blocks = 1) {
  return slice(buffer, b * call.block(), blocks * call.block());
}

/// All ranks but one.
inline IndexSet all_but(Rank size, Rank rank) {
  IndexSet others = IndexSet::range(0, rank);
  others.append({rank + 1U, size - rank - 1U, 1});
  return others;
}

/// The s-th of `parts` nearly equal parts of a buffer's first `units`.
inline Region part_of(Buffer buffer, std::uint64_t units, std::uint64_t s, std::uint64_t parts) {
  const std::uint64_t begin = units * s / parts;
  return slice(buffer, begin, units * (s + 1) / parts - begin);
}

inline Collective call_of(Operation operation, Rank size, Rank root, std::uint64_t count,
                          bool commutative = true) {
  Collective call;
  call.operation = operation;
  call.size = size;
  call.root = root;
  call.count = count;
  call.element = Bytes{8};
  call.commutative = commutative;
  return call;
}

/// The v form of a call: block b has b % 3 elements.
inline Collective irregular(Collective call) {
  const std::uint64_t p = call.size;
  const std::uint64_t blocks = call.operation == Operation::Alltoall ? p * p : p;
  for (std::uint64_t b = 0; b < blocks; ++b) call.counts.push_back(b % 3);
  return call;
}

}  // namespace espalier::test_schedules
