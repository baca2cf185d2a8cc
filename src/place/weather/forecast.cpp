#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/contract.hpp"
#include "weather/history.hpp"

namespace espalier::weather {
namespace {

using Values = std::span<const double>;

struct Method {
  std::string name;
  std::function<double(Values)> next;  ///< forecasts the next value from at least one value
};

Values last_of(Values values, std::size_t window) {
  return values.last(std::min(values.size(), window));
}
double mean(Values values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double median(Values values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
double smoothed(Values values, double gain) {
  double state = values[0];
  for (const double v : values.subspan(1)) state += gain * (v - state);
  return state;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> kMethods = [] {
    std::vector<Method> all;
    all.push_back({"last", [](Values v) { return v.back(); }});
    all.push_back({"mean of all", [](Values v) { return mean(v); }});
    for (const std::size_t window : {5U, 10U, 30U}) {
      all.push_back({fmt::format("mean of {}", window),
                     [window](Values v) { return mean(last_of(v, window)); }});
    }
    for (const std::size_t window : {5U, 11U, 31U}) {
      all.push_back({fmt::format("median of {}", window),
                     [window](Values v) { return median(last_of(v, window)); }});
    }
    for (const int percent : {5, 10, 20, 30, 50, 75, 90}) {
      all.push_back({fmt::format("smoothing {} %", percent),
                     [percent](Values v) { return smoothed(last_of(v, 200), percent / 100.0); }});
    }
    return all;
  }();
  return kMethods;
}

}  // namespace

std::vector<MethodError> try_methods(Values values) {
  expects(!values.empty(), "try_methods: no measurement");
  std::vector<MethodError> result;
  for (const Method& method : methods()) {
    double error = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      error += std::abs(method.next(values.first(i)) - values[i]);
    }
    const double count = static_cast<double>(std::max<std::size_t>(1, values.size() - 1));
    result.push_back({method.name, error / count, method.next(values)});
  }
  return result;
}

Forecast forecast(Values values) {
  const std::vector<MethodError> tried = try_methods(values);
  const auto best = std::min_element(
      tried.begin(), tried.end(),
      [](const MethodError& a, const MethodError& b) { return a.mean_error < b.mean_error; });
  return {best->next, best->mean_error, best->method};
}

}  // namespace espalier::weather
