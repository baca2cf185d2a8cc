// The engine's other half: what becomes of a message between the two processors.
#include <algorithm>

#include "sim/engine.hpp"
#include "sim/latency_weight.hpp"

namespace espalier::sim {

using Kind = EventQueue::Kind;

namespace {

/// The receiver's side has mostly not been looked at for long. Asking the memory for it an event
/// before it is needed is worth a fifth of all time.
void fetch_early(const void* what) { __builtin_prefetch(what, 1); }

}  // namespace

void Engine::mark_parts() {
  constexpr std::uint64_t kShortBytes = 2048;  // as the executor has it
  std::vector<std::uint32_t> messages(graph_.connections);
  std::vector<std::uint64_t> first(graph_.connections);
  const auto is_sent = [&](const Task& task) {
    return task.partner != kNone && graph_.ops[task.op].kind == schedule::OpKind::Send;
  };
  for (const Task& task : graph_.tasks) {
    if (is_sent(task) && messages[task.connection]++ == 0) first[task.connection] = task.bytes;
  }
  for (Task& task : graph_.tasks) {
    if (is_sent(task) && messages[task.connection] > 1 && first[task.connection] > kShortBytes) {
      task.state |= kInParts;
    }
  }
}

/// Behind what is under way to the same rank: arrive() calls it up.
bool Engine::waits_its_turn(TaskId send) {
  if (!in_parts(send)) return false;
  Connection& connection = connections_[graph_.tasks[send].connection];
  if (connection.flowing == kNone) {
    connection.flowing = connection.last = send;
    return false;
  }
  graph_.tasks[connection.last].next = send;
  connection.last = send;
  return true;
}

void Engine::hand_over(TaskId send) {
  const TaskId recv = graph_.tasks[send].partner;
  if (eager(send)) {
    if (recv != kNone) {
      find_route(send);
      set_out(send, now_);
    }
    return end_task(send);
  }
  if (recv == kNone) return;  // waits for ever
  if (asked_.empty()) asked_.resize(graph_.tasks.size());
  asked_[send] = now_;
  graph_.tasks[recv].state |= kAsked;
  if ((graph_.tasks[recv].state & kPosted) != 0) agree(send);
}

/// Rendezvous, when both sides are ready: the handshake. The first of its latencies brings the
/// sender's request, and may pass before the receiver is ready; the others follow then.
void Engine::agree(TaskId send) {
  find_route(send);
  const std::uint32_t trips =
      route_.level < options_.handshake.size() ? options_.handshake[route_.level] : 0;
  const Time asked = trips > 0 ? asked_[send] + route_.latency : asked_[send];
  if (notes_) {
    const OpId recv_op = graph_.tasks[graph_.tasks[send].partner].op;
    notes_->flows[send].awaited_recv = notes_->ops[recv_op].ready > asked;
    notes_->flows[send].ended_send = true;
  }
  const Time both = std::max(asked, now_);
  set_out(send, trips > 1 ? both + (trips - 1) * route_.latency : both);
}

/// @pre route_ is the message's
void Engine::set_out(TaskId send, Time at) {
  fetch_early(&graph_.tasks[graph_.tasks[send].partner]);
  if (route_.limited()) return events_.push(at + route_.latency, Kind::Flowing, send, level_lane());
  count(send);
  if (notes_) notes_->flows[send].flows = at + route_.latency;
  events_.push(at + route_.latency, Kind::Arrived, send, level_lane());
}

/// Its latency is over.
void Engine::flow(TaskId send) {
  if (!queues()) return carry(send);
  Connection& connection = connections_[graph_.tasks[send].connection];
  if (connection.flowing == kNone) {
    connection.flowing = connection.last = send;
    return carry(send);
  }
  if (notes_) notes_->flows[send].behind = connection.last;
  graph_.tasks[connection.last].next = send;
  connection.last = send;
}

void Engine::carry(TaskId send) {
  find_route(send);
  count(send);
  if (notes_) notes_->flows[send].flows = now_;
  fetch_early(&graph_.ops[graph_.tasks[graph_.tasks[send].partner].op]);
  const std::uint64_t bytes = size_of(send);
  if (!exact_) {
    const BottleneckClocks::Passage passage =
        clocks_.pass(now_, bytes, route_, graph_.tasks[send].connection, options_.ordered_pairs);
    if (notes_) notes_->flows[send].slowed_by = passage.slowed_by;
    return events_.push(passage.end, Kind::Arrived, send, kArrivalLane);
  }
  if (bytes == 0) return events_.push(now_, Kind::Arrived, send, kArrivalLane);
  shares_.begin(now_, send, bytes, route_, weight());
}

std::uint32_t Engine::weight() const {
  return options_.shares_by_latency ? latency_weight(route_, network_.longest_latency()) : 1;
}

void Engine::count(TaskId send) {
  const std::uint64_t bytes = size_of(send);
  ++result_.messages;
  LevelUse& level = result_.levels[route_.level];
  ++level.messages;
  level.bytes.value += bytes;
  for (const ResourceId r : route_.resources()) {
    ++result_.resources[r].messages;
    result_.resources[r].bytes.value += bytes;
  }
  if (!notes_) return;
  notes_->flows[send].level = route_.level;
  notes_->flows[send].bytes = bytes;
}

void Engine::arrive(TaskId send, ResourceId slowed_by) {
  const TaskId recv = graph_.tasks[send].partner;
  if (notes_) {
    notes_->flows[send].arrived = now_;
    notes_->flows[send].slowed_by = slowed_by;
  }
  if (queues()) {
    Connection& connection = connections_[graph_.tasks[send].connection];
    if (connection.flowing == send) {
      connection.flowing = graph_.tasks[send].next;
      if (connection.flowing != kNone) carry(connection.flowing);
    }
  }
  if (in_parts(send)) {
    Connection& connection = connections_[graph_.tasks[send].connection];
    connection.flowing = graph_.tasks[send].next;
    if (connection.flowing != kNone) processors_[rank_of(send)].add_ready(connection.flowing);
  }
  Task& task = graph_.tasks[recv];
  task.state |= kArrived;
  if ((task.state & kPosted) != 0) {
    const Rank receiver = graph_.tasks[send].peer;
    processors_[receiver].add_ready(recv);
    serve(receiver);
  }
  if (!eager(send)) {
    end_task(send);
    serve(rank_of(send));
  }
}

}  // namespace espalier::sim
