#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "schedule/index_set.hpp"

namespace espalier::schedule {

/// What a rank holds: the user's two buffers and scratch of its own.
enum class Buffer : std::uint8_t { In, Out, Scratch };

using SetId = std::uint32_t;  ///< index into Program::sets; 0 is the set {0}

/// One dimension of a family of slices: a slice for each index of the set, index * stride apart.
struct Axis {
  SetId set = 0;
  std::uint64_t stride = 0;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// A family of slices of one buffer, in units (see Collective::unit): for each o of outer, for each
/// i of inner, the slice [offset + o * outer.stride + i * inner.stride, + length). In that order,
/// which is also the order on the wire.
///
/// Never spelled out: what one site's ranks have for another's is two sets, whatever their size.
struct Region {
  Buffer buffer = Buffer::In;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  Axis outer;
  Axis inner;
  friend bool operator==(const Region&, const Region&) = default;
};

enum class OpKind : std::uint8_t { Send, Recv, Reduce, Copy, Compute };

/// Which operand of a reduction stands on the left, for operations that do not commute.
enum class Operands : std::uint8_t { FromThenTo, ToThenFrom };

/// One step of a rank. `from` is read, `to` is written (and read, by Reduce). Compute touches no
/// buffer: it keeps the processor for a while, as traces of programs have it.
///
/// A Send or Recv with more than one peer is a family: one message for each p of the set, its
/// region shifted by p * peer_stride. Messages match by (sender, receiver, tag), so a tag is used
/// once for each ordered pair of ranks.
struct Op {
  OpKind kind = OpKind::Copy;
  Operands operands = Operands::FromThenTo;
  std::uint32_t tag = 0;
  Rank peer = kNoRank;  ///< the only peer of a Send or Recv; kNoRank: see `peers`
  SetId peers = 0;      ///< peers of a family, used if `peer` is kNoRank
  std::uint64_t peer_stride = 0;
  Region from;
  Region to;
  std::uint32_t first_dep = 0;  ///< index into Program::deps of the first op that must end before
  std::uint32_t dep_count = 0;
  Time takes;  ///< Compute only: how long the processor is busy
  friend bool operator==(const Op&, const Op&) = default;
};

/// A rank's own part of a plan: a DAG of ops. Ops are stored in an order in which they could run
/// one by one; a dependency always points to an earlier op. Independent ops should start in this
/// order.
struct Program {
  Rank rank = 0;
  std::uint64_t scratch_units = 0;
  std::vector<Op> ops;
  std::vector<std::uint32_t> deps;
  std::vector<IndexSet> sets{IndexSet::single(0)};

  [[nodiscard]] std::span<const std::uint32_t> deps_of(const Op& op) const {
    return std::span(deps).subspan(op.first_dep, op.dep_count);
  }
  /// Units in a region.
  [[nodiscard]] std::uint64_t units(const Region& region) const {
    return region.length * sets[region.outer.set].size() * sets[region.inner.set].size();
  }
  friend bool operator==(const Program&, const Program&) = default;
};

/// Calls visit(offset, length) for each stretch of the region in order; neighbours that touch are
/// joined first.
template <typename Visit>
void for_each_stretch(const Program& program, const Region& region, Visit visit) {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const auto add = [&](std::uint64_t at, std::uint64_t length) {
    if (length == 0) return;
    if (end != begin && at == end) {
      end += length;
      return;
    }
    if (end != begin) visit(begin, end - begin);
    begin = at;
    end = at + length;
  };
  const auto add_all_of = [&](const Axis& axis, std::uint64_t here) {
    for (const IndexRun& run : program.sets[axis.set].runs()) {
      if (run.step * axis.stride == region.length) {  // side by side: one stretch, however many
        add(here + run.first * axis.stride, run.count * region.length);
        continue;
      }
      for (std::uint64_t i = 0; i < run.count; ++i) {
        add(here + (run.first + i * run.step) * axis.stride, region.length);
      }
    }
  };
  if (const IndexSet& inner = program.sets[region.inner.set]; inner.size() == 1) {
    add_all_of(region.outer, region.offset + inner.runs().front().first * region.inner.stride);
  } else {
    program.sets[region.outer.set].for_each([&](std::uint64_t o) {
      add_all_of(region.inner, region.offset + o * region.outer.stride);
    });
  }
  if (end != begin) visit(begin, end - begin);
}

/// Calls visit(peer, region) for each message of a Send or Recv.
template <typename Visit>
void for_each_message(const Program& program, const Op& op, Visit visit) {
  const Region& region = op.kind == OpKind::Send ? op.from : op.to;
  if (op.peer != kNoRank) {
    visit(op.peer, region);
    return;
  }
  program.sets[op.peers].for_each([&](std::uint64_t p) {
    Region shifted = region;
    shifted.offset += p * op.peer_stride;
    visit(static_cast<Rank>(p), shifted);
  });
}

}  // namespace espalier::schedule
