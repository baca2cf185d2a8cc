#include "collective/segments.hpp"

#include <algorithm>

namespace espalier::collective {

std::vector<std::uint64_t> segments_for(const schedule::Collective& call) {
  using schedule::Operation;
  std::vector<std::uint64_t> segments{0};
  const bool moves_a_vector = call.operation == Operation::Broadcast ||
                              call.operation == Operation::Reduce ||
                              call.operation == Operation::Allreduce;
  if (!moves_a_vector || call.element.value == 0) return segments;
  const std::uint64_t bytes = call.count * call.element.value;
  const auto add = [&](std::uint64_t segment) {
    segments.push_back(std::max<std::uint64_t>(1, segment / call.element.value));
  };
  for (const std::uint64_t segment : {kShortSegment, 2 * kShortSegment}) {
    if (segment < bytes && bytes <= kShortOfSegments) add(segment);
  }
  for (std::uint64_t segment = 4096; segment < bytes && segment <= (1U << 20U); segment *= 4) {
    add(segment);
  }
  return segments;
}

}  // namespace espalier::collective
