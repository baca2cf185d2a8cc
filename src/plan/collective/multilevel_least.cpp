// What estimates of multilevel plans are not less than: a way from the root to some rank, level by
// level, or back.
#include <algorithm>
#include <bit>
#include <limits>

#include "collective/multilevel_time.hpp"
#include "collective/postal_shape.hpp"

namespace espalier::collective {

using cost::LeastCosts;
using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

/// Ways along the trees of the levels' groups. In groups of several sizes the shortest counts:
/// whichever group a way comes to, it is not shorter there.
class LeastWays {
 public:
  /// @param element bytes of an element, of which segments have several; 0: messages are whole
  LeastWays(const MultilevelChoice& choice, const Hierarchy& hierarchy, double bytes,
            double element)
      : choice_(choice),
        hierarchy_(hierarchy),
        costs_(hierarchy.shape().least),
        bytes_(bytes),
        element_(element) {}

  /// A block for each rank of a sub-tree, which nobody combines.
  [[nodiscard]] LeastWays of_blocks() const {
    LeastWays ways = *this;
    ways.has_blocks_ = true;
    return ways;
  }

  /// All levels from this one on that every rank lies below.
  [[nodiscard]] Picos down(std::uint32_t from_level) const { return along(from_level, true); }
  [[nodiscard]] Picos up(std::uint32_t from_level) const { return along(from_level, false); }
  /// A scan on a machine whose ranks lie in order: up to the last rank, and down again within
  /// parts that others stand before.
  [[nodiscard]] Picos scan() const {
    Picos all = 0;
    bool is_after_others = false;
    for (std::uint32_t level = 0; level <= costs_.innermost_of_all(); ++level) {
      const auto sizes = hierarchy_.group_sizes(level);
      Picos up = team_up(level, sizes.front()), down = way(level, sizes.front(), true);
      for (const Rank size : sizes) {
        up = std::min(up, team_up(level, size));
        down = std::min(down, way(level, size, true));
      }
      all += up;
      if (is_after_others && down > 0) all += down + costs_.combine(bytes_);
      is_after_others = is_after_others || sizes.front() > 1;
    }
    return all;
  }
  /// The masters of the outermost level with each other.
  [[nodiscard]] Picos exchange() const {
    const auto others =
        static_cast<Picos>(hierarchy_.machine().clusters().front().member_count) - 1;
    if (others < 1) return 0;
    const double bytes = message_on(0);
    const Picos taken = costs_.recv(bytes) + costs_.combine(bytes);
    return costs_.across(bytes) - costs_.recv(bytes) + others * taken;
  }

  /// The fewest children that the first of a group has.
  [[nodiscard]] double children_on(std::uint32_t level) const {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Rank size : hierarchy_.group_sizes(level)) {
      const std::size_t children =
          positions_in_group(choice_.levels[level].shape, 0, size).children.size();
      least = std::min(least, children);
    }
    return static_cast<double>(least);
  }

 private:
  /// Bytes of a message on a level.
  [[nodiscard]] double message_on(std::uint32_t level) const {
    if (has_blocks_ && level < costs_.innermost_of_all()) {
      return bytes_ * costs_.smallest(level + 1);
    }
    const double segment = static_cast<double>(choice_.levels[level].segment) * element_;
    return segment > 0 && segment < bytes_ ? segment : bytes_;
  }

  [[nodiscard]] Picos combined(double bytes) const {
    return has_blocks_ ? 0 : costs_.combine(bytes);
  }

  /// A message to the n-th child of a rank, or from a child.
  [[nodiscard]] Picos hop(std::uint32_t level, double n, bool downwards) const {
    const double bytes = message_on(level);
    const Picos one = costs_.message_on(level, bytes);
    return downwards ? one + (n - 1) * costs_.send(bytes) : one + combined(bytes);
  }

  [[nodiscard]] Picos way_to(std::uint32_t level, Rank radix, Rank position, bool downwards) const {
    Picos way = 0;
    for (; position != 0; position /= radix) {
      if (position % radix != 0) way += hop(level, position % radix, downwards);
    }
    return way;
  }

  /// What the last of a team of so many waits for: see TeamScans.
  [[nodiscard]] Picos team_up(std::uint32_t level, Rank size) const {
    if (size < 2) return 0;
    const Picos one = costs_.message_on(level, bytes_);
    const Picos combined = costs_.combine(bytes_);
    const auto rounds_to = [](Rank last) { return std::bit_width(last) - 1.0; };
    switch (choice_.levels[level].shape) {
      case Shape::Flat:
        return one + combined + (size - 2.0) * (costs_.recv(bytes_) + combined);
      case Shape::Chain:
        return (size - 1.0) * (one + combined);
      case Shape::Binary:
        return one + (size < 3 ? 0 : rounds_to(size - 2) * (one + combined));
      default:
        return one + (rounds_to(size - 1) + std::popcount(size - 1) - 1.0) * (one + combined);
    }
  }

  /// In a group of so many.
  [[nodiscard]] Picos way(std::uint32_t level, Rank size, bool downwards) const {
    if (size < 2) return 0;
    const Shape shape = choice_.levels[level].shape;
    const double bytes = message_on(level);
    switch (shape) {
      case Shape::Flat: {
        if (downwards) return hop(level, size - 1.0, true);
        const Picos taken = costs_.recv(bytes) + combined(bytes);
        return hop(level, 1, false) + (size - 2.0) * taken;
      }
      case Shape::Chain:
        return (size - 1.0) * hop(level, 1, downwards);
      case Shape::Binary:
        return (std::bit_width(size) - 1.0) * hop(level, 1, downwards);
      default: {
        const Rank radix = radix_of(shape);
        if (radix == 0) {  // postal trees: to the root's last child
          const auto children = postal_positions(lambda_of(shape), 0, size).children.size();
          return hop(level, static_cast<double>(children), downwards);
        }
        Rank full = 1;
        while (full <= size / radix) full *= radix;
        return std::max(way_to(level, radix, size - 1, downwards),
                        way_to(level, radix, full - 1, downwards));
      }
    }
  }

  [[nodiscard]] Picos along(std::uint32_t from_level, bool downwards) const {
    Picos all = 0;
    for (std::uint32_t level = from_level; level <= costs_.innermost_of_all(); ++level) {
      const auto sizes = hierarchy_.group_sizes(level);
      Picos least = way(level, sizes.front(), downwards);
      for (const Rank size : sizes) least = std::min(least, way(level, size, downwards));
      all += least;
    }
    return all;
  }

  const MultilevelChoice& choice_;
  const Hierarchy& hierarchy_;
  const LeastCosts& costs_;
  double bytes_;
  double element_;
  bool has_blocks_ = false;
};

/// Blocks go up within the members of the whole machine, bundles across, all of them down again.
Picos least_allgather(const MultilevelChoice& choice, const Hierarchy& hierarchy,
                      const Collective& call, double block) {
  const MachineShape& shape = hierarchy.shape();
  const LeastCosts& costs = shape.least;
  const double masters = hierarchy.machine().clusters().front().member_count;
  const bool exchanges = choice.top == Top::Exchange;
  const double all = block * call.size;
  const double bundle = block * shape.smallest_outermost;
  const LeastWays ways(choice, hierarchy, bundle, 0);
  const Picos up = LeastWays(choice, hierarchy, block, 0).of_blocks().up(1);
  const Picos down = ways.down(1);
  Picos across = 0;
  double sent = 0;  // out of a master's member of the level
  if (masters > 1) {
    across = (exchanges ? 1 : masters - 1) * costs.across(bundle);
    sent = exchanges ? (masters - 1) * bundle : all - block * shape.largest_outermost;
  }
  Picos busiest = costs.uplink_on(0, sent);
  Picos slowest = 0;  // all bundles go over each edge, one after the other
  for (std::uint32_t level = 1; level <= costs.innermost_of_all(); ++level) {
    if (hierarchy.group_sizes(level).front() > 1) {
      slowest = std::max(slowest, costs.flow_on(level, all - bundle));
    }
    sent += ways.children_on(level) * all;
    busiest = std::max(busiest, costs.uplink_on(level, sent));
  }
  return std::max(up + down + std::max(across, slowest), busiest);
}

/// Blocks that go to the root or come from there. On regular machines those from other members of
/// the whole share the link of the root's: the last comes when it has carried all.
Picos least_blocks(const MultilevelChoice& choice, const Hierarchy& hierarchy,
                   const Collective& call, double block, bool downwards) {
  const MachineShape& shape = hierarchy.shape();
  const LeastCosts& costs = shape.least;
  const LeastWays ways = LeastWays(choice, hierarchy, block, 0).of_blocks();
  const Picos way = downwards ? ways.down(0) : ways.up(0);
  const double others = block * (call.size - shape.smallest_outermost);
  if (!shape.is_regular || others == 0) return way;
  const double bundle = block * shape.smallest_outermost;
  const Picos across = costs.outermost() + costs.send(bundle) + costs.recv(bundle);
  const Picos inside = downwards ? costs.uplink_on(0, others) + ways.down(1)
                                 : costs.downlink_on(0, others) + ways.up(1);
  return std::max(way, across + inside);
}

/// Vectors of all blocks go up, the sums for each member's ranks across, blocks down.
Picos least_reduce_scatter(const MultilevelChoice& choice, const Hierarchy& hierarchy,
                           const Collective& call, double block) {
  const LeastCosts& costs = hierarchy.shape().least;
  const bool exchanges = choice.top == Top::Exchange;
  const std::uint32_t first = exchanges ? 1 : 0;
  const double all = block * call.size;
  const LeastWays vectors(choice, hierarchy, all, 0);
  double taken = 0;  // by a master's member of the level
  Picos busiest = 0;
  for (std::uint32_t level = first; level <= costs.innermost_of_all(); ++level) {
    taken += vectors.children_on(level) * all;
    busiest = std::max(busiest, costs.downlink_on(level, taken));
  }
  const Picos up = std::max(vectors.up(first), busiest);
  if (!exchanges) return up + least_blocks(choice, hierarchy, call, block, true);
  const double bundle = block * hierarchy.shape().smallest_outermost;
  const bool joins = hierarchy.machine().clusters().front().member_count > 1;
  const Picos down = LeastWays(choice, hierarchy, block, 0).of_blocks().down(1);
  return up + (joins ? costs.across(bundle) + costs.combine(bundle) : 0) + down;
}

}  // namespace

/// All that leaves a member of the whole machine passes its link.
Picos least_bundled_alltoall(const Hierarchy& hierarchy, double block) {
  const topology::Machine& machine = hierarchy.machine();
  const auto all = static_cast<Picos>(machine.size());
  Picos most = 0;
  for (const topology::Member& member : machine.members(machine.clusters().front())) {
    if (member.is_leaf) continue;
    const topology::Cluster& cluster = machine.clusters()[member.id];
    const auto inside = static_cast<Picos>(cluster.leaf_count);
    most = std::max(most, inside * (all - inside) * cost::per_byte_of(cluster.uplink.out));
  }
  return most * block;
}

Picos multilevel_least(const MultilevelChoice& choice, const Hierarchy& hierarchy,
                       const Collective& call) {
  const auto element = static_cast<double>(call.element.value);
  const double bytes = static_cast<double>(call.count) * element;
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) {
    if (!hierarchy.shape().in_order) return 0;
    return LeastWays(choice, hierarchy, bytes, 0).scan() * (1 - 1e-9);
  }
  if (reduces(call.operation) && !call.commutative) return 0;
  const LeastWays ways(choice, hierarchy, bytes, element);
  const bool exchanges = choice.top == Top::Exchange;
  const std::uint32_t first = exchanges ? 1 : 0;
  constexpr Picos kRoundedDown = 1 - 1e-9;  // sums of the estimate may be
  switch (call.operation) {
    case Operation::Broadcast:
      return ways.down(0) * kRoundedDown;
    case Operation::Reduce:
      return ways.up(0) * kRoundedDown;
    case Operation::Allreduce:
    case Operation::Barrier:
      return (ways.up(first) + (exchanges ? ways.exchange() : 0) + ways.down(first)) * kRoundedDown;
    case Operation::Gather:
    case Operation::Scatter:
      return least_blocks(choice, hierarchy, call, bytes, call.operation == Operation::Scatter) *
             kRoundedDown;
    case Operation::ReduceScatter:
      return least_reduce_scatter(choice, hierarchy, call, bytes) * kRoundedDown;
    case Operation::Allgather:
      return least_allgather(choice, hierarchy, call, bytes) * kRoundedDown;
    case Operation::Alltoall:
      return least_bundled_alltoall(hierarchy, bytes) * kRoundedDown;
    default:
      return 0;
  }
}

}  // namespace espalier::collective
