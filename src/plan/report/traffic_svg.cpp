#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.hpp"
#include "report/outline.hpp"
#include "report/palette.hpp"
#include "report/simulated_plan.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;

constexpr std::size_t kMostUnits = 96;
constexpr double kTrafficMargin = 18;
constexpr double kWidth = 900;
constexpr double kLeastStep = 21;  ///< width of a label of two digits and a gap
constexpr double kTrafficTop = 66;
constexpr double kBand = 20;  ///< height of one level of clusters
constexpr double kTile = 18;
constexpr double kTrafficTextSize = 11;
constexpr double kLegendRow = 18;

/// What stands side by side: processes, or, where these are too many, clusters of one depth.
struct Units {
  std::uint32_t depth = 0;  ///< depth of the clusters shown; below all clusters: processes
  bool by_process = false;
  std::vector<std::uint32_t> of_leaf;  ///< unit of each leaf
  std::vector<std::string> labels;
  std::vector<std::string> short_labels;  ///< used if `labels` have no room
};

/// A process that is in no cluster of that depth is a unit by itself.
Units units_of_depth(const Machine& machine, std::uint32_t depth) {
  Units units;
  units.depth = depth;
  units.of_leaf.resize(machine.size());
  ClusterId last = 0;
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    ClusterId cluster = machine.cluster_of(leaf);
    while (machine.clusters()[cluster].depth > depth) cluster = machine.clusters()[cluster].parent;
    const bool inside = machine.clusters()[cluster].depth == depth && depth > 0;
    if (!inside || units.labels.empty() || cluster != last) {
      const Cluster& c = machine.clusters()[cluster];
      units.labels.push_back(!inside          ? fmt::format("{}", machine.rank_at(leaf))
                             : c.name.empty() ? fmt::format("{}", c.index)
                                              : c.name);
      units.short_labels.push_back(inside ? fmt::format("{}", c.index) : units.labels.back());
    }
    last = inside ? cluster : 0;
    units.of_leaf[leaf] = static_cast<std::uint32_t>(units.labels.size() - 1);
  }
  return units;
}

/// The finest that fits.
Units units_of(const Machine& machine) {
  std::uint32_t deepest = 0;
  for (const Cluster& c : machine.clusters()) deepest = std::max(deepest, c.depth);
  if (machine.size() <= kMostUnits) {
    Units units = units_of_depth(machine, deepest + 1);
    units.by_process = true;
    return units;
  }
  for (std::uint32_t depth = deepest; depth > 1; --depth) {
    Units units = units_of_depth(machine, depth);
    if (units.labels.size() <= kMostUnits) return units;
  }
  return units_of_depth(machine, std::min<std::uint32_t>(1, deepest));
}

struct Arc {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint32_t level = 0;
};
using Arcs = std::map<std::pair<std::uint32_t, std::uint32_t>, Arc>;  // keyed by (from, to)

Arcs arcs_of(const SimulatedPlan& plan, const Machine& machine, const Units& units) {
  Arcs arcs;
  for (const sim::MessageTrace& m : plan.result.timeline) {
    const std::uint32_t from = units.of_leaf[machine.leaf_of(m.from)];
    const std::uint32_t to = units.of_leaf[machine.leaf_of(m.to)];
    if (from == to) continue;
    Arc& arc = arcs[{from, to}];
    ++arc.messages;
    arc.bytes += m.bytes.value;
    arc.level = m.level;
  }
  return arcs;
}

/// What a colour means.
struct LegendEntry {
  double x = 0;
  double y = 0;
  std::uint32_t level = 0;
  std::string text;
};

class TrafficDrawing {
 public:
  TrafficDrawing(const SimulatedPlan& plan, const Machine& machine)
      : plan_(plan),
        machine_(machine),
        units_(units_of(machine)),
        arcs_(arcs_of(plan, machine, units_)) {
    const auto count = static_cast<double>(units_.labels.size());
    step_ = std::clamp((kWidth - 2 * kTrafficMargin) / count, kLeastStep, 64.0);
    width_ = std::max(kWidth, 2 * kTrafficMargin + count * step_);
    for (const Cluster& c : machine.clusters()) {
      if (c.depth < units_.depth) bands_ = std::max(bands_, c.depth);
    }
    row_ = kTrafficTop + kBand * bands_ + 4;
    double reach = 0;
    for (const auto& [ends, arc] : arcs_) reach = std::max(reach, depth_of(ends));
    bottom_ = row_ + kTile + reach + 10;
    place_legend();
  }

  std::string draw() {
    Svg svg(width_, bottom_ + 16 + kLegendRow * legend_rows_);
    svg.text(kTrafficMargin, 26, fmt::format("{}: {}", call_in_words(plan_.call), plan_.name),
             {.size = 15, .bold = true});
    svg.text(kTrafficMargin, 46,
             fmt::format("who sends to whom: one arc for all messages between two {}; wide arcs "
                         "carry many bytes",
                         units_.by_process ? "ranks" : "clusters"),
             {.size = 12, .colour = kFaintInk});
    bands(svg);
    tiles(svg);
    arcs(svg);
    legend(svg);
    return std::move(svg).finish();
  }

 private:
  [[nodiscard]] double x(std::uint32_t unit) const { return kTrafficMargin + (unit + 0.5) * step_; }
  /// How far an arc hangs down: far ends, far down, but not without end.
  [[nodiscard]] double depth_of(const std::pair<std::uint32_t, std::uint32_t>& ends) const {
    const double span = std::abs(x(ends.second) - x(ends.first));
    return 10 + 7 * std::sqrt(span);
  }

  void bands(Svg& svg) {
    for (const Cluster& c : machine_.clusters()) {
      if (c.depth == 0 || c.depth >= units_.depth) continue;
      const std::uint32_t first = units_.of_leaf[c.first_leaf];
      const std::uint32_t last = units_.of_leaf[c.first_leaf + c.leaf_count - 1];
      const double left = x(first) - step_ / 2 + 1;
      const double width = (last - first + 1) * step_ - 2;
      const double top = kTrafficTop + kBand * (c.depth - 1);
      const Rank rank = machine_.rank_at(c.first_leaf);
      svg.rect(left, top, width, row_ + kTile + 3 - top,
               {.colour = c.depth == 1 ? site_colour(site_of(machine_, rank)) : "#ffffff",
                .edge = "#aaaaaa",
                .edge_width = 0.8,
                .radius = 3,
                .opacity = c.depth == 1 ? 1.0 : 0.45});
      const std::string name =
          c.name.empty() ? fmt::format("{} {}", noun(machine_, c.depth - 1, false), c.index)
                         : c.name;
      if (text_width(name, kTrafficTextSize) < width - 6) {
        svg.text(left + width / 2, top + 14, name,
                 {.size = kTrafficTextSize, .anchor = Anchor::Middle});
      }
    }
  }

  void tiles(Svg& svg) {
    for (std::uint32_t u = 0; u < units_.labels.size(); ++u) {
      const double width = std::min(step_ - 2, 34.0);
      svg.rect(x(u) - width / 2, row_, width, kTile - 2,
               {.colour = "#ffffff", .edge = "#8a8a8a", .edge_width = 0.7, .radius = 2.5});
      const bool fits = text_width(units_.labels[u], kTrafficTextSize) <= width;
      const std::string& label = fits ? units_.labels[u] : units_.short_labels[u];
      const double size = std::min(kTrafficTextSize,
                                   kTrafficTextSize * width / text_width(label, kTrafficTextSize));
      svg.text(x(u), row_ + kTile / 2 + 3, label, {.size = size, .anchor = Anchor::Middle});
    }
  }

  /// Fast channels first, so that the slow ones lie on top.
  void arcs(Svg& svg) {
    std::uint64_t most = 1;
    for (const auto& [ends, arc] : arcs_) most = std::max(most, arc.bytes);
    const auto levels = static_cast<std::uint32_t>(machine_.levels().size());
    for (std::uint32_t l = levels + 1; l-- > 0;) {
      for (const auto& [ends, arc] : arcs_) {
        if (arc.level != l) continue;
        const bool both = arcs_.count({ends.second, ends.first}) != 0;
        if (both && ends.first > ends.second) continue;  // one arc with two heads
        draw_arc(svg, ends, arc, both, most);
      }
    }
  }

  void draw_arc(Svg& svg, const std::pair<std::uint32_t, std::uint32_t>& ends, const Arc& arc,
                bool both, std::uint64_t most) {
    const double from = x(ends.first);
    const double to = x(ends.second);
    const double top = row_ + kTile + 2;
    const double deep = top + depth_of(ends) * 1.28;  // a cubic curve reaches 3/4 of its handles
    // Of many arcs thin ones, or they are one patch.
    const double widest = std::clamp(400.0 / static_cast<double>(arcs_.size()), 0.3, 2.2);
    const double width =
        0.5 + widest * std::sqrt(static_cast<double>(arc.bytes) / static_cast<double>(most));
    const std::string_view colour = level_colour(arc.level);
    svg.path(fmt::format("M{0} {1}C{0} {2} {3} {2} {3} {1}", coordinate(from), coordinate(top),
                         coordinate(deep), coordinate(to)),
             {.colour = colour, .width = width});
    head(svg, to, top, colour);
    if (both) head(svg, from, top, colour);
  }

  static void head(Svg& svg, double x, double y, std::string_view colour) {
    svg.path(
        fmt::format("M{} {}L{} {}L{} {}Z", coordinate(x), coordinate(y - 1), coordinate(x - 3.2),
                    coordinate(y + 6), coordinate(x + 3.2), coordinate(y + 6)),
        {.colour = colour, .width = 0.5}, colour);
  }

  /// One entry for each level that is used, in rows that end at the margin.
  void place_legend() {
    double left = kTrafficMargin;
    const std::vector<std::string> bytes = bytes_of_levels(plan_);
    for (std::uint32_t l = 0; l < machine_.levels().size(); ++l) {
      const sim::LevelUse& use = plan_.result.levels[l];
      if (use.messages == 0) continue;
      std::string text = fmt::format("{}: {}, {}", channel_name(machine_, l),
                                     counted(use.messages, "message"), bytes[l]);
      const double width = 26 + text_width(text, kTrafficTextSize);
      if (left > kTrafficMargin && left + width > width_ - kTrafficMargin) {
        left = kTrafficMargin;
        ++legend_rows_;
      }
      legend_.push_back({left, bottom_ + 3 + kLegendRow * (legend_rows_ - 1), l, std::move(text)});
      left += width + 20;
    }
  }

  void legend(Svg& svg) const {
    for (const LegendEntry& one : legend_) {
      svg.rect(one.x, one.y, 20, 10, {.colour = level_colour(one.level), .radius = 1.5});
      svg.text(one.x + 26, one.y + 9, one.text, {.size = kTrafficTextSize});
    }
  }

  const SimulatedPlan& plan_;
  const Machine& machine_;
  Units units_;
  Arcs arcs_;
  double step_ = 0;
  double width_ = kWidth;
  std::uint32_t bands_ = 0;
  double row_ = 0;
  double bottom_ = 0;
  std::vector<LegendEntry> legend_;
  unsigned legend_rows_ = 1;
};

}  // namespace

std::string traffic_svg(const SimulatedPlan& plan, const Machine& machine) {
  return TrafficDrawing(plan, machine).draw();
}

}  // namespace espalier::report
