#include "sim/engine.hpp"

#include <algorithm>
#include <functional>

#include "base/contract.hpp"
#include "base/progress.hpp"

namespace espalier::sim {

using schedule::OpKind;
using Kind = EventQueue::Kind;

namespace {

Time skew_of(const SimOptions& options, Rank rank) {
  return options.skew.empty() ? Time{0} : options.skew[rank];
}

}  // namespace

Engine::Engine(TaskGraph graph, const topology::Machine& machine, const SimOptions& options,
               BlockLengths* lengths)
    : graph_(std::move(graph)),
      machine_(machine),
      options_(options),
      lengths_(lengths),
      network_(machine),
      exact_(options.sharing == Sharing::ExactMaxMin),
      shares_(network_.resources(), network_.longest_route(), options.shares_by_latency),
      clocks_(network_.resources(), exact_ ? 0 : graph_.connections),
      processors_(machine.size()),
      connections_(queues() || options.one_at_a_time ? graph_.connections : 0) {
  expects(graph_.ranks() == machine.size(), "simulate: not one program for each process");
  expects(options.skew.empty() || options.skew.size() == machine.size(),
          "simulate: not one skew for each process");
  result_.rank_finish.assign(machine.size(), kForever);
  result_.levels.resize(machine.levels().size() + 1);
  for (const Resource& r : network_.resources()) result_.resources.push_back({r, 0, {}, {}});
  for (Rank r = 0; r < machine.size(); ++r) {
    processors_[r].costs = &machine.costs(r);
    processors_[r].ops_left = graph_.first_op[r + 1] - graph_.first_op[r];
  }
  expects(!options.trace || !options.one_at_a_time, "simulate: no trace of one at a time");
  if (options.one_at_a_time) mark_parts();
  if (options.trace) notes_.emplace(graph_);
}

std::optional<SimResult> Engine::run(Budget& budget) {
  for (Rank r = 0; r < machine_.size(); ++r) {
    events_.push(skew_of(options_, r), Kind::Entered, r, kServiceLane);
  }
  std::uint64_t handled = 0;
  // Where Ctrl-C is remembered, it ends what has a budget as if that were used up.
  const bool may_end_early = budget.left() < Budget::unlimited().left();
  // A message has two tasks.
  std::uint64_t paid = Budget::kLooksIncluded * (graph_.tasks.size() / 2);
  for (;;) {
    if (exact_) {
      // Only when time moves on: what begins and ends at one moment is worked out once.
      if (shares_.changed() && std::min(events_.next(), shares_.next_end()) > now_) {
        shares_.settle(now_);
        if (shares_.looks() > paid) {
          if (!budget.take_looks(shares_.looks() - paid)) return std::nullopt;
          paid = shares_.looks();
        }
      }
      const Time end = shares_.next_end();
      if (end != kForever && end <= events_.next()) {
        now_ = end;
        const FairShares::Ended ended = shares_.end_first(now_);
        arrive(ended.owner, ended.slowed_by);
        continue;
      }
    }
    if (events_.next() == kForever) break;  // nothing more, or nothing that ever happens
    const EventQueue::Event event = events_.pop();
    now_ = event.at;
    handle(event);
    constexpr std::uint64_t kNowAndThen = 1U << 12U;
    if (++handled % kNowAndThen != 0) continue;
    note_progress(result_.messages);
    if (may_end_early && Interruptible::is_interrupted()) return std::nullopt;
  }
  collect();
  return std::move(result_);
}

void Engine::handle(const EventQueue::Event& event) {
  switch (event.kind()) {
    case Kind::Arrived:
      return arrive(event.id(), notes_ ? notes_->flows[event.id()].slowed_by : kNoResource);
    case Kind::Flowing:
      return flow(event.id());
    case Kind::Entered:
      return enter(event.id());
    case Kind::Served: {
      Processor& processor = processors_[event.id()];
      const TaskId task = processor.running;
      processor.running = kNone;
      end_service(task);
      return serve(event.id());
    }
  }
}

void Engine::enter(Rank rank) {
  if (processors_[rank].ops_left == 0) result_.rank_finish[rank] = now_;
  // First all, then one by one: an op without messages ends at once, and others with it.
  std::vector<OpId> free;
  for (OpId op = graph_.first_op[rank]; op < graph_.first_op[rank + 1]; ++op) {
    if (graph_.ops[op].waits == 0) free.push_back(op);
  }
  for (const OpId op : free) make_ready(op);
  serve(rank);
}

void Engine::make_ready(OpId op) {
  const TaskId first = graph_.ops[op].first_task;
  const TaskId end = graph_.tasks_end(op);
  if (notes_) notes_->ops[op].ready = now_;
  if (first == end) return end_op(op);
  if (graph_.ops[op].kind == OpKind::Recv) {
    for (TaskId task = first; task < end; ++task) post(task);
    return;
  }
  // The members of a family follow one by one.
  processors_[graph_.ops[op].rank].add_ready(first);
}

void Engine::post(TaskId recv) {
  Task& task = graph_.tasks[recv];
  task.state |= kPosted;
  if ((task.state & kAsked) != 0) agree(task.partner);
  if ((task.state & kArrived) != 0) processors_[rank_of(recv)].add_ready(recv);
}

void Engine::Processor::add_ready(TaskId task) {
  if (first == kNone) {
    first = task;
    return;
  }
  if (task < first) std::swap(task, first);
  others.push_back(task);
  std::push_heap(others.begin(), others.end(), std::greater<>());
}

void Engine::Processor::drop_first() {
  first = kNone;
  if (others.empty()) return;
  first = others.front();
  std::pop_heap(others.begin(), others.end(), std::greater<>());
  others.pop_back();
}

void Engine::serve(Rank rank) {
  Processor& processor = processors_[rank];
  while (processor.running == kNone && processor.first != kNone) {
    const TaskId task = processor.first;
    const OpId op = graph_.tasks[task].op;
    const bool is_send = graph_.ops[op].kind == OpKind::Send;
    const bool was_waiting = is_send && is_called_up(task);  // those after it went on meanwhile
    if (is_send && !was_waiting && task + 1 < graph_.tasks_end(op)) {
      processor.first = task + 1;  // still the least
    } else {
      processor.drop_first();
    }
    if (is_send && !was_waiting && waits_its_turn(task)) continue;
    if (lengths_ != nullptr) weigh(task);
    const Time takes = cost(processor, task);
    if (notes_) {
      notes_->tasks[task] = {now_, now_ + takes, notes_->last_served[rank]};
      notes_->last_served[rank] = task;
    }
    if (takes == Time{0}) {
      end_service(task);
    } else {
      // Who waits for it is looked up when it ends; by then the memory has answered.
      __builtin_prefetch(graph_.successors.data() + graph_.ops[op].first_successor);
      processor.running = task;
      events_.push(now_ + takes, Kind::Served, rank,
                   graph_.ops[op].kind == OpKind::Send ? kSendLane : kServiceLane);
    }
  }
}

/// Irregular calls: what a task moves is known when its turn comes.
void Engine::weigh(TaskId task) {
  const OpId op = graph_.tasks[task].op;
  const OpNode& node = graph_.ops[op];
  const std::uint32_t own_op = op - graph_.first_op[node.rank];
  if (node.kind == OpKind::Send) {
    graph_.tasks[task].bytes = lengths_->send(task, node.rank, own_op, task - node.first_task);
  } else if (node.kind == OpKind::Reduce || node.kind == OpKind::Copy) {
    graph_.tasks[task].bytes = lengths_->bytes_read(node.rank, own_op);
  }
}

Time Engine::cost(const Processor& processor, TaskId task) {
  const Task& t = graph_.tasks[task];
  switch (graph_.ops[t.op].kind) {
    case OpKind::Send:
      if (options_.free_rendezvous && size_of(task) >= options_.eager_limit.value) return Time{0};
      return processor.costs->send.of({size_of(task)});
    case OpKind::Recv:
      return processor.costs->recv.of({size_of(t.partner)});
    case OpKind::Reduce:
      return transfer_time({t.bytes}, processor.costs->reduce);
    case OpKind::Compute:
      return Time{static_cast<std::int64_t>(t.bytes)};
    case OpKind::Copy:
      break;
  }
  return transfer_time({t.bytes}, options_.copy);
}

/// The processor is done with it.
void Engine::end_service(TaskId task) {
  const OpId op = graph_.tasks[task].op;
  const OpNode& node = graph_.ops[op];
  if (node.kind == OpKind::Send) return hand_over(task);
  if (lengths_ != nullptr) {
    const std::uint32_t own_op = op - graph_.first_op[node.rank];
    if (node.kind == OpKind::Copy) lengths_->copy(node.rank, own_op);
    if (node.kind == OpKind::Recv) {
      lengths_->receive(graph_.tasks[task].partner, node.rank, own_op, task - node.first_task);
    }
  }
  end_task(task);
}

void Engine::end_task(TaskId task) {
  const OpId op = graph_.tasks[task].op;
  if (--graph_.ops[op].tasks_left != 0) return;
  if (notes_) notes_->ops[op].last_task = task;
  end_op(op);
}

void Engine::end_op(OpId op) {
  const Rank rank = graph_.ops[op].rank;
  if (notes_) {
    notes_->ops[op].end = now_;
    notes_->last_op[rank] = op;
  }
  if (--processors_[rank].ops_left == 0) result_.rank_finish[rank] = now_;
  for (const OpId next : graph_.successors_of(op)) {
    if (--graph_.ops[next].waits != 0) continue;
    if (notes_) notes_->ops[next].after = op;
    make_ready(next);
  }
}

void Engine::collect() {
  result_.finish = *std::max_element(result_.rank_finish.begin(), result_.rank_finish.end());
  result_.unmatched = graph_.unmatched;
  Time longest{0};
  for (ResourceId r = 0; r < result_.resources.size(); ++r) {
    ResourceUse& use = result_.resources[r];
    use.busy = exact_ ? shares_.busy(r) : clocks_.busy(r);
    const Time work = transfer_time(use.bytes, use.resource.capacity);
    if (work <= longest) continue;
    longest = work;
    result_.bottleneck = r;
  }
  if (!notes_) return;
  result_.timeline = timeline(graph_, *notes_);
  result_.steps = local_steps(graph_, *notes_);
  if (result_.finish == kForever) return;
  const auto last = std::max_element(result_.rank_finish.begin(), result_.rank_finish.end());
  std::vector<Time> entered(machine_.size());
  for (Rank r = 0; r < machine_.size(); ++r) entered[r] = skew_of(options_, r);
  result_.critical_path = critical_path(
      graph_, *notes_, static_cast<Rank>(last - result_.rank_finish.begin()), entered);
}

}  // namespace espalier::sim
