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
  if (here.parent != kNoRank) links.parent = {participants[here.parent], choice.segment};
  for (const Rank child : here.children) {
    links.children.push_back({participants[child], choice.segment});
  }
  return links;
}

namespace {

/// A cluster's group of masters, from the master of the cluster on, in the order of a tree of this
/// shape; nobody is listed.
class MastersOfGroup {
 public:
  MastersOfGroup(const Hierarchy& hierarchy, topology::ClusterId id, Rank root, Shape shape)
      : hierarchy_(hierarchy),
        machine_(hierarchy.machine()),
        cluster_(machine_.clusters()[id]),
        root_(root),
        first_(member_with(machine_, cluster_, machine_.leaf_of(hierarchy.master(id, root)))) {
    if (shape == Shape::Chain) chain_ = hierarchy.chain_from(id, first_);
  }

  [[nodiscard]] Rank size() const { return cluster_.member_count; }
  /// Position of the member in which a rank lies.
  [[nodiscard]] Rank position_of(Rank rank) const {
    const std::uint32_t member = member_with(machine_, cluster_, machine_.leaf_of(rank));
    if (chain_.empty()) return (member + size() - first_) % size();
    return static_cast<Rank>(std::find(chain_.begin(), chain_.end(), member) - chain_.begin());
  }
  [[nodiscard]] Rank at(Rank position) const {
    const std::uint32_t index = chain_.empty() ? (first_ + position) % size() : chain_[position];
    const topology::Member& member = machine_.members(cluster_)[index];
    return member.is_leaf ? machine_.rank_at(member.id) : hierarchy_.master(member.id, root_);
  }

 private:
  const Hierarchy& hierarchy_;
  const topology::Machine& machine_;
  const topology::Cluster& cluster_;
  Rank root_;
  std::uint32_t first_;
  std::span<const std::uint32_t> chain_ = {};  // see Hierarchy::chain_from()
};

}  // namespace

TreeLinks multilevel_links(const Hierarchy& hierarchy, std::span<const LevelChoice> choices,
                           Rank root, Rank rank, std::uint32_t from_level) {
  const auto clusters = hierarchy.machine().clusters();
  expects(choices.size() == hierarchy.machine().levels().size(),
          "multilevel_links: not one choice for each level");
  TreeLinks links;
  for (const topology::ClusterId group : hierarchy.groups_of(rank, root)) {
    if (clusters[group].depth < from_level) continue;
    const LevelChoice& choice = choices[clusters[group].depth];
    const MastersOfGroup masters(hierarchy, group, root, choice.shape);
    const GroupPositions here =
        positions_in_group(choice.shape, masters.position_of(rank), masters.size());
    if (here.parent != kNoRank) links.parent = {masters.at(here.parent), choice.segment};
    for (const Rank child : here.children) {
      links.children.push_back({masters.at(child), choice.segment});
    }
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
