#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.hpp"
#include "report/axis.hpp"
#include "report/critical_list.hpp"
#include "report/lanes.hpp"
#include "report/outline.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

using topology::Machine;
using ActivityKind = Activity::Kind;

constexpr std::size_t kMostLanes = 64;
/// More lines than that are a grey cloud: then only those of the critical path are drawn.
constexpr std::size_t kMostArrows = 800;
/// Up to so many are drawn with wide lines.
constexpr std::size_t kFewArrows = 120;
constexpr double kTimelineMargin = 18;
constexpr double kTimelineWidth = 760;
constexpr double kTimelineRight = 48;
constexpr double kTimelineTop = 86;
constexpr double kLaneTextSize = 11.5;
constexpr double kLaneBarTextSize = 9.5;
constexpr double kFaint = 0.4;  ///< opacity of arriving bytes, drawn behind all else
constexpr std::string_view kWork = "#7f7f7f";
constexpr std::string_view kLate = "#e8c9c9";

struct TimelineSheet {
  Lanes lanes;
  std::vector<double> middle;  ///< middle of each rank's lane; < 0: the rank has no lane
  double row = 20;
  double place = 0;  ///< x of the column of places
  double left = 0;   ///< x of the time axis
  double width = kTimelineWidth;
  FittedAxis time;

  [[nodiscard]] double x(Time t) const { return left + time.place(to_seconds(t)) * width; }
  [[nodiscard]] double bottom() const {
    return kTimelineTop + row * static_cast<double>(lanes.lanes.size());
  }
};

TimelineSheet timeline_sheet(const SimulatedPlan& plan, const Machine& machine, Detail detail,
                             double paper) {
  TimelineSheet sheet;
  sheet.lanes = lanes_of(plan, machine,
                         detail == Detail::Folded ? kMostLanes : plan.result.rank_finish.size());
  const std::size_t count = sheet.lanes.lanes.size();
  sheet.row = count > 40 ? 15 : count > 20 ? 19 : 24;
  sheet.middle.assign(plan.result.rank_finish.size(), -1);
  double labels = 0;
  double places = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Rank rank = sheet.lanes.lanes[i].rank;
    sheet.middle[rank] = kTimelineTop + sheet.row * (static_cast<double>(i) + 0.5);
    labels = std::max(labels, text_width(fmt::format("{}", rank), kLaneTextSize));
    places = std::max(places, text_width(place_of(machine, rank), kLaneTextSize));
  }
  sheet.place = kTimelineMargin + labels + 14;
  sheet.left = sheet.place + places + 12;
  sheet.width = std::max(kTimelineWidth, paper - sheet.left - kTimelineRight);
  const double end = to_seconds(sheet.lanes.horizon);
  sheet.time = fit_axis({"", Scale::Linear, Unit::Seconds, true}, {end});
  // The last moment is the right edge, wherever the round numbers are.
  if (end > 0) sheet.time.high = end;
  std::erase_if(sheet.time.ticks, [&](const Tick& t) { return t.value > sheet.time.high; });
  return sheet;
}

void draw_timeline_head(Svg& svg, const SimulatedPlan& plan, const TimelineSheet& sheet) {
  const bool ends = plan.result.finish != kForever;
  svg.text(kTimelineMargin, 26, fmt::format("{}: {}", call_in_words(plan.call), plan.name),
           {.size = 15, .bold = true});
  std::string second = ends ? "done after " + rounded(plan.result.finish) : "some ranks never end";
  second += ", " + counted(plan.result.messages, "message");
  if (sheet.lanes.hidden > 0) {
    second += fmt::format("; {} of {} shown, those of the critical path first",
                          sheet.lanes.lanes.size(), counted(sheet.middle.size(), "rank"));
  }
  svg.text(kTimelineMargin, 46, second, {.size = 12, .colour = kFaintInk});
  for (const Tick& tick : sheet.time.ticks) {
    const double x = sheet.left + sheet.time.place(tick.value) * sheet.width;
    svg.line(x, kTimelineTop - 4, x, sheet.bottom(), {.colour = kRule, .width = 0.8});
    svg.text(x, kTimelineTop - 10, tick.label,
             {.size = kLaneTextSize, .colour = kFaintInk, .anchor = Anchor::Middle});
  }
  // When it ends, unless a round number stands there already.
  const double right = sheet.left + sheet.width;
  const std::string end = rounded(sheet.lanes.horizon);
  const double last = sheet.time.ticks.empty() ? 0 : sheet.time.ticks.back().value;
  if (right - (sheet.left + sheet.time.place(last) * sheet.width) > 80) {
    svg.line(right, kTimelineTop - 4, right, sheet.bottom(), {.colour = kRule, .width = 0.8});
    svg.text(right, kTimelineTop - 10, end, {.size = kLaneTextSize, .anchor = Anchor::Middle});
  }
}

void draw_lane_rows(Svg& svg, const Machine& machine, const TimelineSheet& sheet) {
  for (const Lane& lane : sheet.lanes.lanes) {
    const double y = sheet.middle[lane.rank];
    svg.rect(sheet.place - 6, y - sheet.row / 2 + 0.5, sheet.left - sheet.place, sheet.row - 1,
             {.colour = site_colour(site_of(machine, lane.rank))});
    svg.text(sheet.place - 12, y + 4, fmt::format("{}", lane.rank),
             {.size = kLaneTextSize, .bold = lane.critical, .anchor = Anchor::End});
    svg.text(sheet.place, y + 4, place_of(machine, lane.rank),
             {.size = kLaneTextSize, .colour = kFaintInk});
    const Time end = std::min(lane.finish, sheet.lanes.horizon);
    svg.line(sheet.left, y, sheet.x(end), y, {.colour = "#d8d8d8", .width = 1});
  }
}

std::string tooltip(const Lane& lane, const Activity& a, const Machine& machine) {
  const char* verb = a.kind == ActivityKind::Send     ? "sends to"
                     : a.kind == ActivityKind::Recv   ? "receives from"
                     : a.kind == ActivityKind::Reduce ? "combines"
                     : a.kind == ActivityKind::Copy   ? "copies"
                     : a.kind == ActivityKind::Late   ? "has not entered"
                                                      : "hears";
  std::string text = fmt::format("{} {}", lane.rank, verb);
  if (a.peer != kNoRank) {
    text += fmt::format(" {} over {}", a.peer, channel_name(machine, a.level));
  }
  return fmt::format("{}: {} to {}", text, rounded(a.begin), rounded(a.end));
}

Fill fill_of(const Activity& a, double width) {
  const std::string_view colour = level_colour(a.level);
  switch (a.kind) {
    case ActivityKind::Send:
      return {.colour = colour};
    case ActivityKind::Recv:  // hollow, where there is room for its edges
      if (width < 4) return {.colour = colour, .opacity = 0.55};
      return {.colour = "#ffffff", .edge = colour, .edge_width = 1.1};
    case ActivityKind::Late:
      return {.colour = kLate};
    case ActivityKind::Arrives:
      return {.colour = colour, .opacity = kFaint};
    default:
      return {.colour = kWork};
  }
}

/// Neighbours of one kind and level that touch on paper are one bar; of those too narrow to show
/// a name whoever they are with. Bytes that arrive lie behind what the processor does.
std::vector<Activity> joined_bars(const Lane& lane, const TimelineSheet& sheet, bool arrivals) {
  std::vector<Activity> bars;
  for (const Activity& a : lane.activities) {
    if (a.kind == ActivityKind::UnderWay || (a.kind == ActivityKind::Arrives) != arrivals) continue;
    if (a.begin < a.end) bars.push_back(a);
  }
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Activity& a, const Activity& b) { return a.begin < b.begin; });
  std::vector<Activity> joined;
  for (const Activity& a : bars) {
    Activity* last = joined.empty() ? nullptr : &joined.back();
    const bool touches = last != nullptr && last->kind == a.kind && last->level == a.level &&
                         sheet.x(a.begin) - sheet.x(last->end) < 0.8;
    const bool other = last != nullptr && last->peer != a.peer;
    if (!touches || (other && !arrivals && sheet.x(a.end) - sheet.x(a.begin) > 3)) {
      joined.push_back(a);
      continue;
    }
    last->end = std::max(last->end, a.end);
    if (other) last->peer = kNoRank;
  }
  return joined;
}

void draw_lane_bars(Svg& svg, const Machine& machine, const TimelineSheet& sheet, bool arrivals) {
  const double height = sheet.row * (arrivals ? 0.36 : 0.56);
  for (const Lane& lane : sheet.lanes.lanes) {
    const double y = sheet.middle[lane.rank];
    for (const Activity& a : joined_bars(lane, sheet, arrivals)) {
      const double width = std::max(1.2, sheet.x(a.end) - sheet.x(a.begin));
      svg.rect(sheet.x(a.begin), y - height / 2, width, height, fill_of(a, width),
               tooltip(lane, a, machine));
      const std::string label = a.peer == kNoRank ? "" : fmt::format("{}", a.peer);
      if (a.kind == ActivityKind::Send && width > text_width(label, kLaneBarTextSize) + 8) {
        svg.text(sheet.x(a.begin) + width / 2, y + 3.5, label,
                 {.size = kLaneBarTextSize,
                  .colour = "#ffffff",
                  .bold = true,
                  .anchor = Anchor::Middle});
      }
    }
  }
}

/// For messages that are too many to be drawn: a mark where one arrives in no time. Others have a
/// bar while their bytes arrive.
void draw_arrival_marks(Svg& svg, const TimelineSheet& sheet) {
  struct Marks {
    std::string path;
    double last = 0;
  };
  for (const Lane& lane : sheet.lanes.lanes) {
    const double y = sheet.middle[lane.rank];
    const double half = sheet.row * 0.18;
    std::map<std::uint32_t, Marks> by_level;
    for (const Activity& a : lane.activities) {
      if (a.kind != ActivityKind::Arrives || a.begin < a.end) continue;
      Marks& marks = by_level[a.level];
      const double x = sheet.x(a.end);
      if (!marks.path.empty() && std::abs(x - marks.last) < 0.8) continue;
      marks.last = x;
      marks.path += fmt::format("M{0} {1}L{0} {2}", coordinate(x), coordinate(y - half),
                                coordinate(y + half));
    }
    for (const auto& [level, marks] : by_level) {
      svg.path(marks.path, {.colour = level_colour(level), .width = 1.2});
    }
  }
}

/// Returns whether they are drawn.
bool draw_messages(Svg& svg, const SimulatedPlan& plan, const TimelineSheet& sheet) {
  const auto shown = [&](const sim::MessageTrace& m) {
    return sheet.middle[m.from] >= 0 && sheet.middle[m.to] >= 0 && m.arrived != kForever &&
           m.from != m.to;
  };
  const auto& messages = plan.result.timeline;
  const auto count =
      static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), shown));
  if (count > kMostArrows) {
    draw_arrival_marks(svg, sheet);
    return false;
  }
  const double scale =
      count <= kFewArrows ? 1
                          : std::sqrt(static_cast<double>(kFewArrows) / static_cast<double>(count));
  for (const sim::MessageTrace& m : messages) {
    if (!shown(m)) continue;
    const std::string_view colour = level_colour(m.level);
    svg.line(sheet.x(m.send_end), sheet.middle[m.from], sheet.x(m.arrived), sheet.middle[m.to],
             {.colour = colour, .width = 1.2 * scale});
    svg.circle(sheet.x(m.arrived), sheet.middle[m.to], 2.6 * scale, {.colour = colour});
  }
  return true;
}

/// Along the lanes while a processor works, from lane to lane with the messages.
void draw_critical_path(Svg& svg, const SimulatedPlan& plan, const TimelineSheet& sheet) {
  std::string path;
  for (const PathStretch& s : critical_stretches(plan.result)) {
    const double from = sheet.middle[s.rank];
    const double to = s.travels ? sheet.middle[s.peer] : from;
    if (from < 0 || to < 0) continue;
    path += fmt::format("M{} {}L{} {}", coordinate(sheet.x(s.begin)), coordinate(from),
                        coordinate(sheet.x(s.end)), coordinate(to));
  }
  if (!path.empty()) svg.path(path, {.colour = kInk, .width = 2.4});
}

void draw_timeline_legend(Svg& svg, const SimulatedPlan& plan, const Machine& machine,
                          const TimelineSheet& sheet, bool has_messages) {
  double x = sheet.left;
  double y = sheet.bottom() + 24;
  const std::vector<std::string> bytes = bytes_of_levels(plan);
  for (std::uint32_t l = 0; l < machine.levels().size(); ++l) {
    const sim::LevelUse& use = plan.result.levels[l];
    if (use.messages == 0) continue;
    const std::string text = fmt::format("{} ({}, {})", channel_name(machine, l),
                                         counted(use.messages, "message"), bytes[l]);
    const double width = 26 + text_width(text, kLaneTextSize) + 22;
    if (x > sheet.left && x + width > sheet.left + sheet.width) x = sheet.left, y += 20;
    svg.rect(x, y - 9, 20, 10, {.colour = level_colour(l), .radius = 1.5});
    svg.text(x + 26, y, text, {.size = kLaneTextSize});
    x += width;
  }
  y += 22;
  x = sheet.left;
  const auto entry = [&](const Fill& fill, std::string_view text) {
    svg.rect(x, y - 9, 20, 10, fill);
    svg.text(x + 26, y, text, {.size = kLaneTextSize, .colour = kFaintInk});
    x += 26 + text_width(text, kLaneTextSize) + 16;
  };
  entry({.colour = level_colour(0)}, "sends");
  entry({.colour = "#ffffff", .edge = level_colour(0), .edge_width = 1.1}, "receives");
  entry({.colour = level_colour(0), .opacity = kFaint}, "bytes arrive");
  entry({.colour = kWork}, "local work");
  if (!plan.entered.empty()) entry({.colour = kLate}, "not there yet");
  svg.line(x, y - 4, x + 20, y - 4, {.colour = kInk, .width = 2.4});
  svg.text(x + 26, y, "critical path", {.size = kLaneTextSize, .colour = kFaintInk});
  x += 26 + text_width("critical path", kLaneTextSize) + 16;
  if (has_messages) {
    svg.line(x, y - 4, x + 20, y - 4, {.colour = level_colour(0)});
    x += 26;
  }
  svg.text(x, y, has_messages ? "message under way" : "(marks where messages arrive)",
           {.size = kLaneTextSize, .colour = kFaintInk});
}

}  // namespace

std::string timeline_svg(const SimulatedPlan& plan, const Machine& machine, Detail detail,
                         double least_width) {
  const TimelineSheet sheet = timeline_sheet(plan, machine, detail, least_width);
  Svg svg(sheet.left + sheet.width + kTimelineRight, sheet.bottom() + 82);
  draw_timeline_head(svg, plan, sheet);
  draw_lane_rows(svg, machine, sheet);
  draw_lane_bars(svg, machine, sheet, true);
  draw_lane_bars(svg, machine, sheet, false);
  const bool has_messages = draw_messages(svg, plan, sheet);
  draw_critical_path(svg, plan, sheet);
  draw_timeline_legend(svg, plan, machine, sheet, has_messages);
  return std::move(svg).finish();
}

}  // namespace espalier::report
