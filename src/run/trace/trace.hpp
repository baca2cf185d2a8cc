#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::trace {

/// Nanoseconds since the trace began, by the clock of rank 0.
using Nanoseconds = std::int64_t;
/// What was not seen.
inline constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

/// One message of a plan, as both its ends saw it. Several MPI messages may carry it: it begins
/// with the first and ends with the last.
struct Message {
  Rank from = 0;  ///< ranks of the communicator
  Rank to = 0;
  std::uint32_t tag = 0;  ///< tag in the plan; one for each ordered pair of ranks
  std::uint64_t bytes = 0;
  Nanoseconds send_begin = kNever;  ///< the send was handed to MPI
  Nanoseconds send_end = kNever;    ///< MPI said that it is complete
  Nanoseconds recv_begin = kNever;  ///< the receive was handed to MPI
  Nanoseconds recv_end = kNever;
  friend bool operator==(const Message&, const Message&) = default;
};

/// A plan that calls ran along.
struct Plan {
  schedule::Collective call;
  bool irregular = false;  ///< blocks of lengths that not all ranks know; call.count means nothing
  std::string name;
  std::optional<Time> predicted;
  std::vector<std::uint64_t> programs;  ///< hash of each rank's program; 0: it has none
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// One planned call that all its ranks took down.
struct Call {
  std::uint32_t communicator = 0;  ///< index into Trace::communicators
  std::uint32_t plan = 0;          ///< index into Trace::plans
  std::uint64_t number = 0;        ///< number among the planned calls on this communicator
  std::vector<Nanoseconds> begin;  ///< [rank] it entered the call
  std::vector<Nanoseconds> end;    ///< [rank] it left the call
  std::vector<Message> messages;   ///< ordered by sender, receiver, tag
  friend bool operator==(const Call&, const Call&) = default;
};

struct Communicator {
  std::string name;
  std::vector<Rank> members;  ///< ranks of MPI_COMM_WORLD
  std::string machine;        ///< the machine of its plans, as JSON
  friend bool operator==(const Communicator&, const Communicator&) = default;
};

/// How the clocks of several hosts were brought together.
struct Clocks {
  std::uint32_t kernels = 1;  ///< 1: all processes read the same clock
  Nanoseconds residual = 0;   ///< times of different kernels may be off by this much
  friend bool operator==(const Clocks&, const Clocks&) = default;
};

/// What was seen of the planned calls of one run.
struct Trace {
  std::string program;
  std::vector<std::string> hosts;  ///< [rank of MPI_COMM_WORLD]
  Clocks clocks;
  std::uint64_t dropped = 0;  ///< calls that are not here: the memory for them was used up
  std::vector<Communicator> communicators;
  std::vector<Plan> plans;
  std::vector<Call> calls;  ///< calls in the order of their first entry
  /// Calls of rank 0 that were left to the MPI library; absent: not known.
  std::optional<std::uint64_t> native = {};
  /// Planned calls of rank 0 that are not here: those that do not block.
  std::uint64_t untraced = 0;
  friend bool operator==(const Trace&, const Trace&) = default;

  [[nodiscard]] Rank size() const { return static_cast<Rank>(hosts.size()); }
};

/// When the first rank entered the call, and when the last left it.
[[nodiscard]] Nanoseconds begin_of(const Call& call);
[[nodiscard]] Nanoseconds end_of(const Call& call);

}  // namespace espalier::trace
