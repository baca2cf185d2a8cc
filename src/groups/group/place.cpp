#include "group/place.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {
namespace {

Id towards_by_links(const Place& place, Rank target) {
  const std::uint64_t k = place.degree, m = place.size;
  // After so many hops from i all of reach consecutive ranks can be reached, beginning with first.
  std::uint64_t first = place.rank, reach = 1;
  while ((target + m - first) % m >= reach) {
    first = (first * k + 1) % m;
    reach *= k;
  }
  return place.links[(target + m - first) % m / (reach / k)];
}

}  // namespace

std::uint32_t link_hops(Rank from, Rank target, Rank size, Rank degree) {
  std::uint64_t first = from, reach = 1;
  std::uint32_t hops = 0;
  for (; (target + std::uint64_t{size} - first) % size >= reach; ++hops) {
    first = (first * degree + 1) % size;
    reach *= degree;
  }
  return hops;
}

namespace {

Id towards_by_heap(const Place& place, Rank target) {
  Rank above = target;
  while (above > place.rank) {
    const Rank parent = (above - 1) / place.degree;
    if (parent == place.rank) return place.children[above - place.degree * place.rank - 1];
    above = parent;
  }
  return place.parent;
}

Id towards_by_ranges(const Place& place, Rank target) {
  if (target < place.rank) return place.parent;
  Rank first = place.rank + 1;
  for (std::uint32_t c = 0; c < place.children.size(); first += place.below[c++]) {
    if (target < first + place.below[c]) return place.children[c];
  }
  return place.parent;
}

}  // namespace

Place world_place(Id id, Rank size, Rank degree) {
  expects(id < size && degree > 0 && degree < 65536, "world_place: no such process or degree");
  expects(heap_depth(size - 1, degree) < 65535, "world_place: a tree of so many levels");
  Place place;
  place.size = size;
  place.rank = id;
  place.parent = id == 0 ? kNobody : (id - 1) / degree;
  place.degree = static_cast<std::uint16_t>(degree);
  place.depth = static_cast<std::uint16_t>(heap_depth(id, degree));
  const std::uint64_t first = std::uint64_t{id} * degree + 1;
  for (std::uint64_t c = first; c < std::min<std::uint64_t>(first + degree, size); ++c) {
    place.children.push_back(static_cast<Id>(c));
  }
  return place;
}

Id next_hop(const Place& place, Id self, Rank target) {
  expects(place.member() && target < place.size, "next_hop: no such rank in the group");
  if (place.numbering == Numbering::World) return target;
  if (target == place.rank) return self;
  if (!place.links.empty()) return towards_by_links(place, target);
  return place.numbering == Numbering::Heap ? towards_by_heap(place, target)
                                            : towards_by_ranges(place, target);
}

std::uint32_t heap_depth(Rank rank, Rank degree) {
  std::uint32_t depth = 0;
  for (; rank > 0; rank = (rank - 1) / degree) ++depth;
  return depth;
}

Rank heap_below(Rank rank, Rank size, Rank degree) {
  std::uint64_t first = rank, width = 1, count = 0;
  while (first < size) {
    count += std::min<std::uint64_t>(width, size - first);
    first = first * degree + 1;
    width *= degree;
  }
  return static_cast<Rank>(count);
}

Rank capacity(std::uint32_t levels, Rank degree) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31U;
  std::uint64_t total = 0, width = 1;
  for (std::uint32_t level = 0; level < levels && total < kMost; ++level, width *= degree) {
    total += width;
  }
  return static_cast<Rank>(std::min(total, kMost));
}

std::uint32_t least_levels(Rank size, Rank degree) {
  std::uint32_t levels = 0;
  std::uint64_t total = 0, width = 1;
  for (; total < size; ++levels, width *= degree) total += width;
  return levels;
}

}  // namespace espalier::group
