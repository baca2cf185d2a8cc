#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"
#include "support/schedules/terms.hpp"

namespace espalier::test_schedules {

/// A schedule without any families: every unit of every message by itself.
struct SpelledOut {
  struct Unit {
    schedule::Buffer buffer;
    std::uint64_t index;
  };
  /// One end of a message.
  struct End {
    Rank from, to;
    std::uint32_t tag;
    std::vector<Unit> units;
  };
  struct Op {
    Rank rank = 0;
    schedule::OpKind kind = schedule::OpKind::Copy;
    schedule::Operands operands = schedule::Operands::FromThenTo;
    std::vector<std::size_t> deps;
    std::vector<Unit> from, to;  // of copy and reduce
    std::vector<End> ends;       // of send and receive
  };

  std::vector<Op> ops;  // of all ranks, in order
  /// What nobody could run: peers that are not there, slices outside of buffers, ...
  std::optional<std::string> impossible;
};

namespace spelling {

inline std::vector<SpelledOut::Unit> units_of(const schedule::Program& program,
                                              const schedule::Region& region, std::uint64_t shift) {
  std::vector<SpelledOut::Unit> found;
  for (const std::uint64_t o : program.sets[region.outer.set].spelled_out()) {
    for (const std::uint64_t i : program.sets[region.inner.set].spelled_out()) {
      const std::uint64_t first =
          region.offset + shift + o * region.outer.stride + i * region.inner.stride;
      for (std::uint64_t u = 0; u < region.length; ++u) found.push_back({region.buffer, first + u});
    }
  }
  return found;
}

inline std::uint64_t size_of(const schedule::Collective& call, const schedule::Program& program,
                             schedule::Buffer buffer) {
  if (buffer == schedule::Buffer::In) return units_in(call, program.rank);
  if (buffer == schedule::Buffer::Out) return units_out(call, program.rank);
  return program.scratch_units;
}

/// What is wrong with touching these units, if anything.
inline std::optional<std::string> look_at(const schedule::Collective& call,
                                          const schedule::Program& program,
                                          const std::vector<SpelledOut::Unit>& units,
                                          bool written) {
  for (const SpelledOut::Unit& unit : units) {
    if (unit.index >= size_of(call, program, unit.buffer)) return "reaches beyond a buffer";
    if (written && unit.buffer == schedule::Buffer::In) return "writes In";
  }
  return std::nullopt;
}

}  // namespace spelling

inline SpelledOut spell_out(const schedule::Schedule& schedule) {
  using schedule::OpKind;
  SpelledOut all;
  const auto note = [&](const std::optional<std::string>& what) {
    if (what && !all.impossible) all.impossible = what;
  };
  for (const schedule::Program& program : schedule.programs) {
    const std::size_t base = all.ops.size();
    for (std::size_t id = 0; id < program.ops.size(); ++id) {
      const schedule::Op& op = program.ops[id];
      SpelledOut::Op one{program.rank, op.kind, op.operands, {}, {}, {}, {}};
      for (const std::uint32_t dep : program.deps_of(op)) {
        if (dep >= id) note("waits for a later op");
        one.deps.push_back(base + dep);
      }
      if (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) {
        one.from = spelling::units_of(program, op.from, 0);
        one.to = spelling::units_of(program, op.to, 0);
        if (one.from.size() != one.to.size()) note("has operands of different length");
        note(spelling::look_at(schedule.call, program, one.from, false));
        note(spelling::look_at(schedule.call, program, one.to, true));
      } else {
        std::vector<std::uint64_t> peers{op.peer};
        if (op.peer == kNoRank) peers = program.sets[op.peers].spelled_out();
        for (const std::uint64_t p : peers) {
          const std::uint64_t shift = op.peer == kNoRank ? p * op.peer_stride : 0;
          const bool sends = op.kind == OpKind::Send;
          const auto peer = static_cast<Rank>(p);
          if (p >= schedule.call.size) note("has a peer that is not there");
          one.ends.push_back({sends ? program.rank : peer, sends ? peer : program.rank, op.tag,
                              spelling::units_of(program, sends ? op.from : op.to, shift)});
          note(spelling::look_at(schedule.call, program, one.ends.back().units, !sends));
        }
      }
      all.ops.push_back(std::move(one));
    }
  }
  return all;
}

/// The inputs that a unit of a rank's Out is made of, in rank order; nothing: anything will do.
inline std::vector<Terms::Leaf> promised(const schedule::Collective& call, Rank rank,
                                         std::uint64_t unit) {
  using schedule::Operation;
  const std::uint64_t block = call.counts.empty() ? call.count : 1;
  const auto ranks_to = [](Rank last, std::uint64_t u) {
    std::vector<Terms::Leaf> leaves;
    for (Rank r = 0; r <= last; ++r) leaves.emplace_back(r, u);
    return leaves;
  };
  switch (call.operation) {
    case Operation::Broadcast:
      return {{call.root, unit}};
    case Operation::Reduce:
    case Operation::Allreduce:
      return ranks_to(call.size - 1, unit);
    case Operation::Barrier:
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      return {};
    case Operation::Gather:
    case Operation::Allgather:
      return {{static_cast<Rank>(unit / block), unit % block}};
    case Operation::Scatter:
      return {{call.root, rank * block + unit}};
    case Operation::Alltoall:
      return {{static_cast<Rank>(unit / block), rank * block + unit % block}};
    case Operation::ReduceScatter:
      return ranks_to(call.size - 1, rank * block + unit);
    case Operation::Scan:
      return ranks_to(rank, unit);
    case Operation::Exscan:
      return rank == 0 ? std::vector<Terms::Leaf>{} : ranks_to(rank - 1, unit);
  }
  return {};
}

}  // namespace espalier::test_schedules
