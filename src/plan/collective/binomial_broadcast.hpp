#pragma once

#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", IJHPCA 19(1), 2005: the binomial tree, whose ranks pass the whole message on to one
/// child after the other, the one with most ranks below it first.
///
/// A long message that waits for its receiver then has the sender's link to itself: on equal links
/// of bandwidth B everybody has it after ceil(log2 P) (L + n/B), where a tree that serves all
/// children at once (tree_broadcast.hpp, without segments) has the root's first child wait for all
/// of them. Each child costs a latency more, so it is for near ones.
void binomial_broadcast(schedule::ProgramBuilder& program, const Participants& participants,
                        Rank root, const schedule::Region& region);

}  // namespace espalier::collective
