#pragma once

#include <optional>

#include "sim/block_lengths.hpp"
#include "sim/bottleneck_clocks.hpp"
#include "sim/budget.hpp"
#include "sim/event_queue.hpp"
#include "sim/fair_shares.hpp"
#include "sim/options.hpp"
#include "sim/recorder.hpp"
#include "sim/result.hpp"
#include "sim/task_graph.hpp"
#include "topology/machine.hpp"

namespace espalier::sim {

/// Runs a task graph on a machine, event by event. One run an engine.
///
/// A rank's processor does one task at a time, of those that are ready always the first in program
/// order. The network carries messages meanwhile. docs/simulation.md has the whole story.
class Engine {
 public:
  /// @param lengths of the blocks of an irregular call; else nullptr
  Engine(TaskGraph graph, const topology::Machine& machine, const SimOptions& options,
         BlockLengths* lengths);
  /// Nothing if that takes more looks at flows than are left; messages are not counted here.
  [[nodiscard]] std::optional<SimResult> run(Budget& budget);

 private:
  /// What is known of a message, kept at its Recv's task but for the last.
  enum State : std::uint8_t {
    kPosted = 1,  // the receiver is ready for the message
    kAsked = 2,   // rendezvous: the sender is ready
    kArrived = 4,
    kInParts = 8,  // at a Send's task: see in_parts()
  };
  struct Processor {
    TaskId first = kNone;  // ready task with the lowest number
    TaskId running = kNone;
    std::uint32_t ops_left = 0;
    const topology::NodeCosts* costs = nullptr;
    std::vector<TaskId> others;  // further ready tasks: heap, least first; mostly empty

    void add_ready(TaskId task);
    void drop_first();
  };
  // Lanes of the event queue; the others are for the levels, whose latencies differ.
  static constexpr std::size_t kSendLane = 0;
  static constexpr std::size_t kServiceLane = 1;
  static constexpr std::size_t kArrivalLane = 2;
  static constexpr std::size_t kFirstLevelLane = 3;
  [[nodiscard]] std::size_t level_lane() const {
    return kFirstLevelLane + route_.level % (EventQueue::kLanes - kFirstLevelLane);
  }
  /// Messages of one ordered pair of ranks.
  struct Connection {
    TaskId flowing = kNone;
    TaskId last = kNone;  // last message that waits behind `flowing`
  };

  // engine.cpp: processors
  void handle(const EventQueue::Event& event);
  void enter(Rank rank);
  void make_ready(OpId op);
  void post(TaskId recv);
  void serve(Rank rank);
  void end_service(TaskId task);
  void end_task(TaskId task);
  void end_op(OpId op);
  [[nodiscard]] Time cost(const Processor& processor, TaskId task);
  void weigh(TaskId task);

  // carriage.cpp: messages
  void hand_over(TaskId send);
  void agree(TaskId send);
  void set_out(TaskId send, Time at);
  void flow(TaskId send);
  void carry(TaskId send);
  void arrive(TaskId send, ResourceId slowed_by);
  void count(TaskId send);
  /// Weight of the message whose route is route_.
  [[nodiscard]] std::uint32_t weight() const;
  [[nodiscard]] bool eager(TaskId send) const {
    return size_of(send) < options_.eager_limit.value && !in_parts(send);
  }
  /// Under SimOptions::one_at_a_time: this is one of several messages to the same rank.
  [[nodiscard]] bool in_parts(TaskId send) const {
    return (graph_.tasks[send].state & kInParts) != 0;
  }
  [[nodiscard]] bool is_called_up(TaskId send) const {
    return in_parts(send) && connections_[graph_.tasks[send].connection].flowing == send;
  }
  [[nodiscard]] bool waits_its_turn(TaskId send);
  /// Bytes on the wire: payload and header.
  [[nodiscard]] std::uint64_t size_of(TaskId send) const {
    return graph_.tasks[send].bytes + options_.header.value;
  }
  [[nodiscard]] Rank rank_of(TaskId task) const { return graph_.ops[graph_.tasks[task].op].rank; }
  /// Sets route_ to the route of the message.
  void find_route(TaskId send) {
    network_.find_route(rank_of(send), graph_.tasks[send].peer, route_);
  }
  [[nodiscard]] bool queues() const {
    return exact_ && options_.ordered_pairs && !options_.one_at_a_time;
  }
  void mark_parts();

  void collect();

  TaskGraph graph_;
  const topology::Machine& machine_;
  const SimOptions& options_;
  BlockLengths* lengths_;
  Network network_;
  bool exact_;

  Time now_;
  EventQueue events_;
  FairShares shares_;
  BottleneckClocks clocks_;
  std::vector<Processor> processors_;
  std::vector<Time> asked_;  // [task of the Send] when a rendezvous message asked for its Recv
  std::vector<Connection> connections_;
  Route route_;
  SimResult result_;
  std::optional<Recorder> notes_;
};

}  // namespace espalier::sim
