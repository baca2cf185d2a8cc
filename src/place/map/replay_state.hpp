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

  /// A process goes on, or a message comes to the links of its way. All of them in the order of
  /// time: links serve what comes first, and a message over a long way comes later than one that
  /// set out after it over a short one.
  struct Turn {
    Time at;
    Rank process = 0;                  ///< who goes on, or sent it
    std::uint32_t message = kNothing;  ///< that comes
    friend bool operator>(const Turn& a, const Turn& b) {
      if (a.at != b.at) return a.at > b.at;
      if (a.process != b.process) return a.process > b.process;
      return a.message > b.message;
    }
  };
  /// Numbered channel by channel, in the order of sending.
  struct Message {
    Time arrived = kForever;
    Time asked;  ///< a long one: when its sender was ready
    std::uint64_t bytes = 0;
    std::uint32_t next_long = kNothing;  ///< of its channel
  };
  struct Channel {
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    std::uint32_t posted = 0;             ///< long ones
    std::uint32_t begun = 0;              ///< long ones that have set out
    std::uint32_t next_begin = kNothing;  ///< the first long one that has not
    std::uint32_t last_long = kNothing;
    std::uint32_t next_await = kNothing;  ///< the first long one whose end nobody waited for
    bool awaited_all = true;              ///< next_await is the one after last_long
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
  /// The first long message of the channel that waits sets out.
  void begin_next(std::uint32_t channel, Time ready);
  void set_out(std::uint32_t channel, std::uint32_t message, Time at);
  /// It has come to the links.
  void carry(const Turn& turn);
  /// It is there at `arrived`; wakes who waits for it.
  void deliver(std::uint32_t message, Time arrived);
  /// If all wait for each other: whether any long message could be set out.
  bool break_circle();

  const Problem& problem;
  const ReadyTrace& trace;
  sim::Sharing sharing;
  sim::Network network;
  std::vector<sim::Route> routes;         ///< of each channel
  std::vector<std::uint32_t> channel_of;  ///< of each message
  std::vector<Message> messages;
  std::vector<Time> posts;  ///< of each channel as many as messages
  std::vector<Channel> channels;
  std::vector<std::uint32_t> waits_for;       ///< a channel to receive from, or kNothing
  std::vector<std::uint32_t> waits_for_sent;  ///< a message, or kNothing
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
