#include <algorithm>

#include "place/mappings.hpp"

namespace espalier::place {

std::vector<std::int32_t> affinities(const Problem& problem) {
  topology::Path slowest{0, microseconds(1), kUnlimited};
  const std::size_t step = std::max<std::size_t>(1, problem.slots.size() / 64);
  for (std::size_t s = step; s < problem.slots.size(); s += step) {
    const topology::Path path = problem.path(0, static_cast<std::uint32_t>(s));
    slowest.latency = std::max(slowest.latency, path.latency);
    slowest.bandwidth = std::min(slowest.bandwidth, path.bandwidth);
  }
  std::vector<double> weights;
  double sum = 0;
  for (const Edge& edge : problem.edges) {
    weights.push_back(static_cast<double>(edge.messages) * to_seconds(slowest.latency) +
                      to_seconds(transfer_time({edge.bytes}, slowest.bandwidth)));
    sum += weights.back();
  }
  // libscotch adds them up in 32 bits.
  const double scale = sum > 0 ? 5e8 / sum : 0;
  std::vector<std::int32_t> result;
  for (const double w : weights) {
    result.push_back(static_cast<std::int32_t>(std::clamp(w * scale, 1.0, 5e8)));
  }
  return result;
}

}  // namespace espalier::place
