#include "schedule/schedule.hpp"

namespace espalier::schedule {
namespace {

/// Mixes words one after the other; order matters. The mixing step is SplitMix64's.
class Hasher {
 public:
  void add(std::uint64_t word) {
    state_ += 0x9e3779b97f4a7c15ULL + word;
    state_ = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9ULL;
    state_ = (state_ ^ (state_ >> 27)) * 0x94d049bb133111ebULL;
    state_ ^= state_ >> 31;
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

void add_region(Hasher& hash, const Region& region) {
  hash.add(static_cast<std::uint64_t>(region.buffer));
  for (const std::uint64_t word :
       {region.offset, region.length, std::uint64_t{region.outer.set}, region.outer.stride,
        std::uint64_t{region.inner.set}, region.inner.stride}) {
    hash.add(word);
  }
}

}  // namespace

std::uint64_t hash_of(const Program& program) {
  Hasher hash;
  hash.add(program.rank);
  hash.add(program.scratch_units);
  hash.add(program.sets.size());
  for (const IndexSet& set : program.sets) {
    hash.add(set.runs().size());
    for (const IndexRun& run : set.runs()) {
      for (const std::uint64_t word : {run.first, run.count, run.step}) hash.add(word);
    }
  }
  hash.add(program.ops.size());
  for (const Op& op : program.ops) {
    hash.add(static_cast<std::uint64_t>(op.kind));
    hash.add(static_cast<std::uint64_t>(op.operands));
    for (const std::uint64_t word :
         {std::uint64_t{op.tag}, std::uint64_t{op.peer}, std::uint64_t{op.peers}, op.peer_stride}) {
      hash.add(word);
    }
    add_region(hash, op.from);
    add_region(hash, op.to);
    hash.add(op.dep_count);
    for (const std::uint32_t dep : program.deps_of(op)) hash.add(dep);
    if (op.takes != Time{0}) hash.add(static_cast<std::uint64_t>(op.takes.picoseconds));
  }
  return hash.value();
}

std::uint64_t hash_of(const Collective& call) {
  Hasher hash;
  for (const std::uint64_t word :
       {static_cast<std::uint64_t>(call.operation), std::uint64_t{call.size},
        std::uint64_t{call.root}, call.count, call.element.value,
        std::uint64_t{call.commutative ? 1U : 0U}, std::uint64_t{call.counts.size()}}) {
    hash.add(word);
  }
  for (const std::uint64_t count : call.counts) hash.add(count);
  if (call.graph != nullptr) {
    for (const NeighbourLists* lists : {&call.graph->sources, &call.graph->destinations}) {
      for (const std::uint32_t first : lists->first) hash.add(first);
      for (const Rank rank : lists->ranks) hash.add(rank);
    }
  }
  return hash.value();
}

std::uint64_t hash_of(const Schedule& schedule) {
  Hasher hash;
  hash.add(hash_of(schedule.call));
  for (const Program& program : schedule.programs) hash.add(hash_of(program));
  return hash.value();
}

}  // namespace espalier::schedule
