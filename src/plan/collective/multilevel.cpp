#include "collective/multilevel.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collective/postal_shape.hpp"

namespace espalier::collective {
namespace {

/// The lowest digit that is not zero names the parent; below it lie the children, largest sub-tree
/// first.
GroupPositions positions_of_radix(Rank radix, Rank position, Rank size) {
  GroupPositions found;
  Rank reach = 1;
  while (reach < size && position / reach % radix == 0) reach *= radix;
  if (position > 0) found.parent = position - position / reach % radix * reach;
  for (Rank weight = reach / radix; weight > 0; weight /= radix) {
    for (Rank digit = 1; digit < radix && position + digit * weight < size; ++digit) {
      found.children.push_back(position + digit * weight);
    }
  }
  return found;
}

}  // namespace

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
    case Shape::Binomial:
    case Shape::Quadnomial:
    case Shape::Octonomial:
      return positions_of_radix(radix_of(shape), position, size);
    case Shape::Postal2:
    case Shape::Postal3:
    case Shape::Postal5:
    case Shape::Postal8:
    case Shape::Postal13:
    case Shape::Postal21:
      return postal_positions(lambda_of(shape), position, size);
  }
  return found;
}

TreeLinks participants_links(const LevelChoice& choice, const Participants& participants) {
  const GroupPositions here =
      positions_in_group(choice.shape, participants.me, participants.size());
  TreeLinks links;
  if (here.parent != kNoRank) links.parent = {participants.ranks[here.parent], choice.segment};
  for (const Rank child : here.children) {
    links.children.push_back({participants.ranks[child], choice.segment});
  }
  return links;
}

TreeLinks multilevel_links(const Hierarchy& hierarchy, std::span<const LevelChoice> choices,
                           Rank root, Rank rank, std::uint32_t from_level) {
  const auto clusters = hierarchy.machine().clusters();
  expects(choices.size() == hierarchy.machine().levels().size(),
          "multilevel_links: not one choice for each level");
  TreeLinks links;
  for (const topology::ClusterId group : hierarchy.groups_of(rank, root)) {
    if (clusters[group].depth < from_level) continue;
    Participants masters{hierarchy.masters_of_members(group, root), 0};
    const auto me = std::find(masters.ranks.begin(), masters.ranks.end(), rank);
    masters.me = static_cast<Rank>(me - masters.ranks.begin());
    TreeLinks here = participants_links(choices[clusters[group].depth], masters);
    if (here.parent.peer != kNoRank) links.parent = here.parent;
    links.children.insert(links.children.end(), here.children.begin(), here.children.end());
  }
  return links;
}

std::vector<Rank> multilevel_subtree(const Hierarchy& hierarchy,
                                     std::span<const LevelChoice> choices, Rank root, Rank rank,
                                     std::uint32_t from_level) {
  std::vector<Rank> found{rank};
  for (const TreeEdge& child :
       multilevel_links(hierarchy, choices, root, rank, from_level).children) {
    const auto below = multilevel_subtree(hierarchy, choices, root, child.peer, from_level);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

}  // namespace espalier::collective
