#pragma once

#include <functional>

#include "bound/lower_bound.hpp"
#include "bound/ways.hpp"

namespace espalier::bound {

/// What bounds are shown to, one after the other.
using Propose = std::function<void(Time, const Witness&)>;

/// The border of every part of the machine: so many bytes must pass (needs.hpp), through what lets
/// no more than its capacity through. None flows before a rank that can have them has paid for
/// sending and the latency is over (`before`); when the last has arrived it is still to be
/// received, and its way to its end is still to be gone (`after`). All b bytes have passed in
/// between, so no plan takes less than before + b / capacity + after. Where in and out are not
/// known apart, b is what passes both ways together and the capacity that of both.
///
/// What they pass: the uplink of the part; or its flows: messages from one rank to another follow
/// each other, so each ordered pair of ranks carries no more than the cap of the channel where they
/// meet, and the border no more than all its pairs together.
void look_at_borders(const topology::Machine& machine, const schedule::Collective& call,
                     const Reach& reach, const Propose& propose);

/// Unions: some members of a cluster whose members have direct links of their own. What leaves them
/// passes the link of one of them to another member, or leaves the cluster by its uplink: no more
/// than the sum of these. (Without such links a union gives nothing: what passes its border passes
/// that of one of its members, which has less to let through than all together.) Every union is
/// looked at in clusters of up to kUnionsUpTo members, single members in larger ones.
void look_at_unions(const topology::Machine& machine, const schedule::Collective& call,
                    const Reach& reach, const Propose& propose);
inline constexpr std::uint32_t kUnionsUpTo = 10;

/// Backbones: all that enters, leaves or crosses a cluster C crosses its backbone once. Let I go
/// from member to member and E_in, E_out in and out of C. What enters the members is I + E_in, so
/// I + E_in + E_out is at least what must enter them plus what must leave C; the same with in and
/// out exchanged; and half of what must pass the members' borders and C's either way.
void look_at_backbones(const topology::Machine& machine, const schedule::Collective& call,
                       const Reach& reach, const Propose& propose);

}  // namespace espalier::bound
