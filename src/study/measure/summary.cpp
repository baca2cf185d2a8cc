#include "measure/summary.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace espalier::measure {
namespace {

constexpr double kWanted = 0.95;

/// That fewer than k of n values lie below the median: binomial, p = 1/2.
double chance_of_fewer(std::size_t k, std::size_t n) {
  double term = std::pow(0.5, static_cast<double>(n));
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    sum += term;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return sum;
}

}  // namespace

Summary summarize(std::vector<double> values) {
  expects(!values.empty(), "summarize: there is no value");
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Summary s;
  s.median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  std::size_t k = 1;  // the interval goes from the k-th value to the k-th from the end
  while (2 * (k + 1) <= n && 1 - 2 * chance_of_fewer(k + 1, n) >= kWanted) ++k;
  s.low = values[k - 1];
  s.high = values[n - k];
  s.confidence = 1 - 2 * chance_of_fewer(k, n);
  return s;
}

}  // namespace espalier::measure
