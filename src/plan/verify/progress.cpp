#include <fmt/format.h>

#include <algorithm>

#include "verify/checks.hpp"
#include "verify/describe.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;

/// Who waits for an op to end.
struct Dependents {
  std::vector<std::uint32_t> first;
  std::vector<OpId> ops;
};

Dependents dependents_of(const Schedule& schedule, const Traffic& traffic) {
  Dependents found;
  found.first.assign(traffic.ops() + 1, 0);
  const auto for_each_dep = [&](auto visit) {
    for (const Program& program : schedule.programs) {
      const OpId base = traffic.first_op[program.rank];
      for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
        for (const std::uint32_t dep : program.deps_of(program.ops[i])) visit(base + dep, base + i);
      }
    }
  };
  for_each_dep([&](OpId before, OpId) { ++found.first[before + 1]; });
  for (std::size_t i = 0; i < traffic.ops(); ++i) found.first[i + 1] += found.first[i];
  found.ops.resize(found.first.back());
  std::vector<std::uint32_t> next(found.first.begin(), found.first.end() - 1);
  for_each_dep([&](OpId before, OpId after) { found.ops[next[before]++] = after; });
  return found;
}

class Run {
 public:
  Run(const Schedule& schedule, const Traffic& traffic)
      : schedule_(schedule),
        traffic_(traffic),
        dependents_(dependents_of(schedule, traffic)),
        begun_(traffic.ops()),
        ended_(traffic.ops()),
        waits_to_begin_(traffic.ops()),
        waits_to_end_(traffic.ops()) {
    events_.reserve(2 * traffic.ops());
    for (OpId op = 0; op < traffic.ops(); ++op) {
      waits_to_begin_[op] = traffic.op(schedule, op).dep_count;
      waits_to_end_[op] = static_cast<std::uint32_t>(traffic.messages_of(op).size());
    }
  }

  /// True if every op has ended.
  bool run() {
    for (OpId op = 0; op < traffic_.ops(); ++op) {
      if (waits_to_begin_[op] == 0) events_.push_back({op, false});
    }
    // events_ is the queue: what is ready is put at its end, in a fixed order.
    for (std::size_t at = 0; at < events_.size(); ++at) {
      const OpEvent event = events_[at];
      event.end ? end(event.op) : begin(event.op);
    }
    return events_.size() == 2 * traffic_.ops();
  }
  std::vector<OpEvent> take_events() { return std::move(events_); }

  /// Ops each of which waits for the next, the last for the first. @pre run() was false
  [[nodiscard]] std::vector<OpId> cycle() const {
    std::vector<std::uint32_t> seen_at(traffic_.ops(), 0);
    std::vector<OpId> path;
    OpId op = 0;
    while (ended_[op]) ++op;
    while (seen_at[op] == 0) {
      path.push_back(op);
      seen_at[op] = static_cast<std::uint32_t>(path.size());
      op = waits_for(op);
    }
    path.erase(path.begin(), path.begin() + (seen_at[op] - 1));
    return path;
  }

 private:
  void begin(OpId op) {
    begun_[op] = true;
    for (const std::uint32_t id : traffic_.messages_of(op)) {
      const Message& message = traffic_.messages[id];
      const OpId other = message.send == op ? message.recv : message.send;
      if (--waits_to_end_[other] == 0 && begun_[other]) {
        events_.push_back({other, true});
      }
    }
    if (waits_to_end_[op] == 0) events_.push_back({op, true});
  }

  void end(OpId op) {
    ended_[op] = true;
    for (std::uint32_t i = dependents_.first[op]; i < dependents_.first[op + 1]; ++i) {
      const OpId after = dependents_.ops[i];
      if (--waits_to_begin_[after] == 0) events_.push_back({after, false});
    }
  }

  /// An op that has to move on before this one, which has not ended, can.
  [[nodiscard]] OpId waits_for(OpId op) const {
    if (!begun_[op]) {
      const Program& program = schedule_.programs[traffic_.rank_of[op]];
      for (const std::uint32_t dep : program.deps_of(traffic_.op(schedule_, op))) {
        const OpId before = traffic_.first_op[program.rank] + dep;
        if (!ended_[before]) return before;
      }
    }
    for (const std::uint32_t id : traffic_.messages_of(op)) {
      const Message& message = traffic_.messages[id];
      const OpId other = message.send == op ? message.recv : message.send;
      if (!begun_[other]) return other;
    }
    return op;  // not reached: an op that waits for nothing has ended
  }

  const Schedule& schedule_;
  const Traffic& traffic_;
  Dependents dependents_;
  std::vector<OpEvent> events_;
  std::vector<bool> begun_, ended_;
  std::vector<std::uint32_t> waits_to_begin_, waits_to_end_;
};

std::string describe_cycle(const Schedule& schedule, const Traffic& traffic,
                           const std::vector<OpId>& cycle) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
    const Rank rank = traffic.rank_of[cycle[i]];
    text += fmt::format("rank {} op {} ({}) waits for ", rank, traffic.local(cycle[i]),
                        describe(schedule.programs[rank], traffic.op(schedule, cycle[i])));
  }
  if (cycle.size() > kShown) text += fmt::format("... {} more, for ", cycle.size() - kShown);
  return text +
         fmt::format("rank {} op {} again", traffic.rank_of[cycle[0]], traffic.local(cycle[0]));
}

}  // namespace

std::optional<std::vector<OpEvent>> synchronous_order(const Schedule& schedule,
                                                      const Traffic& traffic, Findings& findings) {
  Run run(schedule, traffic);
  if (run.run()) return run.take_events();
  const std::vector<OpId> cycle = run.cycle();
  findings.add(FindingKind::Deadlock, traffic.rank_of[cycle[0]], traffic.local(cycle[0]), [&] {
    return Findings::Words{"with synchronous sends " + describe_cycle(schedule, traffic, cycle),
                           "no cycle of waits"};
  });
  return std::nullopt;
}

}  // namespace espalier::verify
