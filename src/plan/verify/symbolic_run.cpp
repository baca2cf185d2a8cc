#include "verify/symbolic_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verify/describe.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;

}  // namespace

SymbolicRun::SymbolicRun(const Schedule& schedule, const Traffic& traffic, Findings& findings)
    : schedule_(schedule),
      traffic_(traffic),
      findings_(findings),
      expressions_(schedule.call.size),
      memory_(schedule.call.size) {
  const Collective& call = schedule.call;
  for (Rank rank = 0; rank < call.size; ++rank) {
    memory_[rank][static_cast<std::size_t>(Buffer::In)].assign(0, units_in(call, rank),
                                                               {expressions_.input(rank), 0});
  }
  if (call.operation == Operation::Broadcast) {
    memory_[call.root][static_cast<std::size_t>(Buffer::Out)].assign(
        0, units_out(call, call.root), {expressions_.input(call.root), 0});
  }
  elements_before_.push_back(0);
  for (const std::uint64_t count : call.counts) {
    elements_before_.push_back(elements_before_.back() + count);
  }
  statistics_.ops = traffic.ops();
}

void SymbolicRun::run(const std::vector<OpEvent>& order) {
  std::vector<bool> begun(traffic_.ops());
  for (const OpEvent& event : order) {
    if (event.end) continue;
    begun[event.op] = true;
    const Op& op = traffic_.op(schedule_, event.op);
    switch (op.kind) {
      case OpKind::Reduce:
        reduce(event.op);
        break;
      case OpKind::Copy:
        from_.clear();
        read(event.op, op.from, from_);
        write(traffic_.rank_of[event.op], op.to, from_);
        break;
      default:
        for (const std::uint32_t id : traffic_.messages_of(event.op)) {
          const Message& message = traffic_.messages[id];
          if (begun[message.send] && begun[message.recv]) carry(message);
        }
    }
  }
}

void SymbolicRun::read(OpId op, const Region& region, Wire& wire) {
  const Rank rank = traffic_.rank_of[op];
  const auto& values = memory_[rank][static_cast<std::size_t>(region.buffer)];
  const auto add = [&](std::uint64_t begin, std::uint64_t end, const SymbolicValue* value) {
    Chunk chunk{end - begin, kWrong, 0};
    if (value == nullptr) {
      report_undefined(op, region.buffer, begin, end);
    } else if (value->expr != kWrong) {
      chunk = {end - begin, value->expr, begin + value->shift};
    }
    if (!wire.empty() && wire.back().expr == chunk.expr &&
        (chunk.expr == kWrong || wire.back().coordinate + wire.back().length == chunk.coordinate)) {
      wire.back().length += chunk.length;
    } else {
      wire.push_back(chunk);
    }
  };
  for_each_stretch(schedule_.programs[rank], region,
                   [&](std::uint64_t offset, std::uint64_t length) {
                     values.for_each(offset, offset + length, add);
                   });
}

void SymbolicRun::write(Rank rank, const Region& region, const Wire& wire) {
  auto& values = memory_[rank][static_cast<std::size_t>(region.buffer)];
  std::size_t chunk = 0;
  std::uint64_t used = 0;  // of that chunk
  for_each_stretch(schedule_.programs[rank], region, [&](std::uint64_t at, std::uint64_t length) {
    while (length > 0) {
      const Chunk& c = wire[chunk];
      const std::uint64_t n = std::min(length, c.length - used);
      const std::uint64_t shift = c.expr == kWrong ? 0 : c.coordinate + used - at;
      values.assign(at, at + n, {c.expr, shift});
      at += n;
      length -= n;
      used += n;
      if (used == c.length) {
        ++chunk;
        used = 0;
      }
    }
  });
}

void SymbolicRun::carry(const Message& message) {
  from_.clear();
  read(message.send, region_of_message(traffic_.op(schedule_, message.send), message.to), from_);
  write(message.to, region_of_message(traffic_.op(schedule_, message.recv), message.from), from_);
  ++statistics_.messages;
  for (const Chunk& chunk : from_) {
    statistics_.units += chunk.length;
    statistics_.bytes.value += elements(chunk) * schedule_.call.element.value;
  }
}

/// Elements of the units of a chunk; in v forms those of its blocks, if they are known.
std::uint64_t SymbolicRun::elements(const Chunk& chunk) const {
  const Collective& call = schedule_.call;
  if (!call.irregular()) return chunk.length;
  if (chunk.expr == kWrong) return 0;
  std::uint64_t first = chunk.coordinate;
  if (call.operation == Operation::Alltoall) {
    first += std::uint64_t{expressions_.rank_of(chunk.expr)} * call.size;
  } else if (call.operation == Operation::Gather || call.operation == Operation::Allgather) {
    first = expressions_.rank_of(chunk.expr);
  } else if (is_neighbourhood(call.operation)) {
    return chunk.length * call.counts[expressions_.rank_of(chunk.expr)];
  }
  return elements_before_[first + chunk.length] - elements_before_[first];
}

void SymbolicRun::reduce(OpId id) {
  const Op& op = traffic_.op(schedule_, id);
  from_.clear();
  to_.clear();
  result_.clear();
  read(id, op.from, from_);
  read(id, op.to, to_);
  const auto rest = [](const Chunk& c, std::uint64_t used, std::uint64_t n) {
    return Chunk{n, c.expr, c.coordinate + used};
  };
  std::uint64_t used_from = 0, used_to = 0;
  for (std::size_t f = 0, t = 0; f < from_.size() && t < to_.size();) {
    const std::uint64_t n = std::min(from_[f].length - used_from, to_[t].length - used_to);
    const Chunk from = rest(from_[f], used_from, n);
    const Chunk to = rest(to_[t], used_to, n);
    result_.push_back(op.operands == Operands::FromThenTo ? combine(id, from, to)
                                                          : combine(id, to, from));
    statistics_.reduced_units += n;
    used_from += n;
    used_to += n;
    if (used_from == from_[f].length) {
      ++f;
      used_from = 0;
    }
    if (used_to == to_[t].length) {
      ++t;
      used_to = 0;
    }
  }
  write(traffic_.rank_of[id], op.to, result_);
}

SymbolicRun::Chunk SymbolicRun::combine(OpId op, const Chunk& left, const Chunk& right) {
  const Chunk wrong{left.length, kWrong, 0};
  if (left.expr == kWrong || right.expr == kWrong) return wrong;
  const RankSet& a = expressions_.ranks(left.expr);
  const RankSet& b = expressions_.ranks(right.expr);
  const auto text = [&](const RankSet& set) { return expressions_.sets().to_text(set); };
  if (left.coordinate != right.coordinate) {
    report_reduction(op,
                     fmt::format("combines unit {} of the inputs with unit {}", left.coordinate,
                                 right.coordinate),
                     "units of the same place");
    return wrong;
  }
  if (!expressions_.sets().disjoint(a, b)) {
    report_reduction(
        op, fmt::format("combines what has ranks {} with what has ranks {}", text(a), text(b)),
        "each rank's input once");
    return wrong;
  }
  if (!schedule_.call.commutative && (a.last + 1 != b.first || !a.is_run() || !b.is_run())) {
    report_reduction(
        op, fmt::format("has ranks {} on the left and ranks {} on the right", text(a), text(b)),
        "neighbouring runs of ranks, the lower on the left: the operation does not "
        "commute");
    return wrong;
  }
  return {left.length, expressions_.combine(left.expr, right.expr), left.coordinate};
}

void SymbolicRun::report_undefined(OpId op, Buffer buffer, std::uint64_t begin, std::uint64_t end) {
  const Rank rank = traffic_.rank_of[op];
  findings_.add(FindingKind::Undefined, rank, traffic_.local(op), [&] {
    return Findings::Words{
        fmt::format("{} reads {}, which holds nothing yet",
                    describe(schedule_.programs[rank], traffic_.op(schedule_, op)),
                    describe(buffer, begin, end)),
        "units that an earlier op has written"};
  });
}

void SymbolicRun::report_reduction(OpId op, const std::string& what, const std::string& expected) {
  const Rank rank = traffic_.rank_of[op];
  findings_.add(FindingKind::WrongReduction, rank, traffic_.local(op), [&] {
    return Findings::Words{
        fmt::format("{} {}", describe(schedule_.programs[rank], traffic_.op(schedule_, op)), what),
        expected};
  });
}

Statistics SymbolicRun::statistics() const {
  Statistics all = statistics_;
  all.expressions = expressions_.combined();
  return all;
}

}  // namespace espalier::verify
