#include "place/replay.hpp"

#include <algorithm>
#include <queue>

#include "sim/bottleneck_clocks.hpp"
#include "sim/network.hpp"

namespace espalier::place {

struct Replayer::State {
  State(const Problem& p, const ReadyTrace& t)
      : problem(p),
        trace(t),
        network(p.machine()),
        routes(t.channels_.size()),
        arrivals(t.messages_),
        sent(t.channels_.size()),
        carried(t.channels_.size()),
        received(t.channels_.size()),
        waits_for(p.size()),
        next(p.size()),
        clock(p.size()),
        kept(p.size() * (profile::kMaxLoopDepth + 1)) {}

  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  /// A process goes on, or a message comes to the links of its way. All of them in the order of
  /// time: links serve what comes first, and a message over a long way comes later than one that
  /// set out after it over a short one.
  struct Turn {
    Time at;
    Rank process = 0;                  ///< who goes on, or sent it
    std::uint32_t channel = kNothing;  ///< of a message
    std::uint64_t message = 0;
    std::uint64_t bytes = 0;
    friend bool operator>(const Turn& a, const Turn& b) {
      if (a.at != b.at) return a.at > b.at;
      if (a.process != b.process) return a.process > b.process;
      if (a.channel != b.channel) return a.channel > b.channel;
      return a.message > b.message;
    }
  };

  void begin(const Placement& placement);
  /// Runs a process until it waits or is done.
  void run(Rank process);
  void send(Rank process, const ReadyTrace::Step& step);
  /// A message of the channel is there at `arrived`; wakes who waits for it.
  void deliver(std::uint32_t channel, Time arrived);
  bool receive(Rank process, const ReadyTrace::Step& step);

  const Problem& problem;
  const ReadyTrace& trace;
  sim::Network network;
  std::vector<sim::Route> routes;
  std::vector<Time> arrivals;  ///< by channel, in the order of sending
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> carried;  ///< so many arrivals are known
  std::vector<std::uint64_t> received;
  std::vector<std::uint32_t> waits_for;  ///< a channel, or kNothing
  std::vector<std::uint64_t> next;
  std::vector<Time> clock;
  std::vector<Time> kept;
  std::vector<const topology::NodeCosts*> costs;
  std::vector<std::uint64_t> speed;
  std::unique_ptr<sim::BottleneckClocks> links;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
};

void Replayer::State::begin(const Placement& placement) {
  for (std::size_t c = 0; c < routes.size(); ++c) {
    const ReadyTrace::Channel& channel = trace.channels_[c];
    network.find_route(problem.slots[placement[channel.from]].leaf,
                       problem.slots[placement[channel.to]].leaf, routes[c]);
  }
  std::fill(sent.begin(), sent.end(), 0);
  std::fill(carried.begin(), carried.end(), 0);
  std::fill(received.begin(), received.end(), 0);
  std::fill(waits_for.begin(), waits_for.end(), kNothing);
  std::fill(clock.begin(), clock.end(), Time{});
  costs.clear();
  speed.clear();
  links = std::make_unique<sim::BottleneckClocks>(network.resources(),
                                                  static_cast<std::uint32_t>(routes.size()));
  for (Rank p = 0; p < problem.size(); ++p) {
    next[p] = trace.first_step_[p];
    const Slot& slot = problem.slots[placement[p]];
    costs.push_back(&problem.machine().leaf_costs(slot.leaf));
    speed.push_back(std::max<std::uint64_t>(1, slot.speed_millionths));
    turns.push({Time{}, p, kNothing, 0, 0});
  }
}

void Replayer::State::send(Rank process, const ReadyTrace::Step& step) {
  const std::uint32_t c = step.channel;
  clock[process] += costs[process]->send.of({step.amount});
  const std::uint64_t message = sent[c]++;
  const Time comes = clock[process] + routes[c].latency;
  if (routes[c].limited()) {
    turns.push({comes, process, c, message, step.amount});
  } else {
    deliver(c, comes);
  }
}

void Replayer::State::deliver(std::uint32_t channel, Time arrived) {
  // One channel's messages come in the order in which they were sent.
  const std::uint64_t message = carried[channel]++;
  arrivals[trace.channels_[channel].first_message + message] = arrived;
  const Rank to = trace.channels_[channel].to;
  if (waits_for[to] != channel || received[channel] != message) return;
  waits_for[to] = kNothing;
  turns.push({std::max(clock[to], arrived), to, kNothing, 0, 0});
}

/// False if it has to wait.
bool Replayer::State::receive(Rank process, const ReadyTrace::Step& step) {
  const std::uint32_t c = step.channel;
  if (received[c] == trace.channels_[c].messages) return true;  // nobody ever sends it
  if (received[c] == carried[c]) {
    waits_for[process] = c;
    return false;
  }
  const Time arrived = arrivals[trace.channels_[c].first_message + received[c]++];
  clock[process] = std::max(clock[process], arrived) + costs[process]->recv.of({step.amount});
  return true;
}

void Replayer::State::run(Rank process) {
  using Kind = ReadyTrace::Kind;
  Time& now = clock[process];
  const std::uint64_t end = trace.first_step_[process + 1];
  Time* keeps = &kept[process * (profile::kMaxLoopDepth + 1)];
  while (next[process] < end) {
    const ReadyTrace::Step& step = trace.steps_[next[process]];
    switch (step.kind) {
      case Kind::Compute:
        now += speed[process] == 1'000'000
                   ? Time{static_cast<std::int64_t>(step.amount)}
                   : Time{static_cast<std::int64_t>(static_cast<unsigned __int128>(step.amount) *
                                                    1'000'000 / speed[process])};
        break;
      case Kind::Send:
        send(process, step);
        break;
      case Kind::Recv:
        if (!receive(process, step)) return;
        break;
      case Kind::Snapshot:
        keeps[step.channel] = now;
        break;
      case Kind::Stretch:
        now += static_cast<std::int64_t>(step.amount) * (now - keeps[step.channel]);
        break;
    }
    ++next[process];
  }
}

Replayer::Replayer(const Problem& problem, const ReadyTrace& trace)
    : state_(std::make_unique<State>(problem, trace)) {}
Replayer::~Replayer() = default;

Time Replayer::finish(const Placement& placement) {
  State& s = *state_;
  s.begin(placement);
  while (!s.turns.empty()) {
    const State::Turn turn = s.turns.top();
    s.turns.pop();
    if (turn.channel == State::kNothing) {
      s.run(turn.process);
    } else {
      const sim::Route& route = s.routes[turn.channel];
      s.deliver(turn.channel, s.links->pass(turn.at, turn.bytes, route, turn.channel, true).end);
    }
  }
  return *std::max_element(s.clock.begin(), s.clock.end());
}

const std::vector<Time>& Replayer::clocks() const { return state_->clock; }

Time predict(const Problem& problem, const Placement& placement) {
  const ReadyTrace trace(*problem.profile, 2'000'000);
  return Replayer(problem, trace).finish(placement);
}

}  // namespace espalier::place
