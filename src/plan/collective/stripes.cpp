#include "collective/stripes.hpp"

#include <algorithm>
#include <bit>

namespace espalier::collective {

using schedule::IndexSet;
using schedule::Region;
using schedule::slice;

namespace {

/// Parts that do not come out even begin at multiples of about this fraction of a part, so that
/// several of them are still a family of few slices.
constexpr std::uint64_t kGrains = 64;

}  // namespace

std::uint64_t Stripes::begin(std::uint64_t length, Rank i) const {
  if (i == parts_) return length;
  const std::uint64_t even = length / parts_;
  std::uint64_t grain = 1;
  if (length % parts_ != 0) grain = std::max<std::uint64_t>(1, std::bit_floor(even / kGrains));
  const std::uint64_t exact = i * even + i * (length % parts_) / parts_;
  return exact / grain * grain;
}

Region Stripes::part(const Region& vector, Rank i) const {
  const std::uint64_t from = begin(vector.length, i);
  return slice(vector.buffer, vector.offset + from, begin(vector.length, i + 1) - from);
}

BlockLayout Stripes::layout(const Region& vector, Rank size) const {
  if (size == parts_ && vector.length % size == 0) return BlockLayout::split(vector, size);
  std::vector<IndexSet> pieces;
  pieces.reserve(size);
  for (Rank p = 0; p < size; ++p) {
    const std::uint64_t from = begin(vector.length, first_part(p, size));
    const std::uint64_t to = begin(vector.length, first_part(p + 1, size));
    pieces.push_back(IndexSet::range(from, to - from));
  }
  return BlockLayout::bundles(vector.buffer, vector.offset, 1, pieces);
}

Participants Stripes::owners(Rank i, Rank here, Rank turned, Rank from) const {
  Participants participants;
  participants.me = here;
  for (Rank c = 0; c < clusters_->count(); ++c) {
    const Rank size = clusters_->size_of(c);
    const Rank position = owner(i, parts_, size);
    participants.ranks.push_back(
        clusters_->parts[c][c == turned ? (from + position) % size : position]);
  }
  return participants;
}

}  // namespace espalier::collective
