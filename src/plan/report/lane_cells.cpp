#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "report/critical_list.hpp"
#include "report/lanes.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

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

void append_cell(Spans& spans, Span span) {
  if (!spans.empty() && spans.back().style == span.style) {
    spans.back().text += span.text;
  } else {
    spans.push_back(std::move(span));
  }
}

}  // namespace

Spans time_line(const Lane& lane, Time horizon, std::size_t count) {
  Spans spans;
  const std::vector<CellOfTime> cells = measure(lane, horizon, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Time from = start_of(i, horizon, count);
    append_cell(spans,
                glyph(cells[i], start_of(i + 1, horizon, count) - from, lane.finish <= from));
  }
  return spans;
}

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
  for (Span& cell : cells) append_cell(joined, std::move(cell));
  return joined;
}

}  // namespace espalier::report
