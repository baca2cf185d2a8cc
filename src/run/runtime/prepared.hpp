#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedule/program.hpp"
#include "topology/machine.hpp"
#include "topology/transport.hpp"

namespace espalier::runtime {

/// One message of a program.
struct Message {
  std::uint32_t op = 0;
  std::uint32_t tag = 0;
  std::uint32_t lane = 0;
  schedule::Region region;
};

/// How another rank is reached.
struct PeerLink {
  std::uint32_t level = 0;  ///< level of the channel that joins the two ranks
  bool is_far = false;      ///< a handshake takes longer than sending a long message in parts
  /// Bytes that the link carries in a round trip: so many must be under way to keep it busy. 0: not
  /// far, or its bandwidth is unknown.
  std::uint64_t fills = 0;
};

[[nodiscard]] PeerLink link_along(const topology::Path& path);

/// All messages from this rank to another, or from another to this one.
struct Lane {
  Rank peer = 0;
  bool sends = false;
  PeerLink link;
  std::uint32_t first = 0;  ///< index of the first message in PreparedProgram::messages
  std::uint32_t count = 0;
};

/// Most steps of a program that runs one by one: one bit each.
inline constexpr std::size_t kMostSequentialSteps = 64;

/// A step of a program of few messages of plain slices, one peer each, in which every send waits
/// for all receives before it. Such steps can run one by one in the order of the program, since
/// waiting for a receive holds up no send. (A double tree is not so: its halves must not wait for
/// each other.)
struct SequentialStep {
  schedule::OpKind kind = schedule::OpKind::Copy;
  schedule::Buffer buffer = schedule::Buffer::In;  ///< a message's buffer; this and the members
                                                   ///< below are only for messages
  bool waits_for_send = false;
  std::uint32_t tag = 0;
  Rank peer = 0;
  std::uint32_t level = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// A program as an executor wants it: who waits for whom turned round, messages by lane.
struct PreparedProgram {
  schedule::Program program;
  std::vector<Lane> lanes;
  std::vector<Message> messages;
  std::vector<std::uint32_t> waits;          ///< how many ops each op waits for
  std::vector<std::uint32_t> message_count;  ///< how many messages each op has
  std::vector<std::uint32_t>
      first_dependent;  ///< where each op begins in `dependents`; one entry more at the end
  std::vector<std::uint32_t> dependents;
  std::vector<std::uint32_t> first_message;  ///< index of each op's first entry in `messages_of_op`
  std::vector<std::uint32_t> messages_of_op;  ///< indices into `messages`
  /// All of it, if it can run one by one; else empty.
  std::vector<SequentialStep> steps;
  std::uint64_t longest = 0;  ///< units of the longest slice that is sent or received
  std::uint32_t levels = 0;   ///< levels that its messages may cross, counted from the outermost
  bool goes_far = false;      ///< some lane is far

  [[nodiscard]] std::span<const std::uint32_t> dependents_of(std::uint32_t op) const {
    return std::span(dependents)
        .subspan(first_dependent[op], first_dependent[op + 1] - first_dependent[op]);
  }
  [[nodiscard]] std::span<const std::uint32_t> messages_of(std::uint32_t op) const {
    return std::span(messages_of_op)
        .subspan(first_message[op], first_message[op + 1] - first_message[op]);
  }
};

/// @param link_to a rank; called once for each lane
[[nodiscard]] PreparedProgram prepare(schedule::Program program,
                                      const std::function<PeerLink(Rank)>& link_to);

/// How many bytes of a message go into one of MPI's: far away as many as go without a handshake,
/// unless the message is so long that it does not matter. The same at both ends.
[[nodiscard]] inline std::uint64_t bytes_in_one(const PeerLink& link, std::uint64_t message,
                                                std::uint64_t most) {
  constexpr std::uint64_t kParts = 256;
  return link.is_far && message <= kParts * topology::kTransport.part_bytes
             ? topology::kTransport.part_bytes
             : most;
}

/// The same program for calls with `to` units a block instead of `from`: all that is counted in
/// units grows by one factor. O(steps), without a new program.
/// @pre it cuts no block: every offset, stride and length is a multiple of `from`
void rescale(PreparedProgram& prepared, std::uint64_t from, std::uint64_t to);

}  // namespace espalier::runtime
