#include "schedule/in_place.hpp"

#include <algorithm>
#include <map>

#include "schedule/program_builder.hpp"

namespace espalier::schedule {
namespace {

/// Slices that do not touch, by their begin.
class Slices {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    auto it = ends_.upper_bound(begin);
    if (it != ends_.begin() && std::prev(it)->second >= begin) --it;
    while (it != ends_.end() && it->first <= end) {
      begin = std::min(begin, it->first);
      end = std::max(end, it->second);
      it = ends_.erase(it);
    }
    ends_.emplace(begin, end);
  }
  [[nodiscard]] bool overlaps(std::uint64_t begin, std::uint64_t end) const {
    const auto it = ends_.lower_bound(end);
    return it != ends_.begin() && std::prev(it)->second > begin;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;
};

bool reads(const Op& op) { return op.kind != OpKind::Recv; }
bool writes(const Op& op) { return op.kind != OpKind::Send; }
/// A contribution that is laid down where it already lies.
bool stays(const Op& op, std::uint64_t at) {
  Region there = op.from;
  there.buffer = op.to.buffer;
  there.offset += at;
  return op.kind == OpKind::Copy && op.from.buffer == Buffer::In && there == op.to;
}

template <typename Visit>
void for_each_stretch_of(const Program& program, const Op& op, const Region& region, Visit visit) {
  if (op.kind == OpKind::Send || op.kind == OpKind::Recv) {
    for_each_message(program, op,
                     [&](Rank, const Region& one) { for_each_stretch(program, one, visit); });
  } else {
    for_each_stretch(program, region, visit);
  }
}

bool reads_what_it_has_overwritten(const Program& program, std::uint64_t at) {
  Slices written;
  for (const Op& op : program.ops) {
    bool late = false;
    if (reads(op) && op.from.buffer == Buffer::In) {
      for_each_stretch_of(program, op, op.from, [&](std::uint64_t begin, std::uint64_t length) {
        late = late || written.overlaps(at + begin, at + begin + length);
      });
    }
    if (late) return true;
    if (!writes(op) || op.to.buffer != Buffer::Out || stays(op, at)) continue;
    for_each_stretch_of(program, op, op.to, [&](std::uint64_t begin, std::uint64_t length) {
      written.add(begin, begin + length);
    });
  }
  return false;
}

/// Through a builder, which works out who now waits for whom.
Program with_one_buffer(const Program& program, std::uint64_t at) {
  ProgramBuilder builder(program.rank);
  (void)builder.scratch(program.scratch_units);
  std::vector<SetId> ids;
  for (const IndexSet& set : program.sets) ids.push_back(builder.set(set));
  const auto moved = [&](Region region) {
    if (region.buffer == Buffer::In) {
      region.buffer = Buffer::Out;
      region.offset += at;
    }
    region.outer.set = ids[region.outer.set];
    region.inner.set = ids[region.inner.set];
    return region;
  };
  for (const Op& op : program.ops) {
    const bool family = op.peer == kNoRank;
    switch (op.kind) {
      case OpKind::Send:
        if (family) {
          builder.send_each(program.sets[op.peers], moved(op.from), op.peer_stride, op.tag);
        } else {
          builder.send(op.peer, moved(op.from), op.tag);
        }
        break;
      case OpKind::Recv:
        if (family) {
          builder.recv_each(program.sets[op.peers], moved(op.to), op.peer_stride, op.tag);
        } else {
          builder.recv(op.peer, moved(op.to), op.tag);
        }
        break;
      case OpKind::Reduce:
        builder.reduce(moved(op.from), moved(op.to), op.operands);
        break;
      case OpKind::Copy:
        builder.copy(moved(op.from), moved(op.to));
        break;
      case OpKind::Compute:
        break;  // touches no buffer; collectives have none
    }
  }
  return std::move(builder).build();
}

}  // namespace

std::optional<Program> in_place(const Program& program, std::uint64_t at) {
  if (reads_what_it_has_overwritten(program, at)) return std::nullopt;
  Program joined = with_one_buffer(program, at);
  // Whoever waited before still does (fences are not in the slices).
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < joined.ops.size(); ++i) {
    const auto before = program.deps_of(program.ops[i]);
    const auto now = joined.deps_of(joined.ops[i]);
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    std::set_union(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(all));
    joined.ops[i].first_dep = static_cast<std::uint32_t>(first);
    joined.ops[i].dep_count =
        static_cast<std::uint32_t>(all.size() - static_cast<std::size_t>(first));
  }
  joined.deps = std::move(all);
  return joined;
}

}  // namespace espalier::schedule
