#include "league/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::league {
namespace {

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
    }
    first = end;
  }
  return ranks;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return xx == yy ? 1 : 0;
  return xy / std::sqrt(xx * yy);
}

ForecastAgreement agreement_of(std::span<const PlanForecast> forecasts,
                               const std::function<double(const PlanForecast&)>& expected) {
  constexpr std::size_t kFewest = 3;
  ForecastAgreement all;
  std::vector<double> errors;
  double sum = 0;
  std::size_t correlated = 0;
  for (std::size_t first = 0; first < forecasts.size();) {
    std::vector<double> wanted;
    std::vector<double> found;
    std::size_t i = first;
    for (; i < forecasts.size() && forecasts[i].event == forecasts[first].event; ++i) {
      wanted.push_back(expected(forecasts[i]));
      found.push_back(forecasts[i].smpi_us);
      errors.push_back(std::abs(wanted.back() / found.back() - 1));
    }
    first = i;
    ++all.events;
    all.plans += found.size();
    const auto chosen = std::min_element(wanted.begin(), wanted.end()) - wanted.begin();
    const double best = *std::min_element(found.begin(), found.end());
    if (found[static_cast<std::size_t>(chosen)] <= best * (1 + kClose)) ++all.near;
    if (found.size() < kFewest) continue;
    sum += rank_correlation(wanted, found);
    ++correlated;
  }
  if (correlated > 0) all.correlation = sum / static_cast<double>(correlated);
  all.median_error = median(std::move(errors));
  return all;
}

}  // namespace espalier::league
