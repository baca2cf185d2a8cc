#pragma once

#include <vector>

namespace espalier::measure {

/// The median of repeated measurements, and an interval that holds the true one.
struct Summary {
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;  ///< that the interval holds it: at least 0.95 from 6 measurements on
};

/// The interval is between two of the values, as many from either end as 95 % allow: it assumes
/// nothing of how times are spread (each is above the true median with probability 1/2). With too
/// few values it goes from the least to the largest and says how little that is worth.
/// @pre there is a value
[[nodiscard]] Summary summarize(std::vector<double> values);

}  // namespace espalier::measure
