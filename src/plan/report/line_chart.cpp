#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "report/palette.hpp"
#include "report/plot.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

constexpr double kLineTitleSize = 15;
constexpr double kLineTextSize = 12;
constexpr double kLineLegend = 22;
constexpr double kLegendMark = 26;

/// Where on the paper the curves are.
struct LineFrame {
  double left, top, right, bottom;
  FittedAxis x, y;

  [[nodiscard]] double px(double value) const { return left + x.place(value) * (right - left); }
  [[nodiscard]] double py(double value) const { return bottom - y.place(value) * (bottom - top); }
};

std::string_view colour_of(std::size_t series) {
  return kSeriesColours[series % kSeriesColours.size()];
}

std::string_view dash_of(const Series& series, std::size_t index) {
  if (series.dashed) return "5 4";
  return index < kSeriesColours.size() ? "" : "9 3";
}

double widest_tick(const FittedAxis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) {
    widest = std::max(widest, text_width(tick.label, kLineTextSize));
  }
  return widest;
}

LineFrame line_frame(const LineChart& chart) {
  std::vector<double> xs;
  std::vector<double> ys;
  double legend = 0;
  for (const Series& series : chart.series) {
    legend = std::max(legend, text_width(series.label, kLineTextSize));
    for (const Point& p : series.points) {
      if (!std::isfinite(p.y)) continue;
      xs.push_back(p.x);
      ys.push_back(p.y);
    }
  }
  LineFrame frame{0, 0, 0, 0, fit_axis(chart.x, xs), fit_axis(chart.y, ys)};
  frame.left = 34 + widest_tick(frame.y);
  frame.right = chart.width - kLegendMark - legend - 34;
  frame.top = chart.title.empty() ? 18 : 46;
  frame.bottom = chart.height - 52;
  return frame;
}

void draw_axes(Svg& svg, const LineChart& chart, const LineFrame& f) {
  for (const Tick& tick : f.y.ticks) {
    const double y = f.py(tick.value);
    svg.line(f.left, y, f.right, y, {.colour = kRule, .width = 0.8});
    svg.text(f.left - 7, y + 4, tick.label,
             {.size = kLineTextSize, .colour = kFaintInk, .anchor = Anchor::End});
  }
  for (const Tick& tick : f.x.ticks) {
    const double x = f.px(tick.value);
    svg.line(x, f.bottom, x, f.bottom + 5, {.colour = kFaintInk});
    svg.text(x, f.bottom + 20, tick.label,
             {.size = kLineTextSize, .colour = kFaintInk, .anchor = Anchor::Middle});
  }
  svg.line(f.left, f.bottom, f.right, f.bottom, {.colour = kFaintInk, .width = 1.2});
  svg.text((f.left + f.right) / 2, f.bottom + 42, chart.x.title,
           {.size = kLineTextSize, .anchor = Anchor::Middle});
  svg.text(16, (f.top + f.bottom) / 2, chart.y.title,
           {.size = kLineTextSize, .anchor = Anchor::Middle, .turned = -90});
  svg.text(f.left, 24, chart.title, {.size = kLineTitleSize, .bold = true});
}

void draw_curve(Svg& svg, const LineFrame& f, const Series& series, std::size_t index) {
  std::string path;
  bool pen_down = false;
  for (const Point& p : series.points) {
    if (!std::isfinite(p.y)) {
      pen_down = false;
      continue;
    }
    path +=
        fmt::format("{}{} {}", pen_down ? "L" : "M", coordinate(f.px(p.x)), coordinate(f.py(p.y)));
    pen_down = true;
  }
  const std::string_view colour = colour_of(index);
  svg.path(path, {.colour = colour, .width = 2, .dash = dash_of(series, index)});
  for (const Point& p : series.points) {
    if (!std::isfinite(p.y)) continue;
    svg.circle(f.px(p.x), f.py(p.y), 3.2,
               {.colour = series.dashed ? "#ffffff" : colour, .edge = colour, .edge_width = 1.4});
  }
}

void draw_line_legend(Svg& svg, const LineChart& chart, const LineFrame& f) {
  double y = f.top + 8;
  for (std::size_t i = 0; i < chart.series.size(); ++i, y += kLineLegend) {
    const double x = f.right + 18;
    svg.line(x, y, x + kLegendMark, y,
             {.colour = colour_of(i), .width = 2, .dash = dash_of(chart.series[i], i)});
    svg.text(x + kLegendMark + 7, y + 4, chart.series[i].label, {.size = kLineTextSize});
  }
}

}  // namespace

std::string line_chart(const LineChart& chart) {
  expects(!chart.series.empty(), "line_chart: nothing to draw");
  const LineFrame frame = line_frame(chart);
  const double legend_height = static_cast<double>(chart.series.size()) * kLineLegend;
  Svg svg(chart.width, std::max(chart.height, frame.top + legend_height + 12));
  draw_axes(svg, chart, frame);
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_curve(svg, frame, chart.series[i], i);
  draw_line_legend(svg, chart, frame);
  return std::move(svg).finish();
}

}  // namespace espalier::report
