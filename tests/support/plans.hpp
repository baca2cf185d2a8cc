#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "schedule/program_builder.hpp"
#include "schedule/schedule.hpp"

namespace espalier {

/// Textbook schedules written out by hand, for tests and benchmarks of what comes after planning.
/// Elements are bytes. The root is rank 0.
namespace plans {

using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operands;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Schedule;
using schedule::slice;

using Write = std::function<void(ProgramBuilder&)>;

inline Schedule make(Operation operation, Rank size, std::uint64_t count, std::string name,
                     const Write& write) {
  Schedule plan;
  plan.call.operation = operation;
  plan.call.size = size;
  plan.call.count = count;
  plan.algorithm = std::move(name);
  for (Rank r = 0; r < size; ++r) {
    ProgramBuilder b(r);
    write(b);
    plan.programs.push_back(std::move(b).build());
  }
  return plan;
}

/// Calls step(offset, length, number) for each segment; once for an empty message.
template <typename Step>
void for_each_segment(std::uint64_t count, std::uint64_t segment, Step step) {
  std::uint32_t number = 0;
  std::uint64_t at = 0;
  do {
    step(at, std::min(segment, count - at), number++);
    at += segment;
  } while (at < count);
}

/// 0 -> 1 -> 2 -> ..., segment by segment.
inline Schedule chain_broadcast(Rank size, std::uint64_t count, std::uint64_t segment) {
  return make(Operation::Broadcast, size, count, "chain", [&](ProgramBuilder& b) {
    for_each_segment(count, segment, [&](std::uint64_t at, std::uint64_t length, std::uint32_t s) {
      const auto data = slice(Buffer::Out, at, length);
      if (b.rank() > 0) b.recv(b.rank() - 1, data, s);
      if (b.rank() + 1 < size) b.send(b.rank() + 1, data, s);
    });
  });
}

/// Children of rank r: r + 2^k for all 2^k below r's lowest set bit, the farthest first.
inline Schedule binomial_broadcast(Rank size, std::uint64_t count, std::uint64_t segment) {
  return make(Operation::Broadcast, size, count, "binomial", [&](ProgramBuilder& b) {
    const Rank r = b.rank();
    Rank reach = r == 0 ? 1 : r & (~r + 1);
    while (r == 0 && reach < size) reach *= 2;
    for_each_segment(count, segment, [&](std::uint64_t at, std::uint64_t length, std::uint32_t s) {
      const auto data = slice(Buffer::Out, at, length);
      if (r > 0) b.recv(r & (r - 1), data, s);
      for (Rank step = reach / 2; step > 0; step /= 2) {
        if (r + step < size) b.send(r + step, data, s);
      }
    });
  });
}

inline Schedule flat_gather(Rank size, std::uint64_t block) {
  return make(Operation::Gather, size, block, "flat", [&](ProgramBuilder& b) {
    if (b.rank() > 0) return b.send(0, slice(Buffer::In, 0, block), 0);
    b.copy(slice(Buffer::In, 0, block), slice(Buffer::Out, 0, block));
    b.recv_each(IndexSet::range(1, size - 1), slice(Buffer::Out, 0, block), block, 0);
  });
}

inline Schedule ring_allgather(Rank size, std::uint64_t block) {
  return make(Operation::Allgather, size, block, "ring", [&](ProgramBuilder& b) {
    const Rank r = b.rank();
    const auto part = [&](Rank i) { return slice(Buffer::Out, i % size * block, block); };
    b.copy(slice(Buffer::In, 0, block), part(r));
    for (Rank step = 0; step + 1 < size; ++step) {
      b.send((r + 1) % size, part(r + size - step), step);
      b.recv((r + size - 1) % size, part(r + 2 * size - 1 - step), step);
    }
  });
}

/// Step k: to r + k, from r - k. Nothing waits but for the processors.
inline Schedule pairwise_alltoall(Rank size, std::uint64_t block) {
  return make(Operation::Alltoall, size, block, "pairwise", [&](ProgramBuilder& b) {
    const Rank r = b.rank();
    b.copy(slice(Buffer::In, r * block, block), slice(Buffer::Out, r * block, block));
    for (Rank k = 1; k < size; ++k) {
      const Rank to = (r + k) % size;
      const Rank from = (r + size - k) % size;
      b.send(to, slice(Buffer::In, to * block, block), 0);
      b.recv(from, slice(Buffer::Out, from * block, block), 0);
    }
  });
}

/// Ranks beyond the largest power of two hand their part to another first, and get the result last.
inline Schedule doubling_allreduce(Rank size, std::uint64_t count) {
  Rank power = 1;
  while (power * 2 <= size) power *= 2;
  return make(Operation::Allreduce, size, count, "recursive-doubling", [&](ProgramBuilder& b) {
    const Rank r = b.rank();
    const auto result = slice(Buffer::Out, 0, count);
    if (r >= power) {
      b.send(r - power, slice(Buffer::In, 0, count), 100);
      b.recv(r - power, result, 101);
      return;
    }
    b.copy(slice(Buffer::In, 0, count), result);
    const auto take = [&](Rank peer, std::uint32_t tag) {
      const auto theirs = slice(Buffer::Scratch, b.scratch(count), count);
      b.recv(peer, theirs, tag);
      b.reduce(theirs, result, peer < r ? Operands::FromThenTo : Operands::ToThenFrom);
    };
    if (r + power < size) take(r + power, 100);
    std::uint32_t tag = 0;
    for (Rank step = 1; step < power; step *= 2) {
      b.send(r ^ step, result, tag);
      take(r ^ step, tag++);
    }
    if (r + power < size) b.send(r + power, result, 101);
  });
}

}  // namespace plans
}  // namespace espalier
