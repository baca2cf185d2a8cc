#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "report/critical_list.hpp"
#include "report/figures.hpp"
#include "report/lanes.hpp"
#include "report/outline.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

constexpr std::size_t kLanesOfAFoldedDrawing = 24;
constexpr std::size_t kStretchesOfAFoldedDrawing = 24;
constexpr std::size_t kWidestTimeLine = 72;
constexpr std::size_t kNarrowestTimeLine = 12;

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
      "█ sends, ▄ for a part of that time; ▒ receives, ░ for a part; ▓ combines or computes; = "
      "copies; ─ a "
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
  for (Column& column : table.columns) {
    // The columns that say what crossed a level matter more.
    column.shrinks_to = std::min<std::size_t>(column.shrinks_to, 4);
  }
  table.columns.push_back({"messages", "messages", Align::Right});
  table.columns.push_back({"bytes", "bytes", Align::Right});
  for (std::uint32_t l = 0; l < table.rows.size(); ++l) {
    table.rows[l].emplace_back(grouped(result.levels[l].messages));
    table.rows[l].emplace_back(to_string(result.levels[l].bytes));
  }
  return table;
}

std::string operation_in_words(const schedule::Collective& call) {
  std::string name(name_of(call.operation));
  if (!call.irregular()) return name;
  // MPI_Reduce_scatter has no v in its name though its blocks differ in length.
  return name + (call.operation == schedule::Operation::ReduceScatter ? " of uneven blocks" : "v");
}

std::vector<std::string> bytes_of_levels(const SimulatedPlan& plan) {
  std::vector<Bytes> bytes;
  for (const sim::LevelUse& use : plan.result.levels) bytes.push_back(use.bytes);
  return rounded(bytes);
}

std::string call_in_words(const schedule::Collective& call) {
  const std::string among = counted(call.size, "process");
  if (call.operation == schedule::Operation::Barrier) {
    return fmt::format("barrier among {}", among);
  }
  if (call.irregular()) return fmt::format("{} among {}", operation_in_words(call), among);
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
