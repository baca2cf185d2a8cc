#include <algorithm>

#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"

namespace espalier::bound {

using schedule::Collective;
using topology::Machine;

void look_at_processors(const Machine& machine, const Collective& call, const Reach& reach,
                        const Propose& propose) {
  if (call.size < 2) return;
  for (Rank rank = 0; rank < call.size; ++rank) {
    std::vector<bool> inside(call.size, false);
    inside[rank] = true;
    const Crossing need = crossing(call, inside);
    const Bytes out{need.out * call.element.value};
    const Bytes in{need.in * call.element.value};
    const bool ways = call.size <= kWaysUpTo;
    Time soonest_in = ways ? kForever : Time{0};
    Time soonest_end = soonest_in;
    for (Rank other = 0; other < call.size && ways; ++other) {
      if (other == rank) continue;
      soonest_in = std::min(soonest_in, reach.earliest[other] + machine.costs(other).send.fixed +
                                            machine.path(other, rank).latency);
      soonest_end =
          std::min(soonest_end, machine.path(rank, other).latency +
                                    machine.costs(other).recv.fixed + reach.remaining[other]);
    }
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
    if (out.value > 0) look(Out, reach.earliest[rank], costs.send.of(out), soonest_end);
    if (in.value > 0) look(In, soonest_in, costs.recv.of(in), reach.remaining[rank]);
    if (out.value > 0 && in.value > 0) {
      look(Both, Time{0}, costs.send.of(out) + costs.recv.of(in), Time{0});
    }
  }
}

void look_at_combining(const Machine& machine, const Collective& call, const Propose& propose) {
  const Bytes bytes{combinations(call) * call.element.value};
  if (bytes.value == 0) return;
  std::uint64_t speed = 0;
  Time before = kForever;
  for (Rank i = 0; i < call.size; ++i) {
    const Bandwidth own = machine.costs(i).reduce;
    if (own.unlimited() || __builtin_add_overflow(speed, own.bits_per_second, &speed)) return;
    for (Rank j = 0; j < call.size && call.size <= kWaysUpTo; ++j) {
      if (i != j) before = std::min(before, hop(machine, i, j));
    }
  }
  Witness witness;
  witness.kind = Witness::Kind::Combining;
  witness.bytes = bytes;
  witness.capacity = Bandwidth{speed};
  witness.before = call.size <= kWaysUpTo ? before : Time{0};
  propose(witness.before + transfer_time(bytes, witness.capacity), witness);
}

}  // namespace espalier::bound
