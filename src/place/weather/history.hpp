#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"

namespace espalier::weather {

/// What the next measurement of a series will be, and how far forecasts of it were off so far.
struct Forecast {
  double value = 0;
  double mean_error = 0;  ///< mean absolute error of the chosen method over the whole series
  std::string method;     ///< such as "median of 10"
};

/// One method, its error so far and its forecast.
struct MethodError {
  std::string method;
  double mean_error = 0;
  double next = 0;  ///< forecast of the next measurement
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

/// One measurement of a link between two clusters, either way round.
struct Sample {
  std::int64_t when = 0;  ///< seconds since 1970
  std::string a, b;
  double latency = 0;    ///< seconds, one way
  double bandwidth = 0;  ///< bits a second; 0: not measured
  friend bool operator==(const Sample&, const Sample&) = default;
};

inline constexpr double kMostLatency = 1e6;     ///< seconds
inline constexpr double kMostBandwidth = 8e18;  ///< bits a second

/// The samples of a file; `notes` say what is wrong with it, one sentence each.
struct HistoryRead {
  std::vector<Sample> samples;  ///< ordered by time
  std::vector<std::string> notes;
  /// Why there are no samples, or not all: no such file, no history, a broken one.
  std::optional<Error> wrong;
};

/// How long to wait for others who use histories of the same folder.
inline constexpr std::chrono::milliseconds kPatience{30'000};

/// Adds samples to an SQLite file, which is made if it is not there. Writers wait for each other,
/// and what was added is on the disk when this returns. A file that is no history any more is put
/// aside as FILE.corrupt, and a new one begun; the note says so. One that never was a history is
/// refused.
/// Refuses samples without names, with negative figures, a latency of 0, or figures beyond what
/// any link has.
Expected<std::vector<std::string>> add_samples(const std::string& file,
                                               std::span<const Sample> samples,
                                               std::chrono::milliseconds patience = kPatience);

/// Never refuses: a file that is missing, unreadable or corrupt is an empty history with a note.
/// Rows that make no sense are left out with a note. Nothing that the file says is run: its table
/// must be a table.
[[nodiscard]] HistoryRead read_history(const std::string& file,
                                       std::chrono::milliseconds patience = kPatience);

/// The next measurement of one link.
struct LinkForecast {
  std::string a, b;  ///< the two ends: a < b
  Forecast latency;
  Forecast bandwidth;  ///< method is "" if bandwidth was never measured
  std::size_t samples = 0;
  std::int64_t last = 0;
};

/// One for each link, by names. Samples older than `oldest` are left out.
[[nodiscard]] std::vector<LinkForecast> forecast_links(std::span<const Sample> samples,
                                                       std::int64_t oldest);

}  // namespace espalier::weather
