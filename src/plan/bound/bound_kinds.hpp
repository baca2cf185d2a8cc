#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "bound/lower_bound.hpp"
#include "bound/passages.hpp"

namespace espalier::bound {

// The kinds of bounds, each with its proof; lower_bound() takes the largest.

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
                     const Passages& passages, const Propose& propose);

/// Unions: some members of a cluster whose members have direct links of their own. What leaves them
/// passes the link of one of them to another member, or leaves the cluster by its uplink: no more
/// than the sum of these. (Without such links a union gives nothing: what passes its border passes
/// that of one of its members, which has less to let through than all together.) Every union is
/// looked at in clusters of up to kUnionsUpTo members, single members in larger ones.
void look_at_unions(const topology::Machine& machine, const schedule::Collective& call,
                    const Passages& passages, const Propose& propose);
inline constexpr std::uint32_t kUnionsUpTo = 10;

/// Backbones: all that enters, leaves or crosses a cluster C crosses its backbone once. Let I go
/// from member to member and E_in, E_out in and out of C. What enters the members is I + E_in, so
/// I + E_in + E_out is at least what must enter them plus what must leave C; the same with in and
/// out exchanged; and half of what must pass the members' borders and C's either way.
void look_at_backbones(const topology::Machine& machine, const schedule::Collective& call,
                       const Passages& passages, const Propose& propose);

/// The processor of each rank does one thing at a time. What it must send keeps it busy for the
/// fixed cost of at least one message and for every byte, and cannot begin before it has something
/// to send; the last message is still to be carried and received. What it must receive cannot begin
/// before the first message can have come. A rank that must do both does them one after the other.
void look_at_processors(const topology::Machine& machine, const schedule::Collective& call,
                        const Passages& passages, const Propose& propose);

/// All ranks together combine no more than the sum of their speeds, none of them before a message
/// has come: each step combines contributions of at least two ranks.
/// @param distances nullptr: nothing is known of how soon a message can come
void look_at_combining(const topology::Machine& machine, const schedule::Collective& call,
                       const Distances* distances, const Propose& propose);

/// How soon one rank can reach `others`, if every message keeps its sender busy for at least `send`
/// (the one itself: `own`), is under way for at least `latency`, and its receiver is busy for at
/// least `recv` before it can pass anything on.
///
/// A. Bar-Noy, S. Kipnis: "Designing broadcasting algorithms in the postal model for
/// message-passing systems", Mathematical Systems Theory 27, 1994; there all costs are equal.
/// Proof: make every cost of a plan as small as the least; it gets no slower. Now all ranks are
/// alike but for the one, so who has been reached only matters by number and time, and everybody
/// sending at every moment he can reaches the most. The k-th least of these arrivals is when the
/// k-th rank can have been reached at best.
class PostalFan {
 public:
  PostalFan(Time own, Time send, Time latency, Time recv);
  /// The time to reach so many others. Those of fewer are known then: O(others log others) for the
  /// largest number.
  [[nodiscard]] Time of(Rank others);

 private:
  /// When a sender may begin its next message, and what each costs it.
  struct Sender {
    Time at, cost;
    bool operator>(const Sender& other) const { return at + cost > other.at + other.cost; }
  };
  Time send_, latency_, recv_;
  std::priority_queue<Sender, std::vector<Sender>, std::greater<>> senders_;
  std::vector<Time> reached_;  ///< [n] when n others have been reached
};

/// The best of these bounds over all ranks of the call: by those that depend on a rank, and, with
/// time running backwards and recv for send, by those a rank depends on.
[[nodiscard]] LowerBound fan_bound(const topology::Machine& machine,
                                   const schedule::Collective& call, const Distances& distances);

}  // namespace espalier::bound
