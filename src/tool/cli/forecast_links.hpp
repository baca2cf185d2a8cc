#pragma once

#include <string>
#include <vector>

#include "place/build_inventory.hpp"

namespace espalier::cli {

/// Links as a history forecasts them from the last 30 days; none if no history is named. A history
/// without measurements of that time is an error.
Expected<std::vector<place::LinkSpec>> forecast_links_from(const std::string& history);

}  // namespace espalier::cli
