#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

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
  std::vector<OpId> first_op;                ///< of each rank, and one past the last op
  std::vector<Rank> rank_of;                 ///< of each op
  std::vector<Message> messages;             ///< by sender, receiver, tag
  std::vector<std::uint32_t> first_message;  ///< of each op: into message_ids
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

}  // namespace espalier::verify
