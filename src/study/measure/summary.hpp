#pragma once

#include <vector>

namespace espalier::measure {

/// The median of repeated measurements, and an interval that holds the true one.
struct Summary {
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence =
      0;  ///< probability that the interval holds the true median; >= 0.95 with 6 values
};

/// The interval goes from the k-th smallest to the k-th largest value, with the largest k that
/// gives 95 %. It assumes nothing of how times are distributed, only that each is above the true
/// median with probability 1/2. With too few values it is the whole range, and `confidence` is
/// lower.
/// @pre there is a value
[[nodiscard]] Summary summarize(std::vector<double> values);

}  // namespace espalier::measure
