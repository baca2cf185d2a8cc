#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/axis.hpp"

namespace espalier::report {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string label;
  std::vector<Point> points;  ///< ordered by x; a point that is not finite leaves a gap
  bool dashed = false;        ///< marks curves that are quoted, not computed, such as a paper's
};

/// Curves over a common axis, with a legend to the right of them.
struct LineChart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  double width = 760;
  double height = 440;
};
/// @pre at least one series
[[nodiscard]] std::string line_chart(const LineChart& chart);

/// A line across the bars: an optimum, a bound, a paper's figure.
struct Reference {
  double value = 0;
  std::string label;
};

struct BarGroup {
  std::string label;
  std::vector<double> values;  ///< one for each series
};

/// Horizontal bars, one for each series in each group; with a single series there is no legend,
/// and each bar is labelled with its value.
struct BarChart {
  std::string title;
  std::string subtitle;
  Axis value;
  std::vector<std::string> series;
  std::vector<BarGroup> groups;  ///< ordered from top to bottom
  std::optional<Reference> reference;
  double width = 760;
};
/// @pre every group has one value for each series, none below zero
[[nodiscard]] std::string bar_chart(const BarChart& chart);

}  // namespace espalier::report
