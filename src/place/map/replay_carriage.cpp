// The replay's other half: what becomes of a message between two processes.
#include <algorithm>

#include "map/replay_state.hpp"
#include "sim/latency_weight.hpp"

namespace espalier::map {

void Replayer::State::send(Rank process, const ReadyTrace::Step& step) {
  const std::uint32_t c = step.channel;
  clock[process] += costs[process]->send.of({step.amount});
  const auto message =
      static_cast<std::uint32_t>(trace.channels_[c].first_message + channels[c].sent++);
  messages[message].bytes = step.amount;
  if (step.amount < trace.eager_limit_.value) return set_out(c, message, clock[process]);
  messages[message].asked = clock[process];
  ask(c, message);
}

/// A long message waits in its channel's row until its receiver is ready.
void Replayer::State::ask(std::uint32_t c, std::uint32_t message) {
  ChannelState& channel = channels[c];
  if (channel.last_long != kNothing) messages[channel.last_long].next_long = message;
  channel.last_long = message;
  if (channel.next_begin == kNothing) channel.next_begin = message;
  if (channel.awaited_all) {
    channel.next_await = message;
    channel.awaited_all = false;
  }
  const Rank to = trace.channels_[c].to;
  const std::uint64_t first = trace.channels_[c].first_message;
  if (channel.posted > channel.begun) {
    begin_next(c, posts[first + channel.begun]);
  } else if (waits_for[to] == c && first + channel.received == message) {
    begin_next(c, clock[to]);
  }
}

void Replayer::State::post(Rank process, std::uint32_t c) {
  ChannelState& channel = channels[c];
  if (channel.posted == trace.channels_[c].messages) return;  // nobody ever sends it
  posts[trace.channels_[c].first_message + channel.posted++] = clock[process];
  if (channel.next_begin != kNothing) begin_next(c, clock[process]);
}

void Replayer::State::begin_next(std::uint32_t c, Time ready) {
  ChannelState& channel = channels[c];
  const std::uint32_t message = channel.next_begin;
  channel.next_begin = messages[message].next_long;
  channel.posted = std::max(channel.posted, ++channel.begun);
  set_out(c, message, std::max(ready, messages[message].asked));
}

void Replayer::State::set_out(std::uint32_t c, std::uint32_t message, Time at) {
  const Time comes = at + routes[c].latency;
  if (routes[c].limited() && messages[message].bytes > 0) {
    turns.push({comes, trace.channels_[c].from, message});
  } else {
    deliver(message, comes);
  }
}

void Replayer::State::carry(const Turn& turn) {
  const std::uint32_t c = channel_of[turn.message];
  const std::uint64_t bytes = messages[turn.message].bytes;
  if (sharing == sim::Sharing::ExactMaxMin) {
    shares->begin(now, turn.message, bytes, routes[c],
                  sim::latency_weight(routes[c], network.longest_latency()));
  } else {
    deliver(turn.message, links->pass(turn.at, bytes, routes[c], c, true).end);
  }
}

void Replayer::State::deliver(std::uint32_t message, Time arrived) {
  const std::uint32_t c = channel_of[message];
  const ReadyTrace::TraceChannel& channel = trace.channels_[c];
  messages[message].arrived = arrived;
  if (waits_for[channel.to] == c && channel.first_message + channels[c].received == message) {
    waits_for[channel.to] = kNothing;
    turns.push({std::max(clock[channel.to], arrived), channel.to, kNothing});
  }
  if (waits_for_sent[channel.from] == message) {
    waits_for_sent[channel.from] = kNothing;
    turns.push({std::max(clock[channel.from], arrived), channel.from, kNothing});
  }
}

void Replayer::State::run_all() {
  const bool exact = sharing == sim::Sharing::ExactMaxMin;
  while (true) {
    const Time turn_at = turns.empty() ? kForever : turns.top().at;
    // What begins and ends at one moment is settled once.
    if (exact && turn_at > now) shares->settle(now);
    if (const Time end = exact ? shares->next_end() : kForever; end <= turn_at && end < kForever) {
      now = end;
      deliver(shares->end_first(now).owner, now);
      continue;
    }
    if (turns.empty()) return;
    const Turn turn = turns.top();
    turns.pop();
    now = std::max(now, turn.at);
    if (turn.message == kNothing) {
      run(turn.process);
    } else {
      carry(turn);
    }
  }
}

bool Replayer::State::break_circle() {
  bool any = false;
  for (std::uint32_t c = 0; c < channels.size(); ++c) {
    while (channels[c].next_begin != kNothing) {
      begin_next(c, now);
      any = true;
    }
  }
  return any || pass_over_receives();
}

bool Replayer::State::pass_over_receives() {
  bool any = false;
  for (Rank process = 0; process < waits_for.size(); ++process) {
    if (waits_for[process] == kNothing) continue;
    waits_for[process] = kNothing;
    ++next[process];
    clock[process] = std::max(clock[process], now);
    turns.push({clock[process], process, kNothing});
    any = true;
  }
  return any;
}

}  // namespace espalier::map
