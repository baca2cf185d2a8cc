#include "group/choose_tree.hpp"

#include <algorithm>

#include "group/group_view.hpp"

namespace espalier::group {

Time tree_broadcast_time(Rank members, Bytes size, Rank degree, std::size_t segment_bytes,
                         const model::CostModel& model) {
  if (members < 2) return {};
  const std::uint64_t part =
      segment_bytes == 0 ? size.value : std::min(size.value, std::uint64_t{segment_bytes});
  const std::uint64_t segments = part == 0 ? 1 : (size.value + part - 1) / part;
  const model::MessageCost cost = model.cost(0, model.size() - 1, Bytes{part});
  const auto children = static_cast<std::int64_t>(std::min(degree, members - 1));
  const auto hops = static_cast<std::int64_t>(least_levels(members, degree)) - 1;
  return hops * ((children - 1) * cost.sender_busy + cost.delivered) +
         (static_cast<std::int64_t>(segments) - 1) * (children * cost.sender_busy);
}

TreeChoice choose_segment(Rank members, Bytes size, Rank degree, const model::CostModel& model) {
  TreeChoice best{degree, 0, tree_broadcast_time(members, size, degree, 0, model)};
  for (std::size_t segment = 256; segment < size.value; segment *= 2) {
    const Time time = tree_broadcast_time(members, size, degree, segment, model);
    const bool larger = best.segment_bytes != 0 && segment > best.segment_bytes;
    if (time < best.time || (time == best.time && larger)) best = {degree, segment, time};
  }
  return best;
}

TreeChoice choose_tree(Rank members, Bytes size, const model::CostModel& model) {
  TreeChoice best = choose_segment(members, size, 2, model);
  for (Rank degree = 3; degree <= 16; ++degree) {
    const TreeChoice choice = choose_segment(members, size, degree, model);
    if (choice.time < best.time) best = choice;
  }
  return best;
}

}  // namespace espalier::group
