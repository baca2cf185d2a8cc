// What estimates of multilevel plans are not less than: a way from the root to some rank, level by
// level, or back.
#include <algorithm>
#include <bit>

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

  /// All levels from this one on that every rank lies below.
  [[nodiscard]] Picos down(std::uint32_t from_level) const { return along(from_level, true); }
  [[nodiscard]] Picos up(std::uint32_t from_level) const { return along(from_level, false); }
  /// The masters of the outermost level with each other.
  [[nodiscard]] Picos exchange() const {
    const auto others =
        static_cast<Picos>(hierarchy_.machine().clusters().front().member_count) - 1;
    if (others < 1) return 0;
    const double bytes = message_on(0);
    const Picos taken = costs_.recv(bytes) + costs_.combine(bytes);
    return costs_.across(bytes) - costs_.recv(bytes) + others * taken;
  }

 private:
  /// Bytes of a message on a level.
  [[nodiscard]] double message_on(std::uint32_t level) const {
    const double segment = static_cast<double>(choice_.levels[level].segment) * element_;
    return segment > 0 && segment < bytes_ ? segment : bytes_;
  }

  /// A message to the n-th child of a rank, or from a child.
  [[nodiscard]] Picos hop(std::uint32_t level, double n, bool downwards) const {
    const double bytes = message_on(level);
    const Picos one = costs_.message_on(level, bytes);
    return downwards ? one + (n - 1) * costs_.send(bytes) : one + costs_.combine(bytes);
  }

  [[nodiscard]] Picos way_to(std::uint32_t level, Rank radix, Rank position, bool downwards) const {
    Picos way = 0;
    for (; position != 0; position /= radix) {
      if (position % radix != 0) way += hop(level, position % radix, downwards);
    }
    return way;
  }

  /// In a group of so many.
  [[nodiscard]] Picos way(std::uint32_t level, Rank size, bool downwards) const {
    if (size < 2) return 0;
    const Shape shape = choice_.levels[level].shape;
    const double bytes = message_on(level);
    switch (shape) {
      case Shape::Flat: {
        if (downwards) return hop(level, size - 1.0, true);
        const Picos taken = costs_.recv(bytes) + costs_.combine(bytes);
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
};

}  // namespace

Picos multilevel_least(const MultilevelChoice& choice, const Hierarchy& hierarchy,
                       const Collective& call) {
  if (reduces(call.operation) && !call.commutative) return 0;
  const auto element = static_cast<double>(call.element.value);
  const double bytes = static_cast<double>(call.count) * element;
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
    case Operation::ReduceScatter: {  // all blocks go up
      const LeastWays all(choice, hierarchy, bytes * call.size, 0);
      return all.up(first) * kRoundedDown;
    }
    default:
      return 0;
  }
}

}  // namespace espalier::collective
