#pragma once

#include <vector>

#include "sim/result.hpp"
#include "sim/task_graph.hpp"

namespace espalier::sim {

/// What happened when and why: the engine's notes, if SimOptions::trace asks for them.
struct Recorder {
  /// A processor's part.
  struct TaskNote {
    Time begin = kForever;
    Time end = kForever;
    TaskId before = kNone;  ///< task that the processor did just before
  };
  struct OpNote {
    Time ready = kForever;
    Time end = kForever;
    OpId after = kNone;        ///< last op that it waited for
    TaskId last_task = kNone;  ///< task whose end ended the op
  };
  /// A message, by the task of its Send.
  struct FlowNote {
    Time flows = kForever;
    Time arrived = kForever;
    TaskId behind = kNone;      ///< earlier message of the connection that it waited for
    bool awaited_recv = false;  ///< the Recv was posted after the message was ready to go
    bool ended_send = false;    ///< rendezvous: the Send ended when the message arrived
    std::uint32_t level = 0;
    std::uint64_t bytes = 0;
    ResourceId slowed_by = kNoResource;
  };

  std::vector<TaskNote> tasks;
  std::vector<OpNote> ops;
  std::vector<FlowNote> flows;
  std::vector<OpId> last_op;        ///< [rank] op that ended last
  std::vector<TaskId> last_served;  ///< [rank] task that its processor did last

  explicit Recorder(const TaskGraph& graph)
      : tasks(graph.tasks.size()),
        ops(graph.ops.size()),
        flows(graph.tasks.size()),
        last_op(graph.ranks(), kNone),
        last_served(graph.ranks(), kNone) {}
};

/// The messages of a run, by sender, then in program order.
[[nodiscard]] std::vector<MessageTrace> timeline(const TaskGraph& graph, const Recorder& notes);

/// The Reduces, Copies and Computes of a run, by rank, then in program order.
[[nodiscard]] std::vector<StepTrace> local_steps(const TaskGraph& graph, const Recorder& notes);

/// The steps that decided when `rank` ended: from its end back to the beginning, always to what was
/// waited for last.
/// @param entered when each rank entered the call
[[nodiscard]] std::vector<CriticalStep> critical_path(const TaskGraph& graph, const Recorder& notes,
                                                      Rank rank, std::span<const Time> entered);

}  // namespace espalier::sim
