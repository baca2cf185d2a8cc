#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/units.hpp"
#include "report/critical_list.hpp"
#include "report/lanes.hpp"
#include "report/outline.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

constexpr std::size_t kLanesOfAFoldedDrawing = 24;
constexpr std::size_t kStretchesOfAFoldedDrawing = 24;
constexpr std::size_t kWidestTimeLine = 72;
constexpr std::size_t kNarrowestTimeLine = 12;
constexpr std::size_t kKinds = 7;

/// How long each kind of activity goes on in a slice of the time.
struct CellOfTime {
  std::array<std::int64_t, kKinds> share{};
  std::array<bool, kKinds> touched{};
  std::array<std::uint32_t, kKinds> level{};
};

std::size_t cell_at(Time t, Time horizon, std::size_t cells) {
  if (horizon == Time{0}) return 0;
  const auto scaled = static_cast<__int128>(t.picoseconds) * static_cast<__int128>(cells);
  return std::min(static_cast<std::size_t>(scaled / horizon.picoseconds), cells - 1);
}

Time start_of(std::size_t cell, Time horizon, std::size_t cells) {
  return Time{static_cast<std::int64_t>(static_cast<__int128>(horizon.picoseconds) *
                                        static_cast<__int128>(cell) /
                                        static_cast<__int128>(cells))};
}

std::vector<CellOfTime> measure(const Lane& lane, Time horizon, std::size_t count) {
  std::vector<CellOfTime> cells(count);
  for (const Activity& a : lane.activities) {
    const auto kind = static_cast<std::size_t>(a.kind);
    const std::size_t last = cell_at(a.end, horizon, count);
    for (std::size_t i = cell_at(a.begin, horizon, count); i <= last; ++i) {
      const Time from = std::max(a.begin, start_of(i, horizon, count));
      const Time to = std::min(a.end, start_of(i + 1, horizon, count));
      // It ends where this cell begins.
      if (to <= from && a.begin < a.end) continue;
      CellOfTime& cell = cells[i];
      cell.share[kind] += std::max<std::int64_t>(0, (to - from).picoseconds);
      // Slow channels are what is looked for.
      cell.level[kind] = cell.touched[kind] ? std::min(cell.level[kind], a.level) : a.level;
      cell.touched[kind] = true;
    }
  }
  return cells;
}

std::size_t index(Activity::Kind kind) { return static_cast<std::size_t>(kind); }

/// What the processor does most in this cell, if anything.
std::optional<Activity::Kind> work_in(const CellOfTime& cell) {
  using Kind = Activity::Kind;
  std::optional<Kind> most;
  for (const Kind kind : {Kind::Send, Kind::Recv, Kind::Reduce, Kind::Copy}) {
    if (!cell.touched[index(kind)]) continue;
    if (!most || cell.share[index(kind)] > cell.share[index(*most)]) most = kind;
  }
  return most;
}

Span glyph_of_work(const CellOfTime& cell, Time width, Activity::Kind work) {
  using Kind = Activity::Kind;
  const bool mostly = 2 * cell.share[index(work)] >= width.picoseconds;
  const Style style = level_style(cell.level[index(work)]);
  if (work == Kind::Send) return {mostly ? "█" : "▄", style};
  if (work == Kind::Recv) return {mostly ? "▒" : "░", style};
  return {work == Kind::Reduce ? "▓" : "=", Style::Plain};
}

/// Work comes first, unless it is next to nothing while bytes come in most of the time.
Span glyph(const CellOfTime& cell, Time width, bool done) {
  using Kind = Activity::Kind;
  const std::size_t arrives = index(Kind::Arrives);
  const auto work = work_in(cell);
  const bool drowned = work && 8 * cell.share[index(*work)] < width.picoseconds &&
                       2 * cell.share[arrives] >= width.picoseconds;
  if (work && !drowned) return glyph_of_work(cell, width, *work);
  if (cell.touched[index(Kind::Late)]) return {"~", Style::Bad};
  if (cell.touched[arrives]) return {"━", level_style(cell.level[arrives])};
  if (cell.touched[index(Kind::UnderWay)]) {
    return {"─", level_style(cell.level[index(Kind::UnderWay)])};
  }
  return done ? Span{" ", Style::Plain} : Span{"·", Style::Dim};
}

void append(Spans& spans, Span span) {
  if (!spans.empty() && spans.back().style == span.style) {
    spans.back().text += span.text;
  } else {
    spans.push_back(std::move(span));
  }
}

Spans time_line(const Lane& lane, Time horizon, std::size_t count) {
  Spans spans;
  const std::vector<CellOfTime> cells = measure(lane, horizon, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Time from = start_of(i, horizon, count);
    append(spans, glyph(cells[i], start_of(i + 1, horizon, count) - from, lane.finish <= from));
  }
  return spans;
}

/// The critical path as one more lane: lines for messages, blocks for processors, and where there
/// is room the rank whose turn it is.
Spans path_line(const sim::SimResult& result, const Machine& machine, Time horizon,
                std::size_t count) {
  Spans cells(count, Span{" ", Style::Plain});
  std::size_t labelled_to = 0;
  Rank labelled = kNoRank;
  for (const PathStretch& s : critical_stretches(result)) {
    const std::size_t first = cell_at(s.begin, horizon, count);
    const std::size_t last = cell_at(s.end, horizon, count);
    const Style style = s.travels ? level_style(machine.path(s.rank, s.peer).level) : Style::Bold;
    for (std::size_t i = first; i < std::max(last, first + 1); ++i) {
      if (i >= labelled_to) cells[i] = {s.late ? "~" : s.travels ? "─" : "█", style};
    }
    const std::string label = fmt::format("{}", s.rank);
    const std::size_t from = std::max(first, labelled_to);
    if (s.late || s.rank == labelled || last < from + label.size() + 1) continue;
    labelled = s.rank;
    for (std::size_t i = 0; i < label.size(); ++i) {
      cells[from + i] = {label.substr(i, 1), Style::Bold};
    }
    labelled_to = from + label.size();
  }
  Spans joined;
  for (Span& cell : cells) append(joined, std::move(cell));
  return joined;
}

/// The lanes without their time lines: those take what room is left.
Table lane_table(const Lanes& lanes, const Machine& machine) {
  Table table{
      {{"", "rank", Align::Left}, {"", "place", Align::Left, 8}, {"", "done", Align::Right}}, {}};
  for (const Lane& lane : lanes.lanes) {
    const Style style = lane.critical ? Style::Bold : Style::Plain;
    Cell finish{lane.finish, style};
    if (lane.finish == kForever) finish = {"never", Style::Bad};
    table.rows.push_back({{fmt::format("{}{}", lane.rank, lane.critical ? "*" : ""), style},
                          {place_of(machine, lane.rank), Style::Dim},
                          finish});
  }
  table.rows.push_back({{"path", Style::Dim}, {}, {}});
  return table;
}

std::string drawn_lanes(const SimulatedPlan& plan, const Machine& machine, const Canvas& canvas,
                        Detail detail) {
  const Lanes lanes =
      lanes_of(plan, machine,
               detail == Detail::Folded ? kLanesOfAFoldedDrawing : plan.result.rank_finish.size());
  Table table = lane_table(lanes, machine);
  const std::size_t room = std::min(free_width(table, canvas), kWidestTimeLine);
  const bool drawn = room >= kNarrowestTimeLine && lanes.horizon > Time{0};
  if (drawn) {
    const std::string end = rounded(lanes.horizon);
    const std::size_t between = room > end.size() + 1 ? room - end.size() - 1 : 1;
    table.columns.push_back({"", fmt::format("0{}{}", std::string(between, ' '), end)});
    for (std::size_t i = 0; i < lanes.lanes.size(); ++i) {
      table.rows[i].emplace_back(time_line(lanes.lanes[i], lanes.horizon, room));
    }
    table.rows.back().emplace_back(path_line(plan.result, machine, lanes.horizon, room));
  }
  if (!drawn || plan.result.critical_path.empty()) table.rows.pop_back();
  std::string text = to_text(table, canvas);
  if (lanes.hidden > 0) {
    text += fmt::format("({} more ranks; --all shows them)\n", grouped(lanes.hidden));
  }
  if (!drawn) return text;
  constexpr std::string_view kLegend =
      "█ sends, ▄ for a part of that time; ▒ receives, ░ for a part; ▓ combines; = copies; ─ a "
      "message to it is under way, ━ its bytes arrive; · waits; ~ has not entered; * on the "
      "critical path";
  return text + "\n" + paint(wrapped(kLegend, canvas.width), Style::Dim, canvas);
}

std::string bottleneck_line(const SimulatedPlan& plan, const Machine& machine,
                            const Canvas& canvas) {
  const sim::SimResult& result = plan.result;
  if (result.bottleneck == sim::kNoResource) return "";
  const sim::ResourceUse& use = result.resources[result.bottleneck];
  const Time work = transfer_time(use.bytes, use.resource.capacity);
  std::string text =
      fmt::format("busiest: {}, {} at {}: {} of work", sim::describe(use.resource, machine),
                  to_string(use.bytes), to_string(use.resource.capacity), rounded(work));
  if (result.finish != kForever && result.finish > Time{0}) {
    text +=
        fmt::format(", {:.0f} % of the time", 100 * to_seconds(work) / to_seconds(result.finish));
  }
  return wrapped(text, canvas.width);
}

std::string headline(const SimulatedPlan& plan, const Canvas& canvas) {
  const auto stuck =
      std::count(plan.result.rank_finish.begin(), plan.result.rank_finish.end(), kForever);
  const std::string end = stuck == 0
                              ? "done after " + rounded(plan.result.finish)
                              : counted(static_cast<std::uint64_t>(stuck), "rank") + " never done";
  return paint(
      wrapped(fmt::format("{}: {}, {}", call_in_words(plan.call), plan.name, end), canvas.width),
      Style::Bold, canvas);
}

}  // namespace

Table level_use_table(const sim::SimResult& result, const Machine& machine) {
  Table table = level_table(machine);
  table.columns.push_back({"messages", "messages", Align::Right});
  table.columns.push_back({"bytes", "bytes", Align::Right});
  for (std::uint32_t l = 0; l < table.rows.size(); ++l) {
    table.rows[l].emplace_back(grouped(result.levels[l].messages));
    table.rows[l].emplace_back(to_string(result.levels[l].bytes));
  }
  return table;
}

std::string call_in_words(const schedule::Collective& call) {
  const std::string among = counted(call.size, "process");
  if (call.operation == schedule::Operation::Barrier) {
    return fmt::format("barrier among {}", among);
  }
  if (call.irregular())
    return fmt::format("{} of uneven blocks among {}", name_of(call.operation), among);
  return fmt::format("{} of {} among {}", name_of(call.operation),
                     to_string(Bytes{call.count * call.element.value}), among);
}

std::string draw_timeline(const SimulatedPlan& plan, const Machine& machine, const Canvas& canvas,
                          Detail detail) {
  std::string text = headline(plan, canvas) + "\n" + drawn_lanes(plan, machine, canvas, detail);
  if (!plan.result.critical_path.empty()) {
    const std::size_t most =
        detail == Detail::Folded ? kStretchesOfAFoldedDrawing : plan.result.critical_path.size();
    text += "\n" + paint("critical path", Style::Bold, canvas) + "\n" +
            to_text(critical_table(plan, machine, most), canvas);
  }
  return text + "\n" + to_text(level_use_table(plan.result, machine), canvas) +
         bottleneck_line(plan, machine, canvas);
}

}  // namespace espalier::report
