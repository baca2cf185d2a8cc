#include "collective/partition.hpp"

#include <algorithm>

namespace espalier::collective {

namespace {

bool fewer(const std::vector<Rank>& a, const std::vector<Rank>& b) { return a.size() < b.size(); }

}  // namespace

Rank Partition::smallest() const {
  return static_cast<Rank>(std::min_element(parts.begin(), parts.end(), fewer)->size());
}

Rank Partition::largest() const {
  return static_cast<Rank>(std::max_element(parts.begin(), parts.end(), fewer)->size());
}

Participants Partition::participants_of(Rank rank) const {
  return {parts[part_of[rank]], position_of[rank]};
}

bool Partition::in_runs() const {
  return std::all_of(parts.begin(), parts.end(), [](const std::vector<Rank>& ranks) {
    const auto [low, high] = std::minmax_element(ranks.begin(), ranks.end());
    return *high - *low + 1 == ranks.size();
  });
}

Partition outermost_clusters(const topology::Machine& machine, RankOrder order) {
  const auto members = machine.members(machine.clusters().front());
  // Which member of the whole a leaf is below: members lie along the leaves from the left.
  std::vector<Rank> member_of_leaf;
  member_of_leaf.reserve(machine.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t leaves =
        members[m].is_leaf ? 1 : machine.clusters()[members[m].id].leaf_count;
    member_of_leaf.insert(member_of_leaf.end(), leaves, static_cast<Rank>(m));
  }
  Partition found;
  found.part_of.reserve(machine.size());
  std::vector<Rank> part_of_member(members.size(), kNoRank);
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    Rank& part = part_of_member[member_of_leaf[machine.leaf_of(rank)]];
    if (part == kNoRank) {
      part = found.count();
      found.parts.emplace_back();
    }
    found.parts[part].push_back(rank);
    found.part_of.push_back(part);
  }
  found.position_of.resize(machine.size());
  for (std::vector<Rank>& ranks : found.parts) {
    if (order == RankOrder::AlongTree) {
      std::sort(ranks.begin(), ranks.end(),
                [&](Rank a, Rank b) { return machine.leaf_of(a) < machine.leaf_of(b); });
    }
    for (std::size_t p = 0; p < ranks.size(); ++p) {
      found.position_of[ranks[p]] = static_cast<Rank>(p);
    }
  }
  return found;
}

}  // namespace espalier::collective
