#pragma once

#include <span>
#include <string>
#include <vector>

namespace espalier::weather {

/// What the next measurement of a series will be, and how far forecasts of it were off so far.
struct Forecast {
  double value = 0;
  double mean_error = 0;  ///< of the method that was chosen, absolute, over the whole series
  std::string method;     ///< "median of 10"
};

/// How one method did.
struct MethodError {
  std::string method;
  double mean_error = 0;
  double next = 0;  ///< its forecast of the next measurement
};

/// Every method on the same series, each forecast made from what came before alone.
///
/// R. Wolski, N. Spring, J. Hayes: "The Network Weather Service: a distributed resource performance
/// forecasting service for metacomputing", FGCS 1999: last value, running and sliding means,
/// sliding medians, exponential smoothing.
/// @pre values is not empty
[[nodiscard]] std::vector<MethodError> try_methods(std::span<const double> values);

/// The method with the least mean absolute error so far decides; the first of equal ones.
/// @pre values is not empty
[[nodiscard]] Forecast forecast(std::span<const double> values);

}  // namespace espalier::weather
