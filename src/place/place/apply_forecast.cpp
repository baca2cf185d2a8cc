#include <fmt/format.h>

#include <algorithm>

#include "place/build_inventory.hpp"

namespace espalier::place {

std::optional<Error> apply_forecast(const std::vector<LinkSpec>& forecast, InventorySpec& spec) {
  std::size_t used = 0;
  const auto has_host = [&](const std::string& cluster) {
    return std::any_of(spec.hosts.begin(), spec.hosts.end(),
                       [&](const HostSpec& h) { return h.host.cluster == cluster; });
  };
  for (const LinkSpec& now : forecast) {
    if (!has_host(now.a) || !has_host(now.b)) {
      spec.notes.push_back(fmt::format("the forecast for {} - {} is of no use here", now.a, now.b));
      continue;
    }
    ++used;
    const auto known = std::find_if(spec.links.begin(), spec.links.end(), [&](const LinkSpec& l) {
      return (l.a == now.a && l.b == now.b) || (l.a == now.b && l.b == now.a);
    });
    if (known == spec.links.end()) {
      spec.links.push_back(now);
    } else {
      known->latency = now.latency;
      if (!now.capacity.unlimited()) known->capacity = now.capacity;
    }
  }
  if (used > 0 || forecast.empty()) return std::nullopt;
  return Error{"--weather", "none of its links is between two clusters of the inventory",
               "record links between clusters of these names, or leave --weather out"};
}

}  // namespace espalier::place
