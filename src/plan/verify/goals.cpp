#include "verify/goals.hpp"

#include <fmt/format.h>

#include "verify/checks.hpp"
#include "verify/describe.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;

/// The op that comes last of those that write a unit, to say where to look.
std::uint32_t last_writer(const Program& program, Buffer buffer, std::uint64_t unit) {
  std::uint32_t found = kNoOp;
  for (std::uint32_t id = 0; id < program.ops.size(); ++id) {
    const Op& op = program.ops[id];
    if (op.kind == OpKind::Send || op.to.buffer != buffer) continue;
    const auto look = [&](std::uint64_t offset, std::uint64_t length) {
      if (offset <= unit && unit < offset + length) found = id;
    };
    if (op.kind == OpKind::Recv) {
      for_each_message(program, op,
                       [&](Rank, const Region& one) { for_each_stretch(program, one, look); });
    } else {
      for_each_stretch(program, op.to, look);
    }
  }
  return found;
}

std::string text_of(const Collective& call, Rank first, Rank last, std::uint64_t begin,
                    std::uint64_t end) {
  const char* source = call.operation == Operation::Broadcast ? "Out" : "In";
  const std::string where = fmt::format("{}[{}, {})", source, begin, end);
  if (first == last) return fmt::format("{} of rank {}", where, first);
  return fmt::format("{} of ranks {}-{} combined", where, first, last);
}

std::string text_of(const Collective& call, const Expressions& expressions,
                    const SymbolicValue& value, std::uint64_t begin, std::uint64_t end) {
  if (value.expr == kUndefined) return "nothing";
  if (value.expr == kWrong) return "what came of an earlier finding";
  const RankSet& ranks = expressions.ranks(value.expr);
  if (ranks.is_run()) {
    return text_of(call, ranks.first, ranks.last, begin + value.shift, end + value.shift);
  }
  return fmt::format("In[{}, {}) of ranks {} combined", begin + value.shift, end + value.shift,
                     expressions.sets().to_text(ranks));
}

class GoalCheck {
 public:
  GoalCheck(const Schedule& schedule, const SymbolicRun& run, Findings& findings)
      : schedule_(schedule), run_(run), findings_(findings) {}

  void check(Rank rank) {
    const auto& out = run_.buffer(rank, Buffer::Out);
    for (const Goal& goal : goals_of(schedule_.call, rank)) {
      out.for_each(goal.begin, goal.end,
                   [&](std::uint64_t begin, std::uint64_t end, const SymbolicValue* value) {
                     if (value == nullptr && goal.may_be_missing) return;
                     const SymbolicValue found = value == nullptr ? SymbolicValue{} : *value;
                     if (!meets(found, goal)) report(rank, goal, begin, end, found);
                   });
    }
  }

  /// Rank 0 speaks for all: whoever differs from it is reported.
  void check_same_bits() {
    for (Rank rank = 1; rank < schedule_.call.size; ++rank) {
      const auto& here = run_.buffer(rank, Buffer::Out);
      const auto& there = run_.buffer(0, Buffer::Out);
      here.for_each(0, units_out(schedule_.call, rank),
                    [&](std::uint64_t begin, std::uint64_t end, const SymbolicValue* mine) {
                      there.for_each(
                          begin, end,
                          [&](std::uint64_t b, std::uint64_t e, const SymbolicValue* theirs) {
                            if (mine == nullptr || theirs == nullptr) return;
                            if (*mine != *theirs) {
                              report_bits(rank, b, e, mine->expr, theirs->expr);
                            }
                          });
                    });
    }
  }

 private:
  [[nodiscard]] bool meets(const SymbolicValue& value, const Goal& goal) const {
    if (value.expr == kUndefined || value.expr == kWrong || value.shift != goal.shift) return false;
    const RankSet& ranks = run_.expressions().ranks(value.expr);
    return ranks.is_run() && ranks.first == goal.first && ranks.last == goal.last;
  }

  [[nodiscard]] std::uint32_t where_to_look(Rank rank, std::uint64_t unit) const {
    if (findings_.full()) return kNoOp;
    return last_writer(schedule_.programs[rank], Buffer::Out, unit);
  }

  void report(Rank rank, const Goal& goal, std::uint64_t begin, std::uint64_t end,
              const SymbolicValue& value) {
    const Collective& call = schedule_.call;
    const std::uint32_t op = where_to_look(rank, begin);
    findings_.add(FindingKind::WrongResult, rank, op, [&] {
      return Findings::Words{
          fmt::format("{} ends up with {}", describe(Buffer::Out, begin, end),
                      text_of(call, run_.expressions(), value, begin, end)),
          text_of(call, goal.first, goal.last, begin + goal.shift, end + goal.shift)};
    });
  }

  void report_bits(Rank rank, std::uint64_t begin, std::uint64_t end, ExprId mine, ExprId theirs) {
    const std::uint32_t op = where_to_look(rank, begin);
    findings_.add(FindingKind::DifferentBits, rank, op, [&] {
      return Findings::Words{fmt::format("{} is {}", describe(Buffer::Out, begin, end),
                                         run_.expressions().to_text(mine)),
                             fmt::format("{} as on rank 0, so that all have the same bits",
                                         run_.expressions().to_text(theirs))};
    });
  }

  const Schedule& schedule_;
  const SymbolicRun& run_;
  Findings& findings_;
};

/// Of v forms: nothing has to arrive there, but what does, has to be the block of no bytes.
bool is_empty_block(const Collective& call, std::size_t block) {
  return call.irregular() && block < call.counts.size() && call.counts[block] == 0;
}

/// The block of each source, at the place of that source. What no neighbour sends has no goal.
std::vector<Goal> neighbour_goals(const Collective& call, Rank rank) {
  std::vector<Goal> goals;
  const std::vector<std::uint32_t> sent_as = blocks_sent_to(*call.graph, rank);
  for (std::uint64_t place = 0; place < sent_as.size(); ++place) {
    const Rank from = call.graph->sources.of(rank)[place];
    if (from == kNoRank) continue;
    const bool is_one = call.operation == Operation::NeighbourAllgather;
    const std::uint64_t block = is_one ? 0 : sent_as[place];
    goals.push_back({place, place + 1, from, from, block - place, is_empty_block(call, from)});
  }
  return goals;
}

}  // namespace

std::vector<Goal> goals_of(const Collective& call, Rank rank) {
  const std::uint64_t units = units_out(call, rank);
  const std::uint64_t block = call.block();
  const Rank last = call.size - 1;
  if (units == 0) return {};
  switch (call.operation) {
    case Operation::Broadcast:
      return {{0, units, call.root, call.root, 0}};
    case Operation::Reduce:
    case Operation::Allreduce:
      return {{0, units, 0, last, 0}};
    case Operation::Scatter:
      return {{0, units, call.root, call.root, rank * block, is_empty_block(call, rank)}};
    case Operation::ReduceScatter:
      return {{0, units, 0, last, rank * block}};
    case Operation::Scan:
      return {{0, units, 0, rank, 0}};
    case Operation::Exscan:
      if (rank == 0) return {};
      return {{0, units, 0, rank - 1, 0}};
    case Operation::Gather:
    case Operation::Allgather:
    case Operation::Alltoall:
      break;
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      return neighbour_goals(call, rank);
    case Operation::Barrier:
    case Operation::Unknown:
      return {};
  }
  std::vector<Goal> goals;
  const std::uint64_t mine = call.operation == Operation::Alltoall ? rank * block : 0;
  for (Rank from = 0; from < call.size; ++from) {
    const bool is_empty = is_empty_block(
        call, call.operation == Operation::Alltoall ? std::size_t{from} * call.size + rank : from);
    goals.push_back({from * block, (from + 1) * block, from, from, mine - from * block, is_empty});
  }
  return goals;
}

void check_goals(const Schedule& schedule, const SymbolicRun& run, Findings& findings) {
  GoalCheck check(schedule, run, findings);
  const bool sound_so_far = findings.none();
  for (Rank rank = 0; rank < schedule.call.size; ++rank) check.check(rank);
  // Bits of wrong results are of no interest.
  if (schedule.call.operation == Operation::Allreduce && sound_so_far && findings.none()) {
    check.check_same_bits();
  }
}

void describe_association(const Collective& call, const SymbolicRun& run, Verdict& verdict) {
  if (!reduces(call.operation)) return;
  const bool per_rank = call.operation == Operation::Scan || call.operation == Operation::Exscan;
  verdict.one_association = true;
  ExprId first = kUndefined;
  for (Rank rank = 0; rank < call.size; ++rank) {
    if (per_rank) first = kUndefined;
    for (const Goal& goal : goals_of(call, rank)) {
      run.buffer(rank, Buffer::Out)
          .for_each(goal.begin, goal.end,
                    [&](std::uint64_t begin, std::uint64_t end, const SymbolicValue* value) {
                      const ExprId expr = value == nullptr ? kUndefined : value->expr;
                      if (first == kUndefined) first = expr;
                      verdict.one_association &= expr == first;
                      for (const std::uint64_t word :
                           {std::uint64_t{rank}, begin, end, run.expressions().hash(expr)}) {
                        verdict.association = mix(verdict.association, word);
                      }
                    });
    }
  }
}

}  // namespace espalier::verify
