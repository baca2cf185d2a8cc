#include "model/machine_models.hpp"

#include <span>

namespace espalier::model {

MessageCost Levels::cost(Rank from, Rank to, Bytes size) const {
  const topology::Path path = machine_.path(from, to);
  const Time busy = machine_.costs(from).send.of(size) + transfer_time(size, path.bandwidth);
  const Time recv = machine_.costs(to).recv.of(size);
  return {busy, recv, busy + path.latency + recv};
}

MessageCost MachineHockney::cost(Rank from, Rank to, Bytes size) const {
  const topology::Path path = machine_.path(from, to);
  const Time all = machine_.costs(from).send.of(size) + path.latency +
                   transfer_time(size, path.bandwidth) + machine_.costs(to).recv.of(size);
  return {all, all, all};
}

MessageCost MachineLmo::cost(Rank from, Rank to, Bytes size) const {
  const topology::Path path = machine_.path(from, to);
  const Time send = machine_.costs(from).send.of(size);
  const Time recv = machine_.costs(to).recv.of(size);
  return {send, recv, send + path.latency + transfer_time(size, path.bandwidth) + recv};
}

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
