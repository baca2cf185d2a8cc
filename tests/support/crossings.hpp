#pragma once

#include <map>
#include <utility>

#include "schedule/schedule.hpp"
#include "topology/machine.hpp"

namespace espalier::testing_support {

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t units = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
  return out << traffic.messages << " messages, " << traffic.units << " units";
}

/// The innermost cluster in which two ranks are: whose channel a message between them crosses.
inline topology::ClusterId joining(const topology::Machine& machine, Rank a, Rank b) {
  const auto clusters = machine.clusters();
  topology::ClusterId x = machine.cluster_of(machine.leaf_of(a));
  topology::ClusterId y = machine.cluster_of(machine.leaf_of(b));
  while (x != y) {
    topology::ClusterId& deeper = clusters[x].depth >= clusters[y].depth ? x : y;
    deeper = clusters[deeper].parent;
  }
  return x;
}

/// What crosses the channel of each cluster.
inline std::map<topology::ClusterId, Traffic> traffic_of(const topology::Machine& machine,
                                                         const schedule::Schedule& plan) {
  std::map<topology::ClusterId, Traffic> found;
  for (const schedule::Program& program : plan.programs) {
    for (const schedule::Op& op : program.ops) {
      if (op.kind != schedule::OpKind::Send) continue;
      for_each_message(program, op, [&](Rank peer, const schedule::Region& region) {
        Traffic& here = found[joining(machine, program.rank, peer)];
        ++here.messages;
        here.units += program.units(region);
      });
    }
  }
  return found;
}

}  // namespace espalier::testing_support
