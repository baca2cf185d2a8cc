#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "report/axis.hpp"
#include "report/draw_tree.hpp"
#include "report/outline.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"
#include "report/text_tree.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

constexpr std::size_t kRowsOfAFoldedDrawing = 96;
constexpr double kTreeMargin = 18;
constexpr double kTreeWidth = 720;
constexpr double kIndent = 13;
constexpr double kDeepestIndent = 16;  // levels
constexpr double kTreeTextSize = 11.5;
constexpr double kTreeBarTextSize = 9.5;

/// The paper: a row for each line of the tree, time from left to right.
struct TreeSheet {
  std::vector<TreeLine> lines;
  std::vector<std::uint32_t> depth;  ///< depth of each line in the tree
  std::vector<double> row_of_rank;   ///< middle of each rank's row; < 0: not drawn
  double row = 20;                   ///< height of a row
  double top = 86;
  double left = 0;   ///< x of the time axis
  double place = 0;  ///< x of the column of places
  FittedAxis time;

  [[nodiscard]] double x(Time t) const { return left + time.place(to_seconds(t)) * kTreeWidth; }
  [[nodiscard]] double bottom() const { return top + row * static_cast<double>(lines.size()); }
};

std::uint32_t depth_of(const tree::CommTree& tree, Rank rank) {
  std::uint32_t depth = 0;
  for (; rank != tree.root(); rank = tree.parent(rank)) ++depth;
  return depth;
}

double indent(std::uint32_t depth) {
  return kIndent * std::min(static_cast<double>(depth), kDeepestIndent);
}

std::string label_of(const TreeLine& line) {
  if (line.only_hidden) return fmt::format("… {} more", grouped(line.hidden));
  return line.hidden > 0 ? fmt::format("{} … {} below", line.node, grouped(line.hidden))
                         : fmt::format("{}", line.node);
}

TreeSheet tree_sheet(const TimedTree& timed, const Machine& machine, Detail detail) {
  std::vector<TreeNode> links(timed.tree.size());
  for (Rank r = 0; r < timed.tree.size(); ++r) {
    links[r] = {timed.tree.first_child(r), timed.tree.next_sibling(r)};
  }
  const std::vector<Rank> critical = critical_path(timed);
  TreeSheet sheet;
  const TreeLimits limits{detail == Detail::Folded ? kRowsOfAFoldedDrawing : kAllLines, 0};
  sheet.lines = tree_lines(links, timed.tree.root(), limits, critical);
  sheet.row = sheet.lines.size() > 48 ? 16 : 22;
  sheet.row_of_rank.assign(timed.tree.size(), -1);
  double labels = 0;
  double places = 0;
  for (std::size_t i = 0; i < sheet.lines.size(); ++i) {
    const TreeLine& line = sheet.lines[i];
    sheet.depth.push_back(depth_of(timed.tree, line.node) + (line.only_hidden ? 1 : 0));
    labels = std::max(labels, indent(sheet.depth[i]) + text_width(label_of(line), kTreeTextSize));
    if (line.only_hidden) continue;
    sheet.row_of_rank[line.node] = sheet.top + sheet.row * (static_cast<double>(i) + 0.5);
    places = std::max(places, text_width(place_of(machine, line.node), kTreeTextSize));
  }
  sheet.place = kTreeMargin + labels + 16;
  sheet.left = sheet.place + places + 12;
  sheet.time = fit_axis({"", Scale::Linear, Unit::Seconds, true}, {to_seconds(timed.finish)});
  // The last moment is the right edge, wherever the round numbers are.
  if (timed.finish > Time{}) sheet.time.high = to_seconds(timed.finish);
  std::erase_if(sheet.time.ticks, [&](const Tick& t) { return t.value > sheet.time.high; });
  return sheet;
}

void draw_tree_head(Svg& svg, const TimedTree& timed, const Machine& machine,
                    const TreeSheet& sheet) {
  svg.text(kTreeMargin, 26,
           fmt::format("{}: {} of {} {} rank {}, {}", timed.algorithm, name_of(timed.operation),
                       to_string(timed.size), timed.upwards() ? "to" : "from", timed.tree.root(),
                       rounded(timed.finish)),
           {.size = 15, .bold = true});
  svg.text(kTreeMargin, 46,
           fmt::format("{} of {}, height {}, model {}", grouped(timed.tree.member_count()),
                       counted(machine.size(), "process"), timed.tree.height(), timed.model),
           {.size = 12, .colour = kFaintInk});
  for (const Tick& tick : sheet.time.ticks) {
    const double x = sheet.left + sheet.time.place(tick.value) * kTreeWidth;
    svg.line(x, sheet.top - 4, x, sheet.bottom(), {.colour = kRule, .width = 0.8});
    svg.text(x, sheet.top - 10, tick.label,
             {.size = kTreeTextSize, .colour = kFaintInk, .anchor = Anchor::Middle});
  }
}

/// A band in the colour of the site, the tree's branches, the rank and its place.
void draw_tree_rows(Svg& svg, const TimedTree& timed, const Machine& machine,
                    const TreeSheet& sheet) {
  std::vector<double> last_child_y(timed.tree.size(), -1);
  for (std::size_t i = 0; i < sheet.lines.size(); ++i) {
    const TreeLine& line = sheet.lines[i];
    const double top = sheet.top + sheet.row * static_cast<double>(i);
    const double baseline = top + sheet.row / 2 + 4;
    const double x = kTreeMargin + indent(sheet.depth[i]);
    if (line.only_hidden) {
      svg.text(x, baseline, label_of(line), {.size = kTreeTextSize, .colour = kFaintInk});
      continue;
    }
    svg.rect(sheet.place - 6, top + 0.5, sheet.left - sheet.place, sheet.row - 1,
             {.colour = site_colour(site_of(machine, line.node))});
    svg.text(x, baseline, label_of(line), {.size = kTreeTextSize, .bold = true});
    svg.text(sheet.place, baseline, place_of(machine, line.node),
             {.size = kTreeTextSize, .colour = kFaintInk});
    svg.line(sheet.left, top + sheet.row / 2, sheet.left + kTreeWidth, top + sheet.row / 2,
             {.colour = "#ededed", .width = 0.8});
    const Rank parent = timed.tree.parent(line.node);
    if (parent == line.node || sheet.depth[i] > kDeepestIndent) continue;
    const double elbow = kTreeMargin + indent(sheet.depth[i] - 1) + 3;
    const double from = std::max(last_child_y[parent], sheet.row_of_rank[parent] + 7);
    const double to = top + sheet.row / 2;
    svg.path(fmt::format("M{} {}V{}H{}", coordinate(elbow), coordinate(from), coordinate(to),
                         coordinate(x - 2)),
             {.colour = "#b0b0b0", .width = 1});
    last_child_y[parent] = to;
  }
}

void draw_bar(Svg& svg, const TreeSheet& sheet, Time from, Time to, double middle, const Fill& fill,
              const std::string& tooltip) {
  if (from == to || middle < 0) return;
  const double height = sheet.row * 0.56;
  svg.rect(sheet.x(from), middle - height / 2, std::max(1.5, sheet.x(to) - sheet.x(from)), height,
           fill, tooltip);
}

/// Whom it sends to, where the bar has room for it.
void label_bar(Svg& svg, const TreeSheet& sheet, const Transfer& t) {
  const std::string label = fmt::format("{}", t.to);
  const double room = sheet.x(t.sender_free) - sheet.x(t.start);
  const double middle = sheet.row_of_rank[t.from];
  if (middle < 0 || room < text_width(label, kTreeBarTextSize) + 8) return;
  svg.text((sheet.x(t.start) + sheet.x(t.sender_free)) / 2, middle + 3.5, label,
           {.size = kTreeBarTextSize, .colour = "#ffffff", .bold = true, .anchor = Anchor::Middle});
}

void draw_transfers(Svg& svg, const TimedTree& timed, const Machine& machine,
                    const TreeSheet& sheet) {
  for (const Transfer& t : timed.transfers) {
    const std::string_view colour = level_colour(t.level);
    const double from = sheet.row_of_rank[t.from];
    const double to = sheet.row_of_rank[t.to];
    const std::string tooltip =
        fmt::format("{} -> {} over {}: {} to {}", t.from, t.to, channel_name(machine, t.level),
                    rounded(t.start), rounded(t.delivered));
    draw_bar(svg, sheet, t.start, t.sender_free, from,
             {.colour = colour, .edge = "#ffffff", .edge_width = 0.7, .radius = 1.5}, tooltip);
    draw_bar(svg, sheet, t.receive_start, t.delivered, to,
             {.colour = "#ffffff", .edge = colour, .edge_width = 1.2, .radius = 1.5}, tooltip);
  }
  for (const Transfer& t : timed.transfers) {
    const double from = sheet.row_of_rank[t.from];
    const double to = sheet.row_of_rank[t.to];
    if (from < 0 || to < 0) continue;
    const std::string_view colour = level_colour(t.level);
    svg.line(sheet.x(t.start), from, sheet.x(t.delivered), to, {.colour = colour, .width = 1.3});
    svg.circle(sheet.x(t.delivered), to, 3.4,
               {.colour = colour, .edge = "#ffffff", .edge_width = 1});
  }
  for (const Transfer& t : timed.transfers) label_bar(svg, sheet, t);
}

void draw_legend(Svg& svg, const TimedTree& timed, const Machine& machine, const TreeSheet& sheet) {
  double x = sheet.left;
  const double y = sheet.bottom() + 24;
  const std::vector<std::uint64_t> count = messages_per_level(timed, machine);
  for (std::uint32_t l = 0; l < count.size(); ++l) {
    if (count[l] == 0) continue;
    const std::string text =
        fmt::format("{} ({})", channel_name(machine, l), counted(count[l], "message"));
    svg.rect(x, y - 9, 20, 10, {.colour = level_colour(l), .radius = 1.5});
    svg.text(x + 26, y, text, {.size = kTreeTextSize});
    x += 26 + text_width(text, kTreeTextSize) + 22;
  }
  svg.text(
      sheet.left, y + 20,
      "full bar: busy sending, and to whom; hollow bar: busy receiving; line: message under way",
      {.size = kTreeTextSize, .colour = kFaintInk});
}

}  // namespace

std::string tree_svg(const TimedTree& timed, const Machine& machine, Detail detail) {
  const TreeSheet sheet = tree_sheet(timed, machine, detail);
  Svg svg(sheet.left + kTreeWidth + 48, sheet.bottom() + 58);
  draw_tree_head(svg, timed, machine, sheet);
  draw_tree_rows(svg, timed, machine, sheet);
  draw_transfers(svg, timed, machine, sheet);
  draw_legend(svg, timed, machine, sheet);
  return std::move(svg).finish();
}

}  // namespace espalier::report
