#include "schedule/index_set.hpp"

namespace espalier::schedule {

IndexSet::IndexSet(std::span<const std::uint32_t> indices) {
  std::size_t at = 0;
  while (at < indices.size()) {
    IndexRun run{indices[at], 1, 1};
    // A run of two may have any rising step; of more, the same one.
    if (at + 1 < indices.size() && indices[at + 1] > indices[at]) {
      run.step = indices[at + 1] - indices[at];
      while (at + run.count < indices.size() &&
             indices[at + run.count] == run.first + run.count * run.step) {
        ++run.count;
      }
      if (run.count == 2 && run.step != 1) run.count = 1;
      if (run.count == 1) run.step = 1;
    }
    at += run.count;
    append(run);
  }
}

IndexSet IndexSet::range(std::uint64_t first, std::uint64_t count, std::uint64_t step) {
  IndexSet set;
  set.append({first, count, count > 1 ? step : 1});
  return set;
}

void IndexSet::append(const IndexRun& run) {
  if (run.count == 0) return;
  size_ += run.count;
  runs_.push_back(run);
}

std::vector<std::uint64_t> IndexSet::spelled_out() const {
  std::vector<std::uint64_t> indices;
  indices.reserve(size_);
  for_each([&](std::uint64_t i) { indices.push_back(i); });
  return indices;
}

}  // namespace espalier::schedule
