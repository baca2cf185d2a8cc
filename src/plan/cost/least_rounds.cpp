#include "cost/least_rounds.hpp"

namespace espalier::cost {

Picos hop(const topology::Machine& machine, const LeastCosts& costs, Rank from, Rank to,
          double bytes, double senders) {
  const topology::Path path = machine.path(from, to);
  Picos per_byte = per_byte_of(path.bandwidth);
  if (senders > 1) {
    topology::ClusterId id = machine.cluster_of(machine.leaf_of(from));
    for (; machine.clusters()[id].depth > path.level; id = machine.clusters()[id].parent) {
      const topology::Cluster& left = machine.clusters()[id];
      const double flows = std::min<double>(senders, left.leaf_count);
      per_byte = std::max(per_byte, flows * per_byte_of(left.uplink.out));
    }
  }
  return costs.send(bytes) + static_cast<Picos>(path.latency.picoseconds) + bytes * per_byte +
         costs.recv(bytes);
}

}  // namespace espalier::cost
