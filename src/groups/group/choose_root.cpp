#include "group/choose_root.hpp"

#include <algorithm>

#include "base/contract.hpp"
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

namespace {

constexpr Bytes kSmall{32};  // a construction's message

std::int64_t height(const GroupView& view) {
  return static_cast<std::int64_t>(least_levels(view.size, view.degree)) - 1;
}

std::int64_t depth_of(const GroupView& view, Rank root) {
  if (root == 0) return 0;
  if (view.numbering == Numbering::Preorder) return height(view);
  return heap_depth(root, view.degree);
}

/// Hops between the tree's root and a rank, by the group's routes.
std::int64_t route_to(const GroupView& view, Rank root) {
  if (root == 0) return 0;
  if (view.numbering == Numbering::World) return 1;
  if (view.links.empty()) return depth_of(view, root);
  return link_hops(0, root, view.size, view.degree);
}

/// To the last of k children.
Time hop(const GroupView& view, const model::MessageCost& cost) {
  return (std::int64_t{view.degree} - 1) * cost.sender_busy + cost.delivered;
}

/// Two announcements of each member travel to an intermediary, which answers k + 1 members. Without
/// links most of them pass through the tree's root, one after the other.
Time time_to_make(const GroupView& view, bool settled, const model::CostModel& model) {
  const model::MessageCost cost = model.cost(0, model.size() - 1, kSmall);
  const bool world = view.numbering == Numbering::World;
  const std::int64_t route = world                 ? 1
                             : !view.links.empty() ? std::max<std::int64_t>(height(view), 1)
                                                   : 2 * height(view);
  Time time = (std::int64_t{view.degree} + 2) * cost.sender_busy + (route + 1) * cost.delivered;
  if (!world && view.links.empty()) {
    time += 2 * std::int64_t{view.size} * (cost.sender_busy + cost.receiver_busy);
  }
  if (!world && settled) time += 2 * height(view) * hop(view, cost);
  return time;
}

}  // namespace

Time root_time(RootWay way, const GroupView& view, const RootUse& use,
               const model::CostModel& model) {
  expects(use.root < view.size, "root_time: no such root in the group");
  if (view.size < 2) return {};
  const Time rooted =
      tree_broadcast_time(view.size, use.size, view.degree, use.segment_bytes, model);
  const auto calls = std::int64_t{use.calls};
  if (way == RootWay::OwnTree) return time_to_make(view, use.settled, model) + calls * rooted;
  const Bytes part{use.segment_bytes == 0
                       ? use.size.value
                       : std::min<std::uint64_t>(use.size.value, use.segment_bytes)};
  const model::MessageCost cost = model.cost(0, model.size() - 1, part);
  if (way == RootWay::Forward) {
    return calls * (rooted + route_to(view, use.root) * cost.delivered);
  }
  if (use.root == 0) return calls * rooted;
  // The root itself has one neighbour more than the tree's root, in every segment.
  const std::uint64_t segments =
      part.value == 0 ? 1 : (use.size.value + part.value - 1) / part.value;
  return calls * (rooted + depth_of(view, use.root) * hop(view, cost) +
                  static_cast<std::int64_t>(segments) * cost.sender_busy);
}

RootWay choose_root(const GroupView& view, const RootUse& use, const model::CostModel& model) {
  RootWay best = RootWay::Forward;
  for (const RootWay way : {RootWay::AnyVertex, RootWay::OwnTree}) {
    if (root_time(way, view, use, model) < root_time(best, view, use, model)) best = way;
  }
  return best;
}

}  // namespace espalier::group
