#include "group/group_view.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {
namespace {

Id towards_by_links(const GroupView& view, Rank target) {
  const std::uint64_t k = view.degree, m = view.size;
  // After so many hops from i all of reach consecutive ranks can be reached, beginning with first.
  std::uint64_t first = view.rank, reach = 1;
  while ((target + m - first) % m >= reach) {
    first = (first * k + 1) % m;
    reach *= k;
  }
  return view.links[(target + m - first) % m / (reach / k)];
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

Id towards_by_heap(const GroupView& view, Rank target) {
  Rank above = target;
  while (above > view.rank) {
    const Rank parent = (above - 1) / view.degree;
    if (parent == view.rank) return view.children[above - view.degree * view.rank - 1];
    above = parent;
  }
  return view.parent;
}

Id towards_by_ranges(const GroupView& view, Rank target) {
  if (target < view.rank) return view.parent;
  Rank first = view.rank + 1;
  for (std::uint32_t c = 0; c < view.children.size(); first += view.below[c++]) {
    if (target < first + view.below[c]) return view.children[c];
  }
  return view.parent;
}

}  // namespace

GroupView world_view(Id id, Rank size, Rank degree) {
  expects(id < size && degree > 0 && degree < 65536, "world_view: no such process or degree");
  expects(heap_depth(size - 1, degree) < 65535, "world_view: a tree of so many levels");
  GroupView view;
  view.size = size;
  view.rank = id;
  view.parent = id == 0 ? kNobody : (id - 1) / degree;
  view.degree = static_cast<std::uint16_t>(degree);
  view.depth = static_cast<std::uint16_t>(heap_depth(id, degree));
  const std::uint64_t first = std::uint64_t{id} * degree + 1;
  for (std::uint64_t c = first; c < std::min<std::uint64_t>(first + degree, size); ++c) {
    view.children.push_back(static_cast<Id>(c));
  }
  return view;
}

Id next_hop(const GroupView& view, Id self, Rank target) {
  expects(view.member() && target < view.size, "next_hop: no such rank in the group");
  if (view.numbering == Numbering::World) return target;
  if (target == view.rank) return self;
  if (!view.links.empty()) return towards_by_links(view, target);
  return view.numbering == Numbering::Heap ? towards_by_heap(view, target)
                                           : towards_by_ranges(view, target);
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
