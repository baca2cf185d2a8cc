#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "weather/forecast.hpp"

namespace espalier::weather {

/// One measurement of a link between two clusters, either way round.
struct Sample {
  std::int64_t when = 0;  ///< seconds since 1970
  std::string a, b;
  double latency = 0;    ///< seconds, one way
  double bandwidth = 0;  ///< bits a second; 0 if it was not measured
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// What a file holds; `notes` say in a sentence each what is wrong with it.
struct HistoryRead {
  std::vector<Sample> samples;  ///< by time
  std::vector<std::string> notes;
};

/// For others who use histories of the same folder.
inline constexpr std::chrono::milliseconds kPatience{30'000};

/// Adds samples to an SQLite file, which is made if it is not there. Writers wait for each other,
/// and what was added is on the disk when this returns. A file that is no history any more is put
/// aside as FILE.corrupt, and a new one begun; the note says so. One that never was a history is
/// refused.
/// Refuses samples without names, or with figures that are not finite, negative, or a latency of 0.
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
  std::string a, b;  ///< a < b
  Forecast latency;
  Forecast bandwidth;  ///< method "" if it was never measured
  std::size_t samples = 0;
  std::int64_t last = 0;
};

/// One for each link, by names. Samples older than `oldest` are left out.
[[nodiscard]] std::vector<LinkForecast> forecast_links(std::span<const Sample> samples,
                                                       std::int64_t oldest);

}  // namespace espalier::weather
