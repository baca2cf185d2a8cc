#include <algorithm>

#include "sim/recorder.hpp"

namespace espalier::sim {
namespace {

using schedule::OpKind;

CriticalStep::Kind kind_of(OpKind kind) {
  switch (kind) {
    case OpKind::Send:
      return CriticalStep::Kind::Send;
    case OpKind::Recv:
      return CriticalStep::Kind::Recv;
    case OpKind::Reduce:
      return CriticalStep::Kind::Reduce;
    case OpKind::Compute:
      return CriticalStep::Kind::Compute;
    case OpKind::Copy:
      break;
  }
  return CriticalStep::Kind::Copy;
}

/// Walks back in time. Each visit explains one moment, and names the earlier one to explain next.
class Walk {
 public:
  Walk(const TaskGraph& graph, const Recorder& notes, std::span<const Time> entered)
      : graph_(graph), notes_(notes), entered_(entered) {}

  std::vector<CriticalStep> from_end_of(Rank rank) {
    next_ = notes_.last_op[rank] == kNone ? Moment{What::Entry, rank}
                                          : Moment{What::OpEnd, notes_.last_op[rank]};
    while (next_.what != What::Beginning) visit(next_.id);
    std::reverse(steps_.begin(), steps_.end());
    return std::move(steps_);
  }

 private:
  enum class What { Beginning, Entry, OpReady, OpEnd, TaskEnd, Arrival };
  struct Moment {
    What what = What::Beginning;
    std::uint32_t id = 0;
  };

  void visit(std::uint32_t id) {
    switch (next_.what) {
      case What::Entry:
        next_ = {};
        if (entered_[id] > Time{0}) {
          add({CriticalStep::Kind::Late, id, kNoRank, 0, Time{0}, entered_[id], {}, kNoResource});
        }
        return;
      case What::OpReady:
        return op_ready(id);
      case What::OpEnd:
        return op_end(id);
      case What::TaskEnd:
        return task_end(id);
      case What::Arrival:
        return arrival(id);
      case What::Beginning:
        return;
    }
  }

  void op_ready(OpId op) {
    const OpId after = notes_.ops[op].after;
    next_ = after == kNone ? Moment{What::Entry, graph_.ops[op].rank} : Moment{What::OpEnd, after};
  }

  void op_end(OpId op) {
    const TaskId last = notes_.ops[op].last_task;
    if (last == kNone) return op_ready(op);  // a family without members
    next_ = {notes_.flows[last].ended_send ? What::Arrival : What::TaskEnd, last};
  }

  void task_end(TaskId task) {
    const Recorder::TaskNote& note = notes_.tasks[task];
    const OpId op = graph_.tasks[task].op;
    const OpKind kind = graph_.ops[op].kind;
    const Time posted = notes_.ops[op].ready;
    const TaskId message = kind == OpKind::Recv ? graph_.tasks[task].partner : kNone;
    const Time arrived = message == kNone ? Time{0} : notes_.flows[message].arrived;
    if (note.end > note.begin) {
      add({kind_of(kind),
           graph_.ops[op].rank,
           peer_of(task),
           op_of_rank(op),
           note.begin,
           note.end,
           {},
           kNoResource});
    }
    if (note.begin > std::max(posted, arrived)) {
      next_ = {What::TaskEnd, note.before};
    } else if (message != kNone && arrived >= posted) {
      next_ = {What::Arrival, message};
    } else {
      next_ = {What::OpReady, op};
    }
  }

  void arrival(TaskId send) {
    const Recorder::FlowNote& note = notes_.flows[send];
    const TaskId recv = graph_.tasks[send].partner;
    Time begin = notes_.tasks[send].end;
    next_ = {What::TaskEnd, send};
    if (note.behind != kNone) {
      begin = notes_.flows[note.behind].arrived;
      next_ = {What::Arrival, note.behind};
    } else if (note.awaited_recv) {
      begin = notes_.ops[graph_.tasks[recv].op].ready;
      next_ = {What::OpReady, graph_.tasks[recv].op};
    }
    const OpId op = graph_.tasks[send].op;
    if (note.arrived > begin) {
      add({CriticalStep::Kind::Transfer, graph_.ops[op].rank, peer_of(send), op_of_rank(op), begin,
           note.arrived, note.flows, note.slowed_by});
    }
  }

  [[nodiscard]] Rank peer_of(TaskId task) const {
    const TaskId partner = graph_.tasks[task].partner;
    return partner == kNone ? kNoRank : graph_.ops[graph_.tasks[partner].op].rank;
  }
  [[nodiscard]] std::uint32_t op_of_rank(OpId op) const {
    return op - graph_.first_op[graph_.ops[op].rank];
  }
  void add(const CriticalStep& step) { steps_.push_back(step); }

  const TaskGraph& graph_;
  const Recorder& notes_;
  std::span<const Time> entered_;
  Moment next_;
  std::vector<CriticalStep> steps_;
};

}  // namespace

std::vector<CriticalStep> critical_path(const TaskGraph& graph, const Recorder& notes, Rank rank,
                                        std::span<const Time> entered) {
  return Walk(graph, notes, entered).from_end_of(rank);
}

}  // namespace espalier::sim
