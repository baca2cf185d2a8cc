#include "collective/block_layout.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::IndexRun;
using schedule::IndexSet;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The same indices in the same order, runs that touch joined.
IndexSet joined(const IndexSet& set) {
  IndexSet found;
  IndexRun last;
  for (const IndexRun& run : set.runs()) {
    const bool dense = (last.count == 1 || last.step == 1) && (run.count == 1 || run.step == 1);
    if (last.count > 0 && dense && last.first + last.count == run.first) {
      last = {last.first, last.count + run.count, 1};
      continue;
    }
    found.append(last);
    last = run;
  }
  found.append(last);
  return found;
}

/// Members in groups of `grain` that follow each other, counted from `begin` on: the same members
/// in fewer, longer slices.
struct Coarsened {
  IndexSet groups;
  std::uint64_t begin = 0;
  std::uint64_t grain = 1;
};

Coarsened coarsened(const IndexSet& members) {
  std::uint64_t begin = members.runs().front().first;
  for (const IndexRun& run : members.runs()) begin = std::min(begin, run.first);
  std::uint64_t grain = 0;
  for (const IndexRun& run : members.runs()) {
    const bool dense = run.step == 1 || run.count == 1;
    grain = std::gcd(grain, std::gcd(dense ? run.count : 1, run.first - begin));
    if (grain == 1) break;
  }
  if (grain <= 1) return {members, 0, 1};
  IndexSet groups;
  for (const IndexRun& run : members.runs()) {
    groups.append({(run.first - begin) / grain, run.count / grain, 1});
  }
  return {groups, begin, grain};
}

}  // namespace

BlockLayout BlockLayout::uniform(Buffer buffer, std::uint64_t offset, Rank blocks,
                                 std::uint64_t block) {
  BlockLayout layout;
  layout.buffer_ = buffer;
  layout.offset_ = offset;
  layout.unit_ = block;
  layout.blocks_ = blocks;
  return layout;
}

BlockLayout BlockLayout::split(const Region& whole, Rank blocks) {
  if (whole.length % blocks == 0) {
    return uniform(whole.buffer, whole.offset, blocks, whole.length / blocks);
  }
  BlockLayout layout = uniform(whole.buffer, whole.offset, blocks, 1);
  std::uint64_t begin = 0;
  for (Rank p = 0; p < blocks; ++p) {
    const std::uint64_t length = whole.length / blocks + (p < whole.length % blocks ? 1 : 0);
    layout.first_run_.push_back(static_cast<std::uint32_t>(layout.runs_.size()));
    if (length > 0) layout.runs_.push_back({begin, length, 1});
    begin += length;
  }
  layout.first_run_.push_back(static_cast<std::uint32_t>(layout.runs_.size()));
  return layout;
}

BlockLayout BlockLayout::bundles(Buffer buffer, std::uint64_t offset, std::uint64_t unit,
                                 std::span<const IndexSet> members) {
  BlockLayout layout = uniform(buffer, offset, static_cast<Rank>(members.size()), unit);
  for (const IndexSet& set : members) {
    layout.first_run_.push_back(static_cast<std::uint32_t>(layout.runs_.size()));
    layout.runs_.insert(layout.runs_.end(), set.runs().begin(), set.runs().end());
  }
  layout.first_run_.push_back(static_cast<std::uint32_t>(layout.runs_.size()));
  return layout;
}

std::span<const IndexRun> BlockLayout::runs_of(std::uint64_t block) const {
  return std::span(runs_).subspan(first_run_[block], first_run_[block + 1] - first_run_[block]);
}

IndexSet BlockLayout::around(Rank first, Rank count) const {
  expects(count <= blocks_, "BlockLayout: more blocks than there are");
  first %= blocks_;
  const Rank before_end = std::min(count, blocks_ - first);
  IndexSet set = IndexSet::range(first, before_end);
  set.append({0, count - before_end, 1});
  return set;
}

IndexSet BlockLayout::members_of(const IndexSet& which) const {
  if (is_uniform()) return joined(which);
  IndexSet members;
  which.for_each([&](std::uint64_t block) {
    for (const IndexRun& run : runs_of(block)) members.append(run);
  });
  return joined(members);
}

std::uint64_t BlockLayout::units(const IndexSet& which) const {
  if (is_uniform()) return which.size() * unit_;
  std::uint64_t members = 0;
  which.for_each([&](std::uint64_t block) {
    for (const IndexRun& run : runs_of(block)) members += run.count;
  });
  return members * unit_;
}

std::uint64_t BlockLayout::units(Rank first, Rank count) const {
  if (is_uniform()) return count * unit_;
  return units(around(first, count));
}

std::uint64_t BlockLayout::longest() const {
  std::uint64_t most = blocks_ > 0 ? units(0) : 0;
  for (Rank p = 1; !is_uniform() && p < blocks_; ++p) most = std::max(most, units(p));
  return most;
}

Region BlockLayout::region(ProgramBuilder& program, const IndexSet& which) const {
  const IndexSet members = members_of(which);
  if (members.size() == 0 || unit_ == 0) return slice(buffer_, offset_, 0);
  const IndexRun& run = members.runs().front();
  if (members.runs().size() == 1 && (run.step == 1 || run.count == 1)) {
    return slice(buffer_, offset_ + run.first * unit_, run.count * unit_);
  }
  const auto [coarse, begin, grain] = coarsened(members);
  return {
      buffer_, offset_ + begin * unit_, grain * unit_, {program.set(coarse), grain * unit_}, {}};
}

Region BlockLayout::region(ProgramBuilder& program, Rank first, Rank count) const {
  // What most steps of most algorithms ask for, without a set.
  const Rank begin = first % blocks_;
  if (is_uniform() && count <= blocks_ - begin) {
    return slice(buffer_, offset_ + begin * unit_, count * unit_);
  }
  return region(program, around(first, count));
}

BlockLayout BlockLayout::packed(const IndexSet& which, std::uint64_t scratch) const {
  if (is_uniform()) {
    return uniform(Buffer::Scratch, scratch, static_cast<Rank>(which.size()), unit_);
  }
  BlockLayout layout = uniform(Buffer::Scratch, scratch, static_cast<Rank>(which.size()), unit_);
  std::uint64_t begin = 0;
  which.for_each([&](std::uint64_t block) {
    std::uint64_t members = 0;
    for (const IndexRun& run : runs_of(block)) members += run.count;
    layout.first_run_.push_back(static_cast<std::uint32_t>(layout.runs_.size()));
    if (members > 0) layout.runs_.push_back({begin, members, 1});
    begin += members;
  });
  layout.first_run_.push_back(static_cast<std::uint32_t>(layout.runs_.size()));
  return layout;
}

}  // namespace espalier::collective
