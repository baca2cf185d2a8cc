#include "report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/contract.hpp"

namespace espalier::report {
namespace {

constexpr double kWantedSteps = 5;
constexpr int kMostTicks = 9;
constexpr double kSlack = 1e-9;  // part of a step: 0.3 is three steps of 0.1 in spite of rounding

struct Magnitude {
  double scale;
  const char* name;
};

std::string in_magnitudes(double value, const std::array<Magnitude, 5>& magnitudes) {
  for (const Magnitude& m : magnitudes) {
    if (std::abs(value) >= m.scale * (1 - kSlack)) {
      return fmt::format("{:.4g} {}", value / m.scale, m.name);
    }
  }
  return fmt::format("{:.4g} {}", value / magnitudes.back().scale, magnitudes.back().name);
}

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - kSlack)) return factor * power;
  }
  return 10 * power;
}

FittedAxis fit_linear(const Axis& axis, double low, double high) {
  if (axis.from_zero) low = std::min(low, 0.0);
  if (axis.from_zero) high = std::max(high, 0.0);
  if (high <= low) high = low + (low == 0 ? 1 : std::abs(low));
  const double step = round_step((high - low) / kWantedSteps);
  FittedAxis fitted{Scale::Linear,
                    std::floor(low / step + kSlack) * step,
                    std::ceil(high / step - kSlack) * step,
                    {}};
  const auto count = static_cast<int>(std::lround((fitted.high - fitted.low) / step));
  for (int i = 0; i <= count; ++i) {
    const double value = fitted.low + i * step;
    const double clean = std::abs(value) < step * kSlack ? 0 : value;
    fitted.ticks.push_back({clean, tick_label(clean, axis.unit)});
  }
  return fitted;
}

/// The ends need not be whole powers of ten: 2 and 5 times one will do.
void tighten(FittedAxis& axis, double low, double high) {
  for (const double factor : {2.0, 5.0}) {
    const double from = std::pow(10, std::floor(std::log10(low) + kSlack)) * factor;
    if (from <= low && from > axis.low) axis.low = from;
  }
  for (const double factor : {2.0, 5.0}) {
    const double to = axis.high / 10 * factor;
    if (to >= high && to > axis.low * (1 + kSlack)) {
      axis.high = to;
      break;
    }
  }
  std::erase_if(axis.ticks, [&](const Tick& t) {
    return t.value < axis.low * (1 - kSlack) || t.value > axis.high * (1 + kSlack);
  });
}

/// Powers of `base`, thinned out; 1, 2, 5 between them where there are few.
FittedAxis fit_log(const Axis& axis, double low, double high) {
  expects(low > 0, "fit_axis: a logarithmic axis has no place for zero and below");
  const double base = axis.unit == Unit::Bytes ? 2 : 10;
  const auto power_of = [&](double value) { return std::log(value) / std::log(base); };
  int first = static_cast<int>(std::floor(power_of(low) + kSlack));
  int last = static_cast<int>(std::ceil(power_of(high) - kSlack));
  if (first == last) ++last;
  FittedAxis fitted{Scale::Log, std::pow(base, first), std::pow(base, last), {}};
  const int stride = (last - first) / kMostTicks + 1;
  const bool few = base > 2 && last - first <= 2;
  for (int p = first; p <= last; ++p) {
    if ((p - first) % stride != 0) continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(base, p);
      if ((factor > 1 && !few) || value > fitted.high * (1 + kSlack)) continue;
      fitted.ticks.push_back({value, tick_label(value, axis.unit)});
    }
  }
  if (base > 2) tighten(fitted, low, high);
  return fitted;
}

}  // namespace

double FittedAxis::place(double value) const {
  if (scale == Scale::Linear) return (value - low) / (high - low);
  return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
}

std::string tick_label(double value, Unit unit) {
  constexpr std::array<Magnitude, 5> kSeconds{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}};
  constexpr double kKi = 1024;
  constexpr std::array<Magnitude, 5> kBytes{{{kKi * kKi * kKi * kKi, "TiB"},
                                             {kKi * kKi * kKi, "GiB"},
                                             {kKi * kKi, "MiB"},
                                             {kKi, "KiB"},
                                             {1, "B"}}};
  switch (unit) {
    case Unit::Number:
      break;
    case Unit::Seconds:
      return value == 0 ? "0" : in_magnitudes(value, kSeconds);
    case Unit::Bytes:
      return value == 0 ? "0" : in_magnitudes(value, kBytes);
    case Unit::Percent:
      return fmt::format("{:.4g} %", value);
  }
  return fmt::format("{:.6g}", value);
}

FittedAxis fit_axis(const Axis& axis, const std::vector<double>& values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double v) { return std::isfinite(v); });
  if (finite.empty()) finite = {1};
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  return axis.scale == Scale::Linear ? fit_linear(axis, *low, *high) : fit_log(axis, *low, *high);
}

}  // namespace espalier::report
