#include "schedule/program_builder.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::schedule {

std::uint64_t ProgramBuilder::scratch(std::uint64_t units) {
  const std::uint64_t offset = program_.scratch_units;
  program_.scratch_units += units;
  return offset;
}

SetId ProgramBuilder::set(const IndexSet& indices) {
  const auto it = std::find(program_.sets.begin(), program_.sets.end(), indices);
  if (it != program_.sets.end()) return static_cast<SetId>(it - program_.sets.begin());
  program_.sets.push_back(indices);
  return static_cast<SetId>(program_.sets.size() - 1);
}

void ProgramBuilder::send(Rank to, const Region& from, std::uint32_t tag) {
  Op op;
  op.kind = OpKind::Send;
  op.tag = tag;
  op.peer = to;
  op.from = from;
  add(op);
}

void ProgramBuilder::recv(Rank from, const Region& to, std::uint32_t tag) {
  Op op;
  op.kind = OpKind::Recv;
  op.tag = tag;
  op.peer = from;
  op.to = to;
  add(op);
}

void ProgramBuilder::send_each(const IndexSet& peers, const Region& from, std::uint64_t peer_stride,
                               std::uint32_t tag) {
  if (peers.size() == 0) return;
  Op op;
  op.kind = OpKind::Send;
  op.tag = tag;
  op.peers = set(peers);
  op.peer_stride = peer_stride;
  op.from = from;
  add(op);
}

void ProgramBuilder::recv_each(const IndexSet& peers, const Region& to, std::uint64_t peer_stride,
                               std::uint32_t tag) {
  if (peers.size() == 0) return;
  Op op;
  op.kind = OpKind::Recv;
  op.tag = tag;
  op.peers = set(peers);
  op.peer_stride = peer_stride;
  op.to = to;
  add(op);
}

void ProgramBuilder::reduce(const Region& from, const Region& to, Operands operands) {
  expects(program_.units(from) == program_.units(to), "reduce: operands of different length");
  Op op;
  op.kind = OpKind::Reduce;
  op.operands = operands;
  op.from = from;
  op.to = to;
  add(op);
}

void ProgramBuilder::copy(const Region& from, const Region& to) {
  expects(program_.units(from) == program_.units(to), "copy: slices of different length");
  Op op;
  op.kind = OpKind::Copy;
  op.from = from;
  op.to = to;
  add(op);
}

void ProgramBuilder::fence() {
  const auto now = static_cast<OpId>(program_.ops.size());
  if (now == fence_end_) return;  // nothing since the last one, which still holds
  fence_begin_ = fence_end_;      // what came before that is waited for by these
  fence_end_ = now;
}

std::vector<ProgramBuilder::Interval> ProgramBuilder::intervals(const Region& region) const {
  std::vector<Interval> found;
  // Before neighbours are joined, but for those of one run.
  const auto slices_of = [&](const Axis& axis) {
    std::uint64_t slices = 0;
    for (const IndexRun& run : program_.sets[axis.set].runs()) {
      slices += run.step * axis.stride == region.length ? 1 : run.count;
    }
    return slices;
  };
  const bool is_one_inside = program_.sets[region.inner.set].size() == 1;
  const std::uint64_t slices =
      is_one_inside ? slices_of(region.outer)
                    : slices_of(region.inner) * program_.sets[region.outer.set].size();
  if (slices <= kMaxStretches) {
    for_each_stretch(program_, region, [&](std::uint64_t offset, std::uint64_t length) {
      found.push_back({offset, offset + length});
    });
    return found;
  }
  const auto reach = [&](const Axis& axis) {
    std::uint64_t last = 0;
    for (const IndexRun& run : program_.sets[axis.set].runs()) {
      last = std::max(last, run.first + (run.count - 1) * run.step);
    }
    return last * axis.stride;
  };
  if (region.length == 0) return found;
  found.push_back(
      {region.offset, region.offset + reach(region.outer) + reach(region.inner) + region.length});
  return found;
}

std::vector<ProgramBuilder::Interval> ProgramBuilder::intervals_of_family(
    const Op& op, const Region& region) const {
  if (op.peer != kNoRank) return intervals(region);
  const IndexSet& peers = program_.sets[op.peers];
  std::vector<Interval> found;
  peers.for_each([&](std::uint64_t p) {
    Region shifted = region;
    shifted.offset += p * op.peer_stride;
    const auto one = intervals(shifted);
    found.insert(found.end(), one.begin(), one.end());
  });
  // Neighbouring blocks of neighbouring peers are one stretch.
  std::sort(found.begin(), found.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> joined;
  for (const Interval& i : found) {
    if (!joined.empty() && i.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, i.end);
    } else {
      joined.push_back(i);
    }
  }
  if (joined.size() > kMaxStretches) return {{joined.front().begin, joined.back().end}};
  return joined;
}

void ProgramBuilder::split_at(History& history, std::uint64_t at) {
  auto it = history.upper_bound(at);
  if (it == history.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  BufferUse right = it->second;
  it->second.end = at;
  history.emplace(at, std::move(right));
}

void ProgramBuilder::note_read(OpId op, Buffer buffer, std::span<const Interval> where,
                               std::vector<OpId>& deps) {
  History& history = history_[static_cast<std::size_t>(buffer)];
  for (const Interval& range : where) {
    split_at(history, range.begin);
    split_at(history, range.end);
    std::uint64_t at = range.begin;
    auto it = history.lower_bound(range.begin);
    while (at < range.end) {
      if (it == history.end() || it->first >= range.end) {  // never written: remember the reader
        history.emplace_hint(it, at, BufferUse{range.end, kNobody, {op}});
        break;
      }
      if (it->first > at) history.emplace_hint(it, at, BufferUse{it->first, kNobody, {op}});
      if (it->second.writer != kNobody) deps.push_back(it->second.writer);
      it->second.readers.push_back(op);
      at = it->second.end;
      ++it;
    }
  }
}

void ProgramBuilder::note_write(OpId op, Buffer buffer, std::span<const Interval> where,
                                std::vector<OpId>& deps) {
  History& history = history_[static_cast<std::size_t>(buffer)];
  for (const Interval& range : where) {
    split_at(history, range.begin);
    split_at(history, range.end);
    auto it = history.lower_bound(range.begin);
    while (it != history.end() && it->first < range.end) {
      const BufferUse& old = it->second;
      for (const OpId reader : old.readers) {
        if (reader != op) deps.push_back(reader);
      }
      // Readers waited for the writer; without readers we wait for it ourselves.
      const bool only_self =
          old.readers.empty() || (old.readers.size() == 1 && old.readers[0] == op);
      if (only_self && old.writer != kNobody) deps.push_back(old.writer);
      it = history.erase(it);
    }
    history.emplace(range.begin, BufferUse{range.end, op, {}});
  }
}

void ProgramBuilder::add(Op op) {
  const auto id = static_cast<OpId>(program_.ops.size());
  std::vector<OpId> deps;
  if (op.kind != OpKind::Recv) {
    note_read(id, op.from.buffer, intervals_of_family(op, op.from), deps);
  }
  if (op.kind == OpKind::Reduce) note_read(id, op.to.buffer, intervals(op.to), deps);
  if (op.kind != OpKind::Send) {
    note_write(id, op.to.buffer, intervals_of_family(op, op.to), deps);
  }
  for (OpId before = fence_begin_; before < fence_end_; ++before) deps.push_back(before);
  std::sort(deps.begin(), deps.end());
  deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
  op.first_dep = static_cast<std::uint32_t>(program_.deps.size());
  op.dep_count = static_cast<std::uint32_t>(deps.size());
  program_.deps.insert(program_.deps.end(), deps.begin(), deps.end());
  program_.ops.push_back(op);
}

}  // namespace espalier::schedule
