#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

// The checks that need no knowledge of the data, in the order in which verify() does them. What the
// data must be: goals.hpp.

/// Looks at every op by itself: ids, dependencies, peers and lengths that can be; slices within
/// their buffers; no write to In, no message to self, a reduction only where the operation has one.
///
/// Never spells a region out (that comes later, and only if there are at most `max_slices` of
/// them), so that a hostile file costs no more than its own length. After this the arithmetic of
/// regions cannot overflow.
void check_structure(const schedule::Schedule& schedule, std::uint64_t max_slices,
                     Findings& findings);

/// Counts the blocks of a v form: those of scratch, and those that ops read and write.
/// @pre check_structure found nothing
void check_blocks(const schedule::Schedule& schedule, std::uint64_t most_blocks,
                  Findings& findings);

/// An op of some rank; all ops of rank 0 come first, then those of rank 1, and so on.
using OpId = std::uint32_t;

struct Message {
  Rank from = 0;
  Rank to = 0;
  OpId send = 0;
  OpId recv = 0;
};

/// Which send meets which receive. Fixed by (sender, receiver, tag), so that no run of the plan can
/// pair them otherwise.
struct Traffic {
  std::vector<OpId> first_op;     ///< [rank] its first op; one more entry ends the last rank
  std::vector<Rank> rank_of;      ///< [OpId] rank that executes it
  std::vector<Message> messages;  ///< ordered by sender, receiver, tag
  std::vector<std::uint32_t> first_message;  ///< [OpId] index of its first message in message_ids
  std::vector<std::uint32_t> message_ids;

  [[nodiscard]] std::size_t ops() const { return rank_of.size(); }
  [[nodiscard]] std::uint32_t local(OpId op) const { return op - first_op[rank_of[op]]; }
  [[nodiscard]] const schedule::Op& op(const schedule::Schedule& schedule, OpId id) const {
    return schedule.programs[rank_of[id]].ops[local(id)];
  }
  [[nodiscard]] std::span<const std::uint32_t> messages_of(OpId op) const {
    return std::span(message_ids)
        .subspan(first_message[op], first_message[op + 1] - first_message[op]);
  }
};

/// Pairs sends and receives: each has exactly one partner, of the same number of units. Without a
/// whole pairing there is nothing more to look at. O(M log M) for M messages.
/// @pre check_structure found nothing
[[nodiscard]] std::optional<Traffic> match_messages(const schedule::Schedule& schedule,
                                                    Findings& findings);

/// What a message to or from `peer` reads or writes.
[[nodiscard]] schedule::Region region_of_message(const schedule::Op& op, Rank peer);

/// An op begins when all it waits for has ended. A copy or reduction then ends by itself; a send or
/// receive ends when all its messages are over.
struct OpEvent {
  OpId op = 0;
  bool end = false;
};

/// An order in which everything can happen when sends are synchronous: a message is over only after
/// both its ops have begun. If there is none, the ops of one cycle of waits are reported.
///
/// Who waits for what is fixed (Traffic), and more buffering only takes waits away; so if
/// there is such an order, no run of the plan can get stuck under any buffering, as long as every
/// op that may begin does begin. O(ops + dependencies + messages).
[[nodiscard]] std::optional<std::vector<OpEvent>> synchronous_order(
    const schedule::Schedule& schedule, const Traffic& traffic, Findings& findings);

/// Any two ops of a rank that share a unit, one of them writing it, must be ordered by the rank's
/// DAG, directly or through others: an op reads and writes at any time between its begin and its
/// end, a receive in flight writes, a send in flight reads. Within one op, what is written must
/// not overlap, with itself or with what is read from.
///
/// Only the rank's own dependencies count: an order that comes about through another rank's answer
/// is none, since a buffer may not be touched before its own request has ended.
///
/// One pass over the ops, each compared with the last writer of every stretch and its readers
/// since; those came after all writers before. O(slices log slices) where ops wait directly for
/// those they conflict with, else a search back through the DAG for each.
/// @pre check_structure found nothing
void check_races(const schedule::Program& program, Findings& findings);

/// No rank may leave a barrier before all have entered: what each rank's ops wait for must lead
/// back, over its own dependencies and over messages from their receives to their sends, to the
/// beginning of every rank. A send is taken to end at once, since a buffer may take it.
///
/// O((ops + dependencies + messages) * P / 64), and P bits of memory for each op.
/// @pre `order` is synchronous_order's
void check_barrier(const schedule::Schedule& schedule, const Traffic& traffic,
                   const std::vector<OpEvent>& order, Findings& findings);

}  // namespace espalier::verify
