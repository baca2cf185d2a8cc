#include <algorithm>

#include "base/contract.hpp"
#include "report/palette.hpp"
#include "report/plot.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

constexpr double kTitleSize = 15;
constexpr double kTextSize = 12;
constexpr double kBar = 18;
constexpr double kBetweenGroups = 10;
constexpr double kLegendLine = 20;

struct Frame {
  double left, top, right, bottom;
  double group_height;
  FittedAxis value;

  [[nodiscard]] double px(double v) const { return left + value.place(v) * (right - left); }
};

bool has_legend(const BarChart& chart) { return chart.series.size() > 1; }

Frame frame_of(const BarChart& chart) {
  std::vector<double> values;
  double labels = 0;
  for (const BarGroup& group : chart.groups) {
    expects(group.values.size() == chart.series.size(), "bar_chart: not one value a series");
    labels = std::max(labels, text_width(group.label, kTextSize));
    values.insert(values.end(), group.values.begin(), group.values.end());
  }
  if (chart.reference) values.push_back(chart.reference->value);
  Frame f{};
  f.value = fit_axis(chart.value, values);
  f.left = 22 + labels;
  f.right = chart.width - 78;  // room for the value of the longest bar
  f.top = 20 + (chart.title.empty() ? 0 : 26) + (chart.subtitle.empty() ? 0 : 20) +
          (has_legend(chart) ? kLegendLine * static_cast<double>(chart.series.size()) + 6 : 0) +
          (chart.reference ? 16 : 0);
  f.group_height = kBar * static_cast<double>(chart.series.size()) + kBetweenGroups;
  f.bottom = f.top + f.group_height * static_cast<double>(chart.groups.size());
  return f;
}

void draw_axis(Svg& svg, const BarChart& chart, const Frame& f) {
  for (const Tick& tick : f.value.ticks) {
    const double x = f.px(tick.value);
    svg.line(x, f.top, x, f.bottom, {.colour = kRule, .width = 0.8});
    svg.text(x, f.bottom + 18, tick.label,
             {.size = kTextSize, .colour = kFaintInk, .anchor = Anchor::Middle});
  }
  svg.text((f.left + f.right) / 2, f.bottom + 40, chart.value.title,
           {.size = kTextSize, .anchor = Anchor::Middle});
}

void draw_head(Svg& svg, const BarChart& chart) {
  double y = 26;
  if (!chart.title.empty()) {
    svg.text(20, y, chart.title, {.size = kTitleSize, .bold = true});
    y += 20;
  }
  if (!chart.subtitle.empty()) {
    svg.text(20, y, chart.subtitle, {.size = kTextSize, .colour = kFaintInk});
    y += 22;
  }
  if (!has_legend(chart)) return;
  for (std::size_t s = 0; s < chart.series.size(); ++s, y += kLegendLine) {
    svg.rect(20, y - 10, 12, 12, {.colour = kSeriesColours[s % kSeriesColours.size()]});
    svg.text(39, y, chart.series[s], {.size = kTextSize});
  }
}

void draw_bars(Svg& svg, const BarChart& chart, const Frame& f) {
  double y = f.top + kBetweenGroups / 2;
  for (const BarGroup& group : chart.groups) {
    const double middle = y + (f.group_height - kBetweenGroups) / 2;
    svg.text(f.left - 8, middle + 4, group.label, {.size = kTextSize, .anchor = Anchor::End});
    double top = y;
    for (std::size_t s = 0; s < group.values.size(); ++s, top += kBar) {
      const double end = f.px(group.values[s]);
      svg.rect(f.left, top + 1, std::max(1.0, end - f.left), kBar - 2,
               {.colour = kSeriesColours[s % kSeriesColours.size()], .radius = 2},
               group.label + ": " + tick_label(group.values[s], chart.value.unit));
      const std::string value = tick_label(group.values[s], chart.value.unit);
      // Paper behind it: no line of the grid goes through a value.
      svg.rect(end + 4, top + 1, text_width(value, kTextSize) + 2, kBar - 2, {.colour = "#ffffff"});
      svg.text(end + 6, top + kBar / 2 + 4, value, {.size = kTextSize, .colour = kFaintInk});
    }
    y += f.group_height;
  }
}

void draw_reference(Svg& svg, const Reference& reference, const Frame& f) {
  const double x = f.px(reference.value);
  const bool at_the_right = x > (f.left + f.right) / 2;
  svg.line(x, f.top - 4, x, f.bottom, {.colour = kInk, .width = 1.4, .dash = "5 4"});
  svg.text(x, f.top - 8, reference.label,
           {.size = kTextSize, .anchor = at_the_right ? Anchor::End : Anchor::Start});
}

}  // namespace

std::string bar_chart(const BarChart& chart) {
  expects(!chart.groups.empty() && !chart.series.empty(), "bar_chart: nothing to draw");
  const Frame frame = frame_of(chart);
  Svg svg(chart.width, frame.bottom + (chart.value.title.empty() ? 32 : 54));
  draw_head(svg, chart);
  draw_axis(svg, chart, frame);
  draw_bars(svg, chart, frame);
  if (chart.reference) draw_reference(svg, *chart.reference, frame);
  return std::move(svg).finish();
}

}  // namespace espalier::report
