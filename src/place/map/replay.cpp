#include "map/replay.hpp"

#include <algorithm>

#include "map/replay_state.hpp"

namespace espalier::map {

Replayer::State::State(const Problem& p, const ReadyTrace& t, sim::Sharing s)
    : problem(p),
      trace(t),
      sharing(s),
      network(p.machine()),
      routes(t.channels_.size()),
      channel_of(t.messages_),
      messages(t.messages_),
      posts(t.messages_),
      channels(t.channels_.size()),
      waits_for(p.size()),
      waits_for_sent(p.size()),
      next(p.size()),
      clock(p.size()),
      kept(p.size() * (profile::kMaxLoopDepth + 1)) {
  for (std::uint32_t c = 0; c < t.channels_.size(); ++c) {
    const auto first =
        channel_of.begin() + static_cast<std::ptrdiff_t>(t.channels_[c].first_message);
    std::fill_n(first, t.channels_[c].messages, c);
  }
}

void Replayer::State::begin(const Placement& placement) {
  now = Time{};
  for (std::size_t c = 0; c < routes.size(); ++c) {
    const ReadyTrace::TraceChannel& channel = trace.channels_[c];
    network.find_route(problem.slots[placement[channel.from]].leaf,
                       problem.slots[placement[channel.to]].leaf, routes[c]);
  }
  std::fill(messages.begin(), messages.end(), MessageState{});
  std::fill(channels.begin(), channels.end(), ChannelState{});
  std::fill(waits_for.begin(), waits_for.end(), kNothing);
  std::fill(waits_for_sent.begin(), waits_for_sent.end(), kNothing);
  std::fill(clock.begin(), clock.end(), Time{});
  costs.clear();
  speed.clear();
  if (sharing == sim::Sharing::ExactMaxMin) {
    shares = std::make_unique<sim::FairShares>(network.resources(), network.longest_route(), true);
  } else {
    links = std::make_unique<sim::BottleneckClocks>(network.resources(),
                                                    static_cast<std::uint32_t>(routes.size()));
  }
  for (Rank p = 0; p < problem.size(); ++p) {
    next[p] = trace.first_step_[p];
    const Slot& slot = problem.slots[placement[p]];
    costs.push_back(&problem.machine().leaf_costs(slot.leaf));
    speed.push_back(std::max<std::uint64_t>(1, slot.speed_millionths));
    turns.push({Time{}, p, kNothing});
  }
}

bool Replayer::State::receive(Rank process, const ReadyTrace::Step& step) {
  ChannelState& channel = channels[step.channel];
  const ReadyTrace::TraceChannel& all = trace.channels_[step.channel];
  if (channel.received == all.messages) return true;  // nobody ever sends it
  const auto message = static_cast<std::uint32_t>(all.first_message + channel.received);
  if (messages[message].arrived == kForever) {
    waits_for[process] = step.channel;
    if (channel.next_begin == message) begin_next(step.channel, clock[process]);
    return false;
  }
  ++channel.received;
  clock[process] =
      std::max(clock[process], messages[message].arrived) + costs[process]->recv.of({step.amount});
  return true;
}

bool Replayer::State::await_send(Rank process, std::uint32_t c) {
  ChannelState& channel = channels[c];
  if (channel.awaited_all) return true;  // more waits than sends
  const std::uint32_t message = channel.next_await;
  if (messages[message].arrived == kForever) {
    waits_for_sent[process] = message;
    return false;
  }
  channel.next_await = messages[message].next_long;
  channel.awaited_all = channel.next_await == kNothing;
  clock[process] = std::max(clock[process], messages[message].arrived);
  return true;
}

void Replayer::State::compute(Rank process, std::uint64_t amount) {
  clock[process] += speed[process] == 1'000'000
                        ? Time{static_cast<std::int64_t>(amount)}
                        : Time{static_cast<std::int64_t>(static_cast<unsigned __int128>(amount) *
                                                         1'000'000 / speed[process])};
}

bool Replayer::State::step(Rank process, const ReadyTrace::Step& step) {
  using Kind = ReadyTrace::Kind;
  Time& at = clock[process];
  Time* keeps = &kept[process * (profile::kMaxLoopDepth + 1)];
  switch (step.kind) {
    case Kind::Compute:
      compute(process, step.amount);
      return true;
    case Kind::Send:
      send(process, step);
      return true;
    case Kind::Recv:
      return receive(process, step);
    case Kind::Post:
      post(process, step.channel);
      return true;
    case Kind::Sent:
      return await_send(process, step.channel);
    case Kind::Snapshot:
      keeps[step.channel] = at;
      return true;
    case Kind::Stretch:
      at += static_cast<std::int64_t>(step.amount) * (at - keeps[step.channel]);
      return true;
  }
  return true;
}

void Replayer::State::run(Rank process) {
  const std::uint64_t end = trace.first_step_[process + 1];
  while (next[process] < end && step(process, trace.steps_[next[process]])) ++next[process];
}

Replayer::Replayer(const Problem& problem, const ReadyTrace& trace, sim::Sharing sharing)
    : state_(std::make_unique<State>(problem, trace, sharing)) {}
Replayer::~Replayer() = default;

Time Replayer::finish(const Placement& placement) {
  state_->begin(placement);
  do state_->run_all();
  while (state_->break_circle());
  return *std::max_element(state_->clock.begin(), state_->clock.end());
}

const std::vector<Time>& Replayer::clocks() const { return state_->clock; }

sim::Sharing sharing_for(const Problem& problem) {
  // Thousands of messages that share links at once, and change each other's rates.
  constexpr Rank kMostExact = 256;
  // All pairs of 128 processes: a second a replay. It grows with the square of the edges.
  constexpr std::size_t kMostEdges = 128 * 128;
  const bool is_exact = problem.size() <= kMostExact && problem.edges.size() <= kMostEdges;
  return is_exact ? sim::Sharing::ExactMaxMin : sim::Sharing::OneBottleneck;
}

Time predict(const Problem& problem, const Placement& placement) {
  const ReadyTrace trace(*problem.profile, 2'000'000);
  return Replayer(problem, trace, sharing_for(problem)).finish(placement);
}

}  // namespace espalier::map
