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
  /// Forecasts the next value. Asked with the series so far, each time one value longer, from one
  /// value on: what it remembers makes each answer cheap, however long the series is.
  std::function<double(Values)> next;
};

double last(Values values) { return values.back(); }

double mean_of_last(Values values, std::size_t window) {
  const Values here = values.last(std::min(values.size(), window));
  return std::accumulate(here.begin(), here.end(), 0.0) / static_cast<double>(here.size());
}

class MeanOfAll {
 public:
  double operator()(Values values) {
    sum_ += values.back();
    return sum_ / static_cast<double>(values.size());
  }

 private:
  double sum_ = 0;
};

class MedianOfLast {
 public:
  explicit MedianOfLast(std::size_t window) : window_(window) {}
  double operator()(Values values) {
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), values.back()), values.back());
    if (sorted_.size() > window_) {
      const double gone = values[values.size() - 1 - window_];
      sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), gone));
    }
    const std::size_t half = sorted_.size() / 2;
    return sorted_.size() % 2 == 1 ? sorted_[half] : (sorted_[half - 1] + sorted_[half]) / 2;
  }

 private:
  std::size_t window_;
  std::vector<double> sorted_;
};

class Smoothed {
 public:
  explicit Smoothed(double gain) : gain_(gain) {}
  double operator()(Values values) {
    state_ = values.size() == 1 ? values[0] : state_ + gain_ * (values.back() - state_);
    return state_;
  }

 private:
  double gain_;
  double state_ = 0;
};

/// All of them, at the beginning of a series.
std::vector<Method> methods() {
  std::vector<Method> all;
  all.push_back({"last", last});
  all.push_back({"mean of all", MeanOfAll()});
  for (const std::size_t window : {5U, 10U, 30U}) {
    all.push_back({fmt::format("mean of {}", window),
                   [window](Values v) { return mean_of_last(v, window); }});
  }
  for (const std::size_t window : {5U, 11U, 31U}) {
    all.push_back({fmt::format("median of {}", window), MedianOfLast(window)});
  }
  for (const int percent : {5, 10, 20, 30, 50, 75, 90}) {
    all.push_back({fmt::format("smoothing {} %", percent), Smoothed(percent / 100.0)});
  }
  return all;
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
    const double next = method.next(values);
    result.push_back({method.name, error / count, next});
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
