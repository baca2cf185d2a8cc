#include "collective/multicast.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "topology/views.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Op;
using schedule::Operation;
using schedule::OpKind;
using schedule::Program;

namespace {

Rank position_of(const Multicast& multicast, Rank rank) {
  const auto it = std::find(multicast.members.begin(), multicast.members.end(), rank);
  return it == multicast.members.end() ? kNoRank
                                       : static_cast<Rank>(it - multicast.members.begin());
}

Collective call_of(const Multicast& multicast) {
  Collective call;
  call.operation = Operation::Broadcast;
  call.size = static_cast<Rank>(multicast.members.size());
  call.root = position_of(multicast, multicast.root);
  call.count = multicast.count;
  call.element = multicast.element;
  expects(call.root != kNoRank, "multicast: the root is no member");
  return call;
}

/// The levels that are left when the deepest clusters have no members.
MultilevelChoice choice_for(MultilevelChoice choice, const topology::Machine& machine,
                            const topology::Machine& part) {
  expects(choice.levels.size() == machine.levels().size(),
          "multicast: not one choice for each level");
  choice.levels.resize(part.levels().size());
  return choice;
}

}  // namespace

Program multicast_program(const topology::Machine& machine, const MultilevelChoice& choice,
                          const Multicast& multicast, Rank rank) {
  const Collective call = call_of(multicast);
  const Rank position = position_of(multicast, rank);
  if (position == kNoRank) {
    Program nothing;
    nothing.rank = rank;
    return nothing;
  }
  const topology::Machine part = topology::submachine(machine, multicast.members);
  Program program =
      multilevel_program(Hierarchy(part), choice_for(choice, machine, part), call, position);
  program.rank = rank;
  for (Op& op : program.ops) {
    if (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) continue;
    expects(op.peer != kNoRank, "multicast: a broadcast's messages have one peer each");
    op.peer = multicast.members[op.peer];
  }
  return program;
}

schedule::Schedule multicast_schedule(const topology::Machine& machine,
                                      const MultilevelChoice& choice, const Multicast& multicast) {
  const Collective call = call_of(multicast);
  const topology::Machine part = topology::submachine(machine, multicast.members);
  const Hierarchy hierarchy(part);
  const MultilevelChoice here = choice_for(choice, machine, part);
  schedule::Schedule schedule{call, "multicast", {}};
  for (Rank r = 0; r < call.size; ++r) {
    schedule.programs.push_back(multilevel_program(hierarchy, here, call, r));
  }
  return schedule;
}

}  // namespace espalier::collective
