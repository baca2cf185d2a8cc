#include "model/alike.hpp"

#include <span>

namespace espalier::model {
namespace {

using topology::Leaf;
using topology::Machine;

/// The first of some leaves that is like this one, or itself.
Leaf first_alike(const Machine& machine, Leaf leaf, std::span<const Leaf> firsts) {
  for (const Leaf first : firsts) {
    if (machine.leaf_uplink(first) == machine.leaf_uplink(leaf) &&
        machine.leaf_costs(first) == machine.leaf_costs(leaf)) {
      return first;
    }
  }
  return leaf;
}

}  // namespace

std::vector<Rank> kinds_of(const Machine& machine) {
  std::vector<Rank> kinds(machine.size());
  for (const topology::Cluster& cluster : machine.clusters()) {
    std::vector<Leaf> firsts;
    for (const topology::Member& member : machine.members(cluster)) {
      if (!member.is_leaf) continue;
      // With pairs of their own, members have different distances.
      const Leaf first =
          cluster.pair_count > 0 ? member.id : first_alike(machine, member.id, firsts);
      if (first == member.id) firsts.push_back(first);
      kinds[machine.rank_at(member.id)] = machine.rank_at(first);
    }
  }
  return kinds;
}

}  // namespace espalier::model
