#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace espalier::report {

enum class Scale : std::uint8_t { Linear, Log };
enum class Unit : std::uint8_t { Number, Seconds, Bytes, Percent };

/// What an axis says, and how it maps values. Values are in the unit itself: seconds, bytes.
struct Axis {
  std::string title;
  Scale scale = Scale::Linear;
  Unit unit = Unit::Number;
  bool from_zero = true;  ///< linear axes only: whether the axis begins at 0
};

struct Tick {
  double value = 0;
  std::string label;
};

/// An axis fitted to its values: ends on round numbers, a handful of ticks.
struct FittedAxis {
  Scale scale = Scale::Linear;
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  /// 0 at the low end, 1 at the high one.
  [[nodiscard]] double place(double value) const;
};

/// @param values all that is to be drawn; those that are not finite are passed over
/// @pre a log axis is given no value below or at zero
[[nodiscard]] FittedAxis fit_axis(const Axis& axis, const std::vector<double>& values);

/// 0.0012 s -> "1.2 ms"; 2048 bytes -> "2 KiB"; at most four digits.
[[nodiscard]] std::string tick_label(double value, Unit unit);

}  // namespace espalier::report
