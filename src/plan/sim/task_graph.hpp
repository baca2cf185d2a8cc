#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::sim {

using TaskId = std::uint32_t;
using OpId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// One thing that a processor does: a message's sending or receiving, a Reduce, a Copy or a
/// Compute. Half a line of the cache: what happens to a message touches its two tasks and little
/// else.
struct Task {
  std::uint64_t bytes = 0;  ///< payload; of irregular calls not known before it runs. Of a Compute:
                            ///< picoseconds
  OpId op = 0;
  TaskId partner = kNone;        ///< the other end of the message; kNone if there is none
  Rank peer = kNoRank;           ///< rank at the other end of the message
  std::uint32_t connection = 0;  ///< Send: number of the ordered pair of ranks
  TaskId next = kNone;     ///< Send, while running: task that waits behind it on the connection
  std::uint8_t state = 0;  ///< Recv, while running: a state of the engine
};

struct OpNode {
  Rank rank = 0;
  TaskId first_task = 0;  ///< its tasks end where those of the next op begin
  std::uint32_t first_successor =
      0;                    ///< index into TaskGraph::successors; ends where the next op's begin
  std::uint32_t waits = 0;  ///< number of ops that must end before it begins
  std::uint32_t tasks_left = 0;  ///< number of its tasks that have not ended
  schedule::OpKind kind = schedule::OpKind::Copy;
};

/// A schedule spelled out, message by message, with every message's two ends found.
///
/// Tasks are numbered by rank, then in program order: the lower of two numbers goes first.
/// Memory: 32 bytes a task (two for each message), 24 an op.
struct TaskGraph {
  std::vector<Task> tasks;
  std::vector<OpNode> ops;  ///< one extra entry marks the end
  std::vector<OpId> successors;
  std::vector<OpId> first_op;  ///< [rank] one extra entry marks the end
  std::uint32_t connections = 0;
  std::uint64_t unmatched = 0;  ///< messages with one end only

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(first_op.size() - 1); }
  [[nodiscard]] TaskId tasks_end(OpId op) const { return ops[op + 1].first_task; }
  [[nodiscard]] std::span<const OpId> successors_of(OpId op) const {
    return std::span(successors)
        .subspan(ops[op].first_successor, ops[op + 1].first_successor - ops[op].first_successor);
  }
};

/// One end of a message among those of one receiver.
struct MessageEnd {
  std::uint64_t name = 0;  ///< name_of_message(sender, tag)
  TaskId task = 0;
};
constexpr std::uint64_t name_of_message(Rank sender, std::uint32_t tag) {
  return (std::uint64_t{sender} << 32) | tag;
}
struct SendEnd {
  Rank to = 0;
  std::uint32_t tag = 0;
  TaskId task = 0;
};

/// Finds the two ends of every message of the graph, and numbers the connections.
/// @pre sends in order of task; recvs of rank r are [first_recv[r], first_recv[r + 1])
void match_messages(TaskGraph& graph, std::span<const SendEnd> sends, std::span<MessageEnd> recvs,
                    std::span<const std::size_t> first_recv);

/// Takes the programs one by one, so that they need not all be there at a time.
///
/// Messages match by (sender, receiver, tag), the k-th Send of such a name with its k-th Recv.
class TaskGraphBuilder {
 public:
  /// @param element bytes of a unit; 0 where lengths are not known beforehand
  explicit TaskGraphBuilder(Bytes element) : element_(element) {}

  /// Reserves room for `ops` ops with one task each.
  void reserve(std::size_t ops);
  /// @pre of ranks 0, 1, ... in order
  void add(const schedule::Program& program);
  [[nodiscard]] TaskGraph finish() &&;

 private:
  void add_tasks(const schedule::Program& program, const schedule::Op& op);

  Bytes element_;
  TaskGraph graph_;
  std::vector<SendEnd> sends_;
  std::vector<MessageEnd> recvs_;        ///< ordered by receiver
  std::vector<std::size_t> first_recv_;  ///< [rank] index of its first entry in recvs_
};

}  // namespace espalier::sim
