#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "schedule/schedule.hpp"
#include "support/symbolic_value.hpp"

namespace espalier::testing_support {

using schedule::Buffer;
using schedule::Op;
using schedule::Operands;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using schedule::Schedule;

/// Runs all programs of a schedule together, in any order that their dependencies allow, chosen by
/// the seed: sends wait for their receives, and what is ready may happen in any order. Tells the
/// first thing that goes wrong: a deadlock, a message that nobody expects, lengths that differ,
/// something read before it was written, written while it was read, or an input overwritten.
///
/// Deliberately simple, and it shares no code with the verifier.
class ScheduleRun {
 public:
  ScheduleRun(const Schedule& schedule, std::uint64_t seed);

  /// @return what went wrong, or nothing
  std::string run();
  /// After run(): a rank's buffer.
  [[nodiscard]] const std::vector<Symbol>& units(Rank rank, Buffer buffer) const {
    return states_[rank].buffers[static_cast<std::size_t>(buffer)];
  }
  /// After run(): whose beginnings a rank's end waited for, directly or not.
  [[nodiscard]] const std::vector<bool>& heard_of(Rank rank) const { return states_[rank].heard; }
  /// After run(): the longest chain of messages of which each had to wait for the one before.
  [[nodiscard]] std::size_t longest_chain() const { return longest_chain_; }

 private:
  struct OpState {
    std::size_t open_deps = 0;
    std::size_t open_messages = 0;
    std::size_t chain = 0;    // messages before it, one waiting for the other
    std::vector<bool> heard;  // ranks whose beginning it waited for
  };
  struct State {
    std::array<std::vector<Symbol>, 3> buffers;
    std::vector<OpState> ops;
    std::vector<std::vector<std::size_t>> waiting;  // for each op, those that wait for it
    std::vector<bool> heard;
    std::size_t open_ops = 0;
  };
  struct Message {
    Rank rank = kNoRank;  // that posted it; kNoRank: not yet
    std::size_t op = 0;
    Region region;
    std::vector<Symbol> at_post;  // of a send: must still be there when it is taken
  };
  struct Wire {
    Message send, recv;
  };
  using WireKey = std::tuple<Rank, Rank, std::uint32_t>;  // from, to, tag

  const Program& program(Rank rank) const { return schedule_.programs[rank]; }
  std::vector<Symbol> read(Rank rank, const Region& region);
  void write(Rank rank, const Region& region, const std::vector<Symbol>& values);
  void start(Rank rank, std::size_t op);
  void post(Rank rank, std::size_t op);
  void deliver(const WireKey& key);
  void work(Rank rank, std::size_t op);
  void finish(Rank rank, std::size_t op);
  void complain(Rank rank, const std::string& what);

  const Schedule& schedule_;
  Random random_;
  std::vector<State> states_;
  std::map<WireKey, Wire> wires_;
  std::vector<WireKey> deliverable_;
  std::vector<std::pair<Rank, std::size_t>> workable_;
  std::string complaint_;
  std::size_t longest_chain_ = 0;
};

inline ScheduleRun::ScheduleRun(const Schedule& schedule, std::uint64_t seed)
    : schedule_(schedule), random_(seed), states_(schedule.programs.size()) {
  const schedule::Collective& call = schedule.call;
  for (Rank r = 0; r < states_.size(); ++r) {
    const Program& p = program(r);
    State& state = states_[r];
    state.buffers[0].resize(units_in(call, r));
    state.buffers[1].resize(units_out(call, r));
    state.buffers[2].resize(p.scratch_units);
    for (std::size_t i = 0; i < state.buffers[0].size(); ++i) state.buffers[0][i] = input(r, i);
    if (call.operation == schedule::Operation::Broadcast && r == call.root) {
      for (std::size_t i = 0; i < state.buffers[1].size(); ++i) state.buffers[1][i] = input(r, i);
    }
    state.heard.assign(states_.size(), false);
    state.heard[r] = true;
    state.ops.resize(p.ops.size());
    state.waiting.resize(p.ops.size());
    state.open_ops = p.ops.size();
    for (std::size_t i = 0; i < p.ops.size(); ++i) {
      state.ops[i].open_deps = p.deps_of(p.ops[i]).size();
      state.ops[i].heard = state.heard;
      for (const std::uint32_t dep : p.deps_of(p.ops[i])) {
        if (dep >= i) complain(r, "op " + std::to_string(i) + " waits for a later one");
        if (dep < i) state.waiting[dep].push_back(i);
      }
    }
  }
}

inline std::string ScheduleRun::run() {
  for (Rank r = 0; r < states_.size(); ++r) {
    for (std::size_t i = 0; i < states_[r].ops.size(); ++i) {
      if (program(r).ops[i].dep_count == 0) start(r, i);
    }
  }
  while (complaint_.empty() && deliverable_.size() + workable_.size() > 0) {
    const std::size_t pick = random_.below(deliverable_.size() + workable_.size());
    if (pick < deliverable_.size()) {
      std::swap(deliverable_[pick], deliverable_.back());
      const WireKey key = deliverable_.back();
      deliverable_.pop_back();
      deliver(key);
    } else {
      std::swap(workable_[pick - deliverable_.size()], workable_.back());
      const auto [rank, op] = workable_.back();
      workable_.pop_back();
      work(rank, op);
    }
  }
  for (Rank r = 0; r < states_.size(); ++r) {
    if (states_[r].open_ops > 0) {
      complain(r, "never ends: " + std::to_string(states_[r].open_ops) + " ops are left");
    }
  }
  return complaint_;
}

inline void ScheduleRun::complain(Rank rank, const std::string& what) {
  if (complaint_.empty()) complaint_ = "rank " + std::to_string(rank) + ": " + what;
}

inline std::vector<Symbol> ScheduleRun::read(Rank rank, const Region& region) {
  const auto& buffer = states_[rank].buffers[static_cast<std::size_t>(region.buffer)];
  std::vector<Symbol> values;
  for_each_stretch(program(rank), region, [&](std::uint64_t offset, std::uint64_t length) {
    if (offset + length > buffer.size()) return complain(rank, "reads beyond a buffer");
    for (std::uint64_t i = offset; i < offset + length; ++i) {
      if (buffer[i].count == 0) complain(rank, "reads what nobody wrote");
      values.push_back(buffer[i]);
    }
  });
  return values;
}

inline void ScheduleRun::write(Rank rank, const Region& region, const std::vector<Symbol>& values) {
  auto& buffer = states_[rank].buffers[static_cast<std::size_t>(region.buffer)];
  std::size_t next = 0;
  for_each_stretch(program(rank), region, [&](std::uint64_t offset, std::uint64_t length) {
    if (region.buffer == Buffer::In) return complain(rank, "writes its input");
    if (offset + length > buffer.size()) return complain(rank, "writes beyond a buffer");
    for (std::uint64_t i = offset; i < offset + length; ++i, ++next) {
      if (next < values.size()) buffer[i] = values[next];
    }
  });
  if (complaint_.empty() && next != values.size()) complain(rank, "writes another length");
}

inline void ScheduleRun::start(Rank rank, std::size_t op) {
  const OpKind kind = program(rank).ops[op].kind;
  if (kind == OpKind::Send || kind == OpKind::Recv) {
    post(rank, op);
  } else {
    workable_.emplace_back(rank, op);
  }
}

inline void ScheduleRun::post(Rank rank, std::size_t op) {
  const Op& what = program(rank).ops[op];
  for_each_message(program(rank), what, [&](Rank peer, const Region& region) {
    if (peer >= states_.size() || peer == rank) return complain(rank, "has no such peer");
    const bool sends = what.kind == OpKind::Send;
    const WireKey key{sends ? rank : peer, sends ? peer : rank, what.tag};
    Wire& wire = wires_[key];
    Message& end = sends ? wire.send : wire.recv;
    if (end.rank != kNoRank) return complain(rank, "uses a tag twice");
    end = {rank, op, region, sends ? read(rank, region) : std::vector<Symbol>{}};
    ++states_[rank].ops[op].open_messages;
    // Until it comes, whoever reads there is wrong.
    if (!sends) write(rank, region, std::vector<Symbol>(program(rank).units(region)));
    if (wire.send.rank != kNoRank && wire.recv.rank != kNoRank) deliverable_.push_back(key);
  });
}

inline void ScheduleRun::deliver(const WireKey& key) {
  const Wire& wire = wires_[key];
  const Rank from = wire.send.rank, to = wire.recv.rank;
  const std::vector<Symbol> values = read(from, wire.send.region);
  if (values != wire.send.at_post) complain(from, "changes what it is sending");
  if (values.size() != program(to).units(wire.recv.region)) {
    complain(to, "expects another length than comes from rank " + std::to_string(from));
  }
  write(to, wire.recv.region, values);
  OpState& sent = states_[from].ops[wire.send.op];
  OpState& received = states_[to].ops[wire.recv.op];
  for (Rank r = 0; r < states_.size(); ++r) {
    if (sent.heard[r]) received.heard[r] = true;
  }
  received.chain = std::max(received.chain, sent.chain + 1);
  if (--sent.open_messages == 0) finish(from, wire.send.op);
  if (--received.open_messages == 0) finish(to, wire.recv.op);
}

inline void ScheduleRun::work(Rank rank, std::size_t op) {
  const Op& what = program(rank).ops[op];
  std::vector<Symbol> values = read(rank, what.from);
  if (what.kind == OpKind::Reduce) {
    const std::vector<Symbol> old = read(rank, what.to);
    if (old.size() != values.size()) complain(rank, "combines different lengths");
    for (std::size_t i = 0; i < values.size() && i < old.size(); ++i) {
      values[i] = what.operands == Operands::FromThenTo ? combined(values[i], old[i])
                                                        : combined(old[i], values[i]);
    }
  }
  write(rank, what.to, values);
  finish(rank, op);
}

inline void ScheduleRun::finish(Rank rank, std::size_t op) {
  State& state = states_[rank];
  --state.open_ops;
  const std::vector<bool>& heard = state.ops[op].heard;
  const auto tell = [&](std::vector<bool>& other) {
    for (Rank r = 0; r < heard.size(); ++r) {
      if (heard[r]) other[r] = true;
    }
  };
  tell(state.heard);
  longest_chain_ = std::max(longest_chain_, state.ops[op].chain);
  for (const std::size_t next : state.waiting[op]) {
    tell(state.ops[next].heard);
    state.ops[next].chain = std::max(state.ops[next].chain, state.ops[op].chain);
    if (--state.ops[next].open_deps == 0) start(rank, next);
  }
}

}  // namespace espalier::testing_support
