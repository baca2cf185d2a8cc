#pragma once

// Inside of Replayer: processes in replay.cpp, messages in replay_carriage.cpp.
#include <functional>
#include <queue>

#include "map/replay.hpp"
#include "sim/bottleneck_clocks.hpp"
#include "sim/fair_shares.hpp"
#include "sim/network.hpp"

namespace espalier::map {

struct Replayer::State {
  State(const Problem& p, const ReadyTrace& t, sim::Sharing s);

  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  /// An event: a process goes on, or a message reaches the links of its path. Events are handled in
  /// the order of time, since links serve what comes first; a message on a long path may come later
  /// than one that set out after it on a short path.
  struct Turn {
    Time at;
    Rank process = 0;  ///< the process that goes on, or the sender of `message`
    /// The message that reaches its links; kNothing: the process goes on.
    std::uint32_t message = kNothing;
    friend bool operator>(const Turn& a, const Turn& b) {
      if (a.at != b.at) return a.at > b.at;
      if (a.process != b.process) return a.process > b.process;
      return a.message > b.message;
    }
  };
  /// Numbered channel by channel, in the order of sending.
  struct MessageState {
    Time arrived = kForever;
    Time asked;  ///< long messages only: when the sender was ready
    std::uint64_t bytes = 0;
    std::uint32_t next_long = kNothing;  ///< next long message of the same channel
  };
  struct ChannelState {
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    std::uint32_t posted = 0;             ///< receives posted for long messages
    std::uint32_t begun = 0;              ///< long messages that have set out
    std::uint32_t next_begin = kNothing;  ///< first long message that has not set out
    std::uint32_t last_long = kNothing;
    std::uint32_t next_await = kNothing;  ///< first long message whose end nobody waited for
    bool awaited_all = true;              ///< next_await is the message after last_long
  };

  void run_all();

  // replay.cpp: processes
  void begin(const Placement& placement);
  /// Runs a process until it waits or is done.
  void run(Rank process);
  /// False if it has to wait.
  bool step(Rank process, const ReadyTrace::Step& step);
  bool receive(Rank process, const ReadyTrace::Step& step);
  bool await_send(Rank process, std::uint32_t channel);
  void compute(Rank process, std::uint64_t amount);

  // replay_carriage.cpp: messages
  void send(Rank process, const ReadyTrace::Step& step);
  void post(Rank process, std::uint32_t channel);
  void ask(std::uint32_t channel, std::uint32_t message);
  /// Lets the first waiting long message of the channel set out.
  void begin_next(std::uint32_t channel, Time ready);
  void set_out(std::uint32_t channel, std::uint32_t message, Time at);
  /// A message has reached the links of its path.
  void carry(const Turn& turn);
  /// The message arrives at `arrived`; wakes the process that waits for it.
  void deliver(std::uint32_t message, Time arrived);
  /// If all processes wait for each other, lets the long messages set out; if there are none, all
  /// of them pass over the receives that they wait in. @return whether anything goes on
  bool break_circle();
  bool pass_over_receives();

  const Problem& problem;
  const ReadyTrace& trace;
  sim::Sharing sharing;
  sim::Network network;
  std::vector<sim::Route> routes;         ///< route of each channel
  std::vector<std::uint32_t> channel_of;  ///< channel of each message
  std::vector<MessageState> messages;
  std::vector<Time> posts;  ///< times of posted receives of long messages, channel by channel
  std::vector<ChannelState> channels;
  /// Channel that each process wants to receive from, or kNothing.
  std::vector<std::uint32_t> waits_for;
  /// Message whose end each process waits for, or kNothing.
  std::vector<std::uint32_t> waits_for_sent;
  std::vector<std::uint64_t> next;
  std::vector<Time> clock;
  std::vector<Time> kept;
  std::vector<const topology::NodeCosts*> costs;
  std::vector<std::uint64_t> speed;
  Time now;
  std::unique_ptr<sim::BottleneckClocks> links;
  std::unique_ptr<sim::FairShares> shares;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
};

}  // namespace espalier::map
