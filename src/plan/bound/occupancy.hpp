#pragma once

#include "bound/cuts.hpp"

namespace espalier::bound {

/// The processor of each rank does one thing at a time. What it must send keeps it busy for the
/// fixed cost of at least one message and for every byte, and cannot begin before it has something
/// to send; the last message is still to be carried and received. What it must receive cannot begin
/// before the first message can have come. A rank that must do both does them one after the other.
void look_at_processors(const topology::Machine& machine, const schedule::Collective& call,
                        const Reach& reach, const Propose& propose);

/// All ranks together combine no more than the sum of their speeds, none of them before a message
/// has come: each step combines contributions of at least two ranks.
void look_at_combining(const topology::Machine& machine, const schedule::Collective& call,
                       const Propose& propose);

}  // namespace espalier::bound
