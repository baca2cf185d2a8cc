#include <algorithm>

#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"

namespace espalier::bound {

using schedule::Collective;
using topology::Machine;

void look_at_processors(const Machine& machine, const Collective& call, const Passages& passages,
                        const Propose& propose) {
  if (call.size < 2) return;
  const Reach& reach = passages.reach();
  Crossings crossings(call);
  for (Rank rank = 0; rank < call.size; ++rank) {
    const Crossing need = crossings.of({&rank, 1});
    const Bytes out{need.out * call.element.value};
    const Bytes in{need.in * call.element.value};
    const topology::NodeCosts& costs = machine.costs(rank);
    Witness witness;
    witness.kind = Witness::Kind::Processor;
    witness.part_is_leaf = true;
    witness.part = machine.leaf_of(rank);
    witness.rank = rank;
    const auto look = [&](Witness::Direction direction, Time before, Time busy, Time after) {
      witness.direction = direction;
      witness.bytes = direction == Witness::Direction::In ? Bytes{0} : out;
      witness.bytes_in = direction == Witness::Direction::Out ? Bytes{0} : in;
      witness.before = before;
      witness.after = after;
      propose(before + busy + after, witness);
    };
    using enum Witness::Direction;
    if (out.value > 0)
      look(Out, reach.earliest[rank], costs.send.of(out), passages.soonest_end(rank));
    if (in.value > 0) look(In, passages.soonest_in(rank), costs.recv.of(in), reach.remaining[rank]);
    if (out.value > 0 && in.value > 0) {
      look(Both, Time{0}, costs.send.of(out) + costs.recv.of(in), Time{0});
    }
  }
}

namespace {

/// How soon a message can have come to anybody.
Time first_message(const Machine& machine, const Distances& distances) {
  std::vector<Time> send(machine.size()), recv(machine.size());
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    send[rank] = machine.costs(rank).send.fixed;
    recv[rank] = machine.costs(rank).recv.fixed;
  }
  const Nearest senders = distances.nearest(send);
  const Nearest receivers = distances.nearest(recv);
  Time least = kForever;
  for (topology::Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    least = std::min(least, least_across(senders, receivers, {true, leaf}));
  }
  return least;
}

}  // namespace

void look_at_combining(const Machine& machine, const Collective& call, const Distances* distances,
                       const Propose& propose) {
  const Bytes bytes{combinations(call) * call.element.value};
  if (bytes.value == 0) return;
  std::uint64_t speed = 0;
  for (Rank i = 0; i < call.size; ++i) {
    const Bandwidth own = machine.costs(i).reduce;
    if (own.unlimited() || __builtin_add_overflow(speed, own.bits_per_second, &speed)) return;
  }
  Witness witness;
  witness.kind = Witness::Kind::Combining;
  witness.bytes = bytes;
  witness.capacity = Bandwidth{speed};
  witness.before = distances != nullptr ? first_message(machine, *distances) : Time{0};
  propose(witness.before + transfer_time(bytes, witness.capacity), witness);
}

}  // namespace espalier::bound
