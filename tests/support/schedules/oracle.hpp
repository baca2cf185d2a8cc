#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "schedule/schedule.hpp"
#include "support/schedules/spelled_out.hpp"
#include "support/schedules/terms.hpp"

namespace espalier::test_schedules {

/// Runs a schedule unit by unit on terms, in random orders, and looks at what comes out. Knows
/// nothing of the verifier: no stretches, no proofs, only what happened. What it calls wrong is
/// wrong; what it does not, may be.
class Oracle {
 public:
  explicit Oracle(const schedule::Schedule& schedule)
      : schedule_(schedule), plan_(spell_out(schedule)) {}

  /// Up to `runs` runs in random orders, until one goes wrong; says how.
  std::optional<std::string> find_wrong(int runs, Random& rng) {
    if (plan_.impossible) return plan_.impossible;
    // Whether a plan gets stuck without buffers does not depend on the order: one run tells.
    if (auto wrong = run(Buffering::Synchronous, rng)) return wrong;
    for (int i = 1; i < runs; ++i) {
      if (auto wrong = run(static_cast<Buffering>(rng.below(3)), rng)) return wrong;
    }
    if (schedule_.call.operation == schedule::Operation::Barrier) return hold_back_each(rng);
    return std::nullopt;
  }

 private:
  using Term = Terms::Term;
  using Unit = SpelledOut::Unit;
  enum class Buffering { Synchronous, Eager, Mixed };
  enum class State : std::uint8_t { Waiting, Ready, Begun, Ended };
  struct RunningOp {
    State state = State::Waiting;
    std::size_t deps_left = 0;
    std::size_t open = 0;           // messages or units that are not over
    std::vector<std::size_t> todo;  // units of copy and reduce
    std::vector<std::size_t> messages;
    std::vector<std::size_t> dependents;
  };
  struct Message {
    std::size_t send, recv;  // ops
    const std::vector<Unit>*from = nullptr, *to = nullptr;
    bool eager = false;  // the sender may end before the receiver begins
    bool awake = false, sent = false, over = false;
    std::vector<std::size_t> to_read, to_write;  // units
    std::vector<Term> wire;
  };
  /// What can take a step: an op to begin or to work on, or a message.
  struct Actor {
    bool is_message;
    std::size_t index;
    std::uint64_t priority;
  };

  std::optional<std::string> run(Buffering buffering, Random& rng) {
    if (auto wrong = play(buffering, kNoRank, rng)) return wrong;
    for (const RunningOp& op : ops_) {
      if (op.state != State::Ended) return "gets stuck";
    }
    return look_at_outputs();
  }

  /// No rank may leave a barrier as long as one stays outside.
  std::optional<std::string> hold_back_each(Random& rng) {
    for (Rank outside = 0; outside < schedule_.call.size; ++outside) {
      if (auto wrong = play(Buffering::Eager, outside, rng)) return wrong;
      std::vector<bool> inside(schedule_.call.size, false);
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        if (ops_[i].state != State::Ended) inside[plan_.ops[i].rank] = true;
      }
      for (Rank rank = 0; rank < schedule_.call.size; ++rank) {
        if (rank != outside && !inside[rank]) return "leaves early";
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> play(Buffering buffering, Rank held_back, Random& rng) {
    held_back_ = held_back;
    smudge_ = rng.chance(50);
    by_priority_ = rng.chance(60);
    fill_memory();
    if (auto wrong = prepare(buffering, rng)) return wrong;
    while (!awake_.empty()) {
      std::size_t pick = static_cast<std::size_t>(rng.below(awake_.size()));
      if (by_priority_) {
        for (std::size_t i = 0; i < awake_.size(); ++i) {
          if (awake_[i].priority > awake_[pick].priority) pick = i;
        }
      }
      const Actor actor = awake_[pick];
      const bool goes_on =
          actor.is_message ? step_message(actor.index, rng) : step_op(actor.index, rng);
      if (goes_on) continue;
      if (actor.is_message) messages_[actor.index].awake = false;
      awake_[pick] = awake_.back();  // the list may have grown, but only at its end
      awake_.pop_back();
    }
    return std::nullopt;
  }

  void fill_memory() {
    const schedule::Collective& call = schedule_.call;
    memory_.assign(call.size, {});
    for (Rank r = 0; r < call.size; ++r) {
      for (std::uint64_t u = 0; u < units_in(call, r); ++u) {
        memory_[r][0].push_back(terms_.leaf(r, u));
      }
      memory_[r][1].assign(units_out(call, r), Terms::kGarbage);
      memory_[r][2].assign(schedule_.programs[r].scratch_units, Terms::kGarbage);
      if (call.operation != schedule::Operation::Broadcast || r != call.root) continue;
      for (std::uint64_t u = 0; u < call.count; ++u) memory_[r][1][u] = terms_.leaf(r, u);
    }
  }

  std::optional<std::string> prepare(Buffering buffering, Random& rng) {
    ops_.assign(plan_.ops.size(), {});
    messages_.clear();
    awake_.clear();
    if (auto wrong = match(buffering, rng)) return wrong;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const SpelledOut::Op& op = plan_.ops[i];
      ops_[i].deps_left = op.deps.size();
      for (const std::size_t dep : op.deps) ops_[dep].dependents.push_back(i);
      ops_[i].open = op.to.size() + op.ends.size();
      for (std::size_t u = 0; u < op.to.size(); ++u) ops_[i].todo.push_back(u);
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].deps_left == 0) make_ready(i, rng);
    }
    return std::nullopt;
  }

  /// Where a key stands more than once, any pairing may happen.
  std::optional<std::string> match(Buffering buffering, Random& rng) {
    using Key = std::tuple<Rank, Rank, std::uint32_t>;
    struct Found {
      std::size_t op;
      const std::vector<Unit>* units;
    };
    std::map<Key, std::array<std::vector<Found>, 2>> ends;
    for (std::size_t i = 0; i < plan_.ops.size(); ++i) {
      const bool receives = plan_.ops[i].kind == schedule::OpKind::Recv;
      for (const SpelledOut::End& e : plan_.ops[i].ends) {
        ends[{e.from, e.to, e.tag}][receives ? 1 : 0].push_back({i, &e.units});
      }
    }
    for (auto& [key, found] : ends) {
      auto& [sends, recvs] = found;
      rng.shuffle(std::span(recvs));
      for (std::size_t i = 0; i < std::min(sends.size(), recvs.size()); ++i) {
        if (sends[i].units->size() != recvs[i].units->size()) return "has a message of two lengths";
        Message m{sends[i].op,
                  recvs[i].op,
                  sends[i].units,
                  recvs[i].units,
                  false,
                  false,
                  false,
                  false,
                  {},
                  {},
                  {}};
        m.eager =
            buffering == Buffering::Eager || (buffering == Buffering::Mixed && rng.chance(50));
        for (std::size_t u = 0; u < m.from->size(); ++u) m.to_read.push_back(u);
        m.wire.resize(m.from->size());
        ops_[m.send].messages.push_back(messages_.size());
        ops_[m.recv].messages.push_back(messages_.size());
        messages_.push_back(std::move(m));
      }
    }
    return std::nullopt;
  }

  void wake(bool is_message, std::size_t index, Random& rng) {
    awake_.push_back({is_message, index, rng.next()});
  }
  void make_ready(std::size_t id, Random& rng) {
    if (plan_.ops[id].rank == held_back_) return;
    ops_[id].state = State::Ready;
    wake(false, id, rng);
  }

  /// True if there is more to do now.
  bool step_op(std::size_t id, Random& rng) {
    const SpelledOut::Op& plan = plan_.ops[id];
    RunningOp& op = ops_[id];
    if (op.state == State::Ready) {
      begin(id, rng);
      return op.state == State::Begun && plan.ends.empty();
    }
    const std::size_t u = take_any(op.todo, rng);
    const Term from = at(plan.rank, plan.from[u]);
    Term& to = at(plan.rank, plan.to[u]);
    if (plan.kind == schedule::OpKind::Copy) {
      to = from;
    } else {
      const bool from_first = plan.operands == schedule::Operands::FromThenTo;
      to = from_first ? terms_.combine(from, to) : terms_.combine(to, from);
    }
    one_less(id, rng);
    return op.state == State::Begun;
  }

  void begin(std::size_t id, Random& rng) {
    ops_[id].state = State::Begun;
    if (ops_[id].open == 0) end(id, rng);
    if (smudge_ && plan_.ops[id].kind == schedule::OpKind::Recv) {
      for (const SpelledOut::End& e : plan_.ops[id].ends) {
        for (const Unit& unit : e.units) at(plan_.ops[id].rank, unit) = Terms::kGarbage;
      }
    }
    for (const std::size_t m : ops_[id].messages) {
      if (messages_[m].awake || messages_[m].over) continue;
      messages_[m].awake = true;
      wake(true, m, rng);
    }
  }

  bool step_message(std::size_t id, Random& rng) {
    Message& m = messages_[id];
    const bool here = ops_[m.send].state == State::Begun;
    const bool there = ops_[m.recv].state == State::Begun;
    if (m.eager && (here || m.sent)) return step_eager(m, there, rng);
    if (!here || !there) return false;
    if (!m.to_read.empty()) {
      const std::size_t u = take_any(m.to_read, rng);
      at(plan_.ops[m.recv].rank, (*m.to)[u]) = at(plan_.ops[m.send].rank, (*m.from)[u]);
    }
    if (!m.to_read.empty()) return true;
    m.over = true;
    one_less(m.send, rng);
    one_less(m.recv, rng);
    return false;
  }

  bool step_eager(Message& m, bool there, Random& rng) {
    if (!m.sent && (m.to_write.empty() || !there || rng.chance(50))) {
      if (!m.to_read.empty()) {
        const std::size_t u = take_any(m.to_read, rng);
        m.wire[u] = at(plan_.ops[m.send].rank, (*m.from)[u]);
        m.to_write.push_back(u);
      }
      if (m.to_read.empty()) {
        m.sent = true;
        one_less(m.send, rng);
      }
      return true;
    }
    if (!there) return false;
    if (!m.to_write.empty()) {
      const std::size_t u = take_any(m.to_write, rng);
      at(plan_.ops[m.recv].rank, (*m.to)[u]) = m.wire[u];
    }
    if (!m.sent || !m.to_write.empty()) return true;
    m.over = true;
    one_less(m.recv, rng);
    return false;
  }

  void one_less(std::size_t id, Random& rng) {
    if (--ops_[id].open == 0) end(id, rng);
  }

  void end(std::size_t id, Random& rng) {
    ops_[id].state = State::Ended;
    for (const std::size_t after : ops_[id].dependents) {
      if (--ops_[after].deps_left == 0) make_ready(after, rng);
    }
  }

  static std::size_t take_any(std::vector<std::size_t>& from, Random& rng) {
    std::swap(from[static_cast<std::size_t>(rng.below(from.size()))], from.back());
    const std::size_t taken = from.back();
    from.pop_back();
    return taken;
  }

  std::optional<std::string> look_at_outputs() {
    const schedule::Collective& call = schedule_.call;
    for (Rank r = 0; r < call.size; ++r) {
      for (std::uint64_t u = 0; u < units_out(call, r); ++u) {
        auto expected = promised(call, r, u);
        if (expected.empty()) continue;
        const auto found = terms_.operands(memory_[r][1][u], call.commutative);
        if (found != expected && !(found.empty() && is_of_no_bytes(r, u))) {
          return "has a wrong output";
        }
        if (call.operation == schedule::Operation::Allreduce &&
            memory_[r][1][u] != memory_[0][1][u]) {
          return "has different bits";
        }
      }
    }
    return std::nullopt;
  }

  /// Blocks of v forms that need not arrive.
  [[nodiscard]] bool is_of_no_bytes(Rank rank, std::uint64_t unit) const {
    const schedule::Collective& call = schedule_.call;
    if (call.counts.empty()) return false;
    switch (call.operation) {
      case schedule::Operation::Scatter:
        return call.counts[rank] == 0;
      case schedule::Operation::Gather:
      case schedule::Operation::Allgather:
        return call.counts[unit] == 0;
      case schedule::Operation::Alltoall:
        return call.counts[unit * call.size + rank] == 0;
      default:
        return false;
    }
  }

  Term& at(Rank rank, const Unit& unit) {
    return memory_[rank][static_cast<std::size_t>(unit.buffer)][unit.index];
  }

  const schedule::Schedule& schedule_;
  SpelledOut plan_;
  Terms terms_;
  // Of one run:
  std::vector<std::array<std::vector<Term>, 3>> memory_;  // by rank and buffer
  std::vector<RunningOp> ops_;
  std::vector<Message> messages_;
  std::vector<Actor> awake_;
  Rank held_back_ = kNoRank;
  bool smudge_ = false;       // what a receive has not yet written is garbage
  bool by_priority_ = false;  // some wait very long
};

}  // namespace espalier::test_schedules
