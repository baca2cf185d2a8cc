#include "sim/recorder.hpp"

namespace espalier::sim {

using schedule::OpKind;

std::vector<MessageTrace> timeline(const TaskGraph& graph, const Recorder& notes) {
  std::vector<MessageTrace> messages;
  for (TaskId task = 0; task < graph.tasks.size(); ++task) {
    const TaskId recv = graph.tasks[task].partner;
    const OpId op = graph.tasks[task].op;
    if (graph.ops[op].kind != OpKind::Send || recv == kNone) continue;
    const OpId recv_op = graph.tasks[recv].op;
    const Recorder::FlowNote& flow = notes.flows[task];
    const Rank from = graph.ops[op].rank;
    const Rank to = graph.ops[recv_op].rank;
    messages.push_back({from, to, op - graph.first_op[from], recv_op - graph.first_op[to],
                        Bytes{flow.bytes}, flow.level, notes.tasks[task].begin,
                        notes.tasks[task].end, flow.flows, flow.arrived, notes.tasks[recv].begin,
                        notes.tasks[recv].end, flow.slowed_by});
  }
  return messages;
}

std::vector<StepTrace> local_steps(const TaskGraph& graph, const Recorder& notes) {
  std::vector<StepTrace> steps;
  for (TaskId task = 0; task < graph.tasks.size(); ++task) {
    const OpId op = graph.tasks[task].op;
    const OpNode& node = graph.ops[op];
    if (node.kind == OpKind::Send || node.kind == OpKind::Recv) continue;
    steps.push_back({node.rank, op - graph.first_op[node.rank], node.kind, notes.tasks[task].begin,
                     notes.tasks[task].end});
  }
  return steps;
}

}  // namespace espalier::sim
