#include "report/critical_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/outline.hpp"

namespace espalier::report {
namespace {

using sim::CriticalStep;
using Kind = CriticalStep::Kind;

bool joins_steps(const PathStretch& stretch, const CriticalStep& step) {
  const bool travels = step.kind == Kind::Transfer;
  if (stretch.late || step.kind == Kind::Late) return false;
  if (stretch.travels != travels || stretch.rank != step.rank) return false;
  return !travels || (stretch.peer == step.peer && stretch.slowed_by == step.slowed_by);
}

/// What a processor does, if that is of one kind.
std::string alone(const PathStretch& stretch) {
  const std::size_t messages = stretch.recvs + stretch.sends;
  if (messages == 0) {
    const std::size_t count = stretch.reduces + stretch.copies + stretch.computes;
    const char* verb = stretch.computes > 0  ? "computes"
                       : stretch.reduces > 0 ? "combines"
                                             : "copies";
    return count == 1 ? verb : fmt::format("{} {} times", verb, count);
  }
  std::string text = stretch.recvs > 0 ? "receives" : "sends";
  if (messages > 1 || stretch.peer == kNoRank) text += " " + counted(messages, "message");
  if (stretch.peer == kNoRank) return text;
  return fmt::format("{} {} {}", text, stretch.recvs > 0 ? "from" : "to", stretch.peer);
}

/// Latency or handshake for most of it, or which resource held the bytes back.
std::string reason(const PathStretch& stretch, const SimulatedPlan& plan,
                   const topology::Machine& machine) {
  if (!stretch.travels) return stretch.late ? "" : "processor";
  if (2 * stretch.moving < stretch.end - stretch.begin) return "latency";
  if (stretch.slowed_by == sim::kNoResource) return "cap of a flow";
  return sim::describe(plan.result.resources[stretch.slowed_by].resource, machine);
}

}  // namespace

std::vector<PathStretch> critical_stretches(const sim::SimResult& result) {
  std::vector<PathStretch> found;
  for (const CriticalStep& step : result.critical_path) {
    if (found.empty() || !joins_steps(found.back(), step)) {
      PathStretch fresh;
      fresh.travels = step.kind == Kind::Transfer;
      fresh.late = step.kind == Kind::Late;
      fresh.rank = step.rank;
      fresh.peer = step.peer;
      fresh.begin = step.begin;
      fresh.slowed_by = step.slowed_by;
      found.push_back(fresh);
    }
    PathStretch& stretch = found.back();
    stretch.end = step.end;
    if (stretch.peer != step.peer) stretch.peer = kNoRank;
    stretch.messages += step.kind == Kind::Transfer ? 1 : 0;
    stretch.sends += step.kind == Kind::Send ? 1 : 0;
    stretch.recvs += step.kind == Kind::Recv ? 1 : 0;
    stretch.reduces += step.kind == Kind::Reduce ? 1 : 0;
    stretch.copies += step.kind == Kind::Copy ? 1 : 0;
    stretch.computes += step.kind == Kind::Compute ? 1 : 0;
    if (stretch.travels) stretch.moving += step.end - std::max(step.begin, step.flows);
  }
  return found;
}

std::string describe(const PathStretch& stretch) {
  if (stretch.late) return fmt::format("{} enters late", stretch.rank);
  if (stretch.travels) {
    const std::string way = fmt::format("{} -> {}", stretch.rank, stretch.peer);
    return stretch.messages == 1
               ? way
               : fmt::format("{}, {} in a row", way, counted(stretch.messages, "message"));
  }
  std::vector<std::string> parts;
  const auto add = [&](const char* verb, std::size_t count) {
    if (count > 0) parts.push_back(fmt::format("{} {}", verb, count));
  };
  add("receives", stretch.recvs);
  add("combines", stretch.reduces);
  add("copies", stretch.copies);
  add("computes", stretch.computes);
  add("sends", stretch.sends);
  if (parts.size() == 1) parts[0] = alone(stretch);
  return fmt::format("{} {}", stretch.rank, fmt::join(parts, ", "));
}

Table critical_table(const SimulatedPlan& plan, const topology::Machine& machine,
                     std::size_t most) {
  const std::vector<PathStretch> stretches = critical_stretches(plan.result);
  Table table{{{"", "at", Align::Right},
               {"", "takes", Align::Right},
               {"", "what", Align::Left, 22},
               {"", "over", Align::Left, 8},
               {"", "decided by", Align::Left, 12}},
              {}};
  const std::size_t head = stretches.size() > most ? most / 2 : stretches.size();
  const std::size_t tail = stretches.size() > most ? most - most / 2 - 1 : 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i == head) {
      const std::string more = fmt::format("… {} more", stretches.size() - head - tail);
      table.rows.push_back({{}, {}, {more, Style::Dim}, {}, {}});
    }
    if (i >= head && i + tail < stretches.size()) continue;
    const PathStretch& s = stretches[i];
    Cell over;
    if (s.peer != kNoRank && s.peer != s.rank) {
      const std::uint32_t level = machine.path(s.rank, s.peer).level;
      over = {channel_name(machine, level), level_style(level)};
    }
    table.rows.push_back({{s.begin},
                          {s.end - s.begin},
                          {describe(s)},
                          over,
                          {reason(s, plan, machine), Style::Dim}});
  }
  return table;
}

}  // namespace espalier::report
