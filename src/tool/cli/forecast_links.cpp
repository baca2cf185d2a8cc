#include "cli/forecast_links.hpp"

#include <fmt/format.h>

#include <ctime>

#include "cli/output.hpp"
#include "weather/history.hpp"

namespace espalier::cli {

Expected<std::vector<place::LinkSpec>> forecast_links_from(const std::string& history) {
  std::vector<place::LinkSpec> links;
  if (history.empty()) return links;
  constexpr std::int64_t kMonth = 30 * 86'400;
  const weather::HistoryRead read = weather::read_history(history);
  for (const std::string& note : read.notes) write_message(fmt::format("note: {}\n", note));
  if (read.wrong) return *read.wrong;
  const auto forecasts = weather::forecast_links(read.samples, std::time(nullptr) - kMonth);
  if (forecasts.empty()) {
    return Error{history, "it has no measurements of the last 30 days",
                 "record some (espalier weather record), or leave --weather out"};
  }
  for (const weather::LinkForecast& f : forecasts) {
    place::LinkSpec link{history, f.a, f.b, Time{static_cast<std::int64_t>(f.latency.value * 1e12)},
                         kUnlimited};
    if (f.bandwidth.value >= 1) {
      link.capacity = Bandwidth{static_cast<std::uint64_t>(f.bandwidth.value)};
    }
    links.push_back(std::move(link));
  }
  return links;
}

}  // namespace espalier::cli
