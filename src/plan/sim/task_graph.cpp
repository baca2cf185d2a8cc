#include "sim/task_graph.hpp"

#include "base/contract.hpp"
#include "sim/large_pages.hpp"

namespace espalier::sim {

using schedule::Op;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;

void TaskGraphBuilder::reserve(std::size_t ops) {
  reserve_in_large_pages(graph_.ops, ops + 1);
  reserve_in_large_pages(graph_.tasks, ops);
  reserve_in_large_pages(graph_.successors, ops);
  sends_.reserve(ops);
  recvs_.reserve(ops);
}

void TaskGraphBuilder::add(const Program& program) {
  const Rank rank = static_cast<Rank>(graph_.first_op.size());
  expects(program.rank == rank, "TaskGraphBuilder::add: programs must come in order of rank");
  const auto base = static_cast<OpId>(graph_.ops.size());
  const std::size_t count = program.ops.size();
  expects(base + count < kNone, "TaskGraphBuilder::add: too many ops");
  graph_.first_op.push_back(base);
  first_recv_.push_back(recvs_.size());

  // Who waits for whom, turned round: counted, then filled in.
  std::vector<std::uint32_t> fill(count + 1, 0);
  for (const std::uint32_t dep : program.deps) ++fill[dep];
  const auto first_edge = static_cast<std::uint32_t>(graph_.successors.size());
  std::uint32_t edge = first_edge;
  for (std::size_t i = 0; i < count; ++i) {
    const Op& op = program.ops[i];
    graph_.ops.push_back(
        {rank, static_cast<TaskId>(graph_.tasks.size()), edge, op.dep_count, 0, op.kind});
    edge += fill[i];
    fill[i] = edge - fill[i];
    add_tasks(program, op);
    graph_.ops.back().tasks_left =
        static_cast<std::uint32_t>(graph_.tasks.size()) - graph_.ops.back().first_task;
  }
  graph_.successors.resize(edge);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint32_t dep : program.deps_of(program.ops[i])) {
      graph_.successors[fill[dep]++] = base + static_cast<OpId>(i);
    }
  }
}

void TaskGraphBuilder::add_tasks(const Program& program, const Op& op) {
  const auto id = static_cast<OpId>(graph_.ops.size() - 1);
  const Region& region = op.kind == OpKind::Recv ? op.to : op.from;
  const std::uint64_t bytes = program.units(region) * element_.value;
  if (op.kind == OpKind::Compute) {
    graph_.tasks.push_back({static_cast<std::uint64_t>(op.takes.picoseconds), id});
    return;
  }
  if (op.kind == OpKind::Reduce || op.kind == OpKind::Copy) {
    graph_.tasks.push_back({bytes, id});
    return;
  }
  schedule::for_each_message(program, op, [&](Rank peer, const Region&) {
    const auto task = static_cast<TaskId>(graph_.tasks.size());
    expects(task != kNone, "TaskGraphBuilder::add: too many messages");
    graph_.tasks.push_back({bytes, id, kNone, peer});
    if (op.kind == OpKind::Send) {
      sends_.push_back({peer, op.tag, task});
    } else {
      recvs_.push_back({name_of_message(peer, op.tag), task});
    }
  });
}

TaskGraph TaskGraphBuilder::finish() && {
  graph_.first_op.push_back(static_cast<OpId>(graph_.ops.size()));
  first_recv_.push_back(recvs_.size());
  graph_.ops.push_back({0, static_cast<TaskId>(graph_.tasks.size()),
                        static_cast<std::uint32_t>(graph_.successors.size()), 0, 0, OpKind::Copy});
  match_messages(graph_, sends_, recvs_, first_recv_);
  return std::move(graph_);
}

}  // namespace espalier::sim
