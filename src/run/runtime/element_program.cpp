#include "runtime/element_program.hpp"

#include <algorithm>
#include <array>

namespace espalier::runtime {

using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Op;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using schedule::SetId;

namespace {

class Spelled {
 public:
  Spelled(const Collective& call, const Program& program, const BlocksOfRank& blocks)
      : call_(call), program_(program), blocks_(blocks) {
    made_.rank = program.rank;
    auto& in = begins_[static_cast<std::size_t>(Buffer::In)];
    std::uint64_t at = 0;
    for (const std::uint64_t count : call.counts) {
      in.push_back(at);
      at += count;
    }
    begins_[static_cast<std::size_t>(Buffer::Out)] = {0};
    lay_out_scratch();
  }

  Program build() && {
    for (std::uint32_t id = 0; id < program_.ops.size(); ++id) {
      first_.push_back(static_cast<std::uint32_t>(made_.ops.size()));
      const Op& op = program_.ops[id];
      if (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) {
        Op step = op;
        step.from = elements(op.from, blocks_[id][0]);
        step.to = elements(op.to, blocks_[id][0]);
        add(op, step);
        continue;
      }
      std::size_t message = 0;
      for_each_message(program_, op, [&](Rank peer, const Region& region) {
        Op step = op;
        step.peer = peer;
        step.peers = 0;
        step.peer_stride = 0;
        (op.kind == OpKind::Send ? step.from : step.to) = elements(region, blocks_[id][message++]);
        add(op, step);
      });
    }
    return std::move(made_);
  }

 private:
  void lay_out_scratch() {
    std::vector<std::uint64_t> longest(program_.scratch_units, 0);
    const auto widen = [&](const Region& region, const Blocks& blocks) {
      if (region.buffer != Buffer::Scratch) return;
      std::size_t next = 0;
      for_each_unit(region, [&](std::uint64_t unit) {
        longest[unit] = std::max(longest[unit], call_.counts[blocks[next++]]);
      });
    };
    for (std::uint32_t id = 0; id < program_.ops.size(); ++id) {
      const Op& op = program_.ops[id];
      if (op.kind == OpKind::Copy) widen(op.to, blocks_[id][0]);
      if (op.kind != OpKind::Recv) continue;
      std::size_t message = 0;
      for_each_message(program_, op,
                       [&](Rank, const Region& one) { widen(one, blocks_[id][message++]); });
    }
    auto& begins = begins_[static_cast<std::size_t>(Buffer::Scratch)];
    for (const std::uint64_t length : longest) {
      begins.push_back(made_.scratch_units);
      made_.scratch_units += length;
    }
  }

  /// Blocks that lie side by side are one slice; else a set of runs of elements.
  Region elements(const Region& region, const Blocks& blocks) {
    const auto& begins = begins_[static_cast<std::size_t>(region.buffer)];
    IndexSet runs;
    std::uint64_t begin = 0, end = 0;
    const auto flush = [&] {
      if (end > begin) runs.append({begin, end - begin, 1});
    };
    std::size_t next = 0;
    for_each_unit(region, [&](std::uint64_t unit) {
      const std::uint64_t length = call_.counts[blocks[next++]];
      if (length == 0) return;
      if (end == begin || begins[unit] != end) {
        flush();
        begin = begins[unit];
        end = begin;
      }
      end += length;
    });
    if (runs.size() == 0) return {region.buffer, begin, end - begin, {}, {}};
    flush();
    return {region.buffer, 0, 1, {}, {set(std::move(runs)), 1}};
  }

  SetId set(IndexSet runs) {
    const auto it = std::find(made_.sets.begin(), made_.sets.end(), runs);
    if (it != made_.sets.end()) return static_cast<SetId>(it - made_.sets.begin());
    made_.sets.push_back(std::move(runs));
    return static_cast<SetId>(made_.sets.size() - 1);
  }

  /// Slices that do not touch in units do not touch in elements: whoever waited still does, and
  /// nobody else has to.
  void add(const Op& before, Op step) {
    step.first_dep = static_cast<std::uint32_t>(made_.deps.size());
    for (const std::uint32_t dep : program_.deps_of(before)) {
      for (std::uint32_t d = first_[dep]; d < first_[dep + 1]; ++d) made_.deps.push_back(d);
    }
    step.dep_count = static_cast<std::uint32_t>(made_.deps.size()) - step.first_dep;
    made_.ops.push_back(step);
  }

  template <typename Visit>
  void for_each_unit(const Region& region, Visit visit) const {
    for_each_stretch(program_, region, [&](std::uint64_t offset, std::uint64_t length) {
      for (std::uint64_t u = offset; u < offset + length; ++u) visit(u);
    });
  }

  const Collective& call_;
  const Program& program_;
  const BlocksOfRank& blocks_;
  std::array<std::vector<std::uint64_t>, 3> begins_;  // first element of each unit, for each buffer
  std::vector<std::uint32_t> first_;                  // for each op, its first op in made_
  Program made_;
};

}  // namespace

Program element_program(const Collective& call, Rank rank,
                        const std::function<Program(Rank)>& program_of) {
  std::vector<Program> programs;
  for (Rank r = 0; r < call.size; ++r) programs.push_back(program_of(r));
  const BlocksOfRank blocks = blocks_through(call, rank, programs);
  return Spelled(call, programs[rank], blocks).build();
}

}  // namespace espalier::runtime
