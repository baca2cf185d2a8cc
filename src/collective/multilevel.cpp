#include "collective/multilevel.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::collective {

GroupPositions positions_in_group(Shape shape, Rank position, Rank size) {
  GroupPositions found;
  switch (shape) {
    case Shape::Flat:
      if (position > 0) found.parent = 0;
      for (Rank p = 1; position == 0 && p < size; ++p) found.children.push_back(p);
      break;
    case Shape::Chain:
      if (position > 0) found.parent = position - 1;
      if (position + 1 < size) found.children.push_back(position + 1);
      break;
    case Shape::Binary:
      if (position > 0) found.parent = (position - 1) / 2;
      for (const Rank child : {2 * position + 1, 2 * position + 2}) {
        if (child < size) found.children.push_back(child);
      }
      break;
    case Shape::Binomial: {
      // The lowest set bit names the parent; below it lie the children, largest sub-tree first.
      Rank reach = 1;
      while (reach < size && (position & reach) == 0) reach <<= 1U;
      if (position > 0) found.parent = position - reach;
      for (Rank bit = reach >> 1U; bit > 0; bit >>= 1U) {
        if (position + bit < size) found.children.push_back(position + bit);
      }
      break;
    }
  }
  return found;
}

Links multilevel_links(const Hierarchy& hierarchy, std::span<const LevelChoice> choices, Rank root,
                       Rank rank, std::uint32_t from_level) {
  const auto clusters = hierarchy.machine().clusters();
  expects(choices.size() == hierarchy.machine().levels().size(),
          "multilevel_links: not one choice for each level");
  Links links;
  for (const topology::ClusterId group : hierarchy.groups_of(rank, root)) {
    if (clusters[group].depth < from_level) continue;
    const LevelChoice& choice = choices[clusters[group].depth];
    const std::vector<Rank> masters = hierarchy.masters_of_members(group, root);
    const auto size = static_cast<Rank>(masters.size());
    const auto position =
        static_cast<Rank>(std::find(masters.begin(), masters.end(), rank) - masters.begin());
    const GroupPositions here = positions_in_group(choice.shape, position, size);
    if (here.parent != kNoRank) links.parent = {masters[here.parent], choice.segment};
    for (const Rank child : here.children)
      links.children.push_back({masters[child], choice.segment});
  }
  return links;
}

std::vector<Rank> multilevel_subtree(const Hierarchy& hierarchy,
                                     std::span<const LevelChoice> choices, Rank root, Rank rank,
                                     std::uint32_t from_level) {
  std::vector<Rank> found{rank};
  for (const Link& child : multilevel_links(hierarchy, choices, root, rank, from_level).children) {
    const auto below = multilevel_subtree(hierarchy, choices, root, child.peer, from_level);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

}  // namespace espalier::collective
