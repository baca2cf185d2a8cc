// Which plans over levels build the same trees. In a group of two every shape is one message; in
// small groups several shapes are the same, such as binary and flat among three.
#include <algorithm>
#include <array>

#include "collective/level_names.hpp"

namespace espalier::collective {
namespace {

using schedule::Operation;

constexpr Rank kComparedUpTo = 16;

/// The first shape whose tree of so many is the same.
Shape first_like(Shape shape, Rank size) {
  for (int other = 0; other < static_cast<int>(shape); ++other) {
    bool is_same = true;
    for (Rank p = 0; is_same && p < size; ++p) {
      is_same = positions_in_group(shape, p, size).children ==
                positions_in_group(static_cast<Shape>(other), p, size).children;
    }
    if (is_same) return static_cast<Shape>(other);
  }
  return shape;
}

using FirstLike = std::array<std::array<Shape, kComparedUpTo + 1>, kShapeCount>;

const FirstLike& first_like_of_all() {
  static const FirstLike all = [] {
    FirstLike found{};
    for (int shape = 0; shape < kShapeCount; ++shape) {
      for (Rank size = 0; size <= kComparedUpTo; ++size) {
        found[static_cast<std::size_t>(shape)][size] = first_like(static_cast<Shape>(shape), size);
      }
    }
    return found;
  }();
  return all;
}

bool are_same(Shape a, Shape b, Rank size) {
  const FirstLike& first = first_like_of_all();
  const auto row = [&](Shape shape) { return first[static_cast<std::size_t>(shape)]; };
  return a == b || (size <= kComparedUpTo && row(a)[size] == row(b)[size]);
}

}  // namespace

Parameters canonical_levels(const Hierarchy& hierarchy, const schedule::Collective& call,
                            Parameters parameters) {
  auto& choice = std::get<MultilevelChoice>(parameters);
  if (call.operation == Operation::Alltoall) {
    // Of several leaders one for each other cluster, and no more, has something to carry. A single
    // one goes up and down the levels' trees.
    Carriers& carriers = choice.carriers;
    const Rank others = std::max<Rank>(2, hierarchy.machine().clusters().front().member_count - 1);
    if (carriers.stripes == 1) carriers.leaders = std::min(carriers.leaders, others);
    if (carriers.leaders > 1) choice.levels.assign(choice.levels.size(), {});
    return parameters;
  }
  // Scans go by runs of ranks, not by clusters.
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) return parameters;
  // The masters of an allgather go round in a ring, or exchange.
  if (call.operation == Operation::Allgather) choice.levels.front().shape = Shape::Flat;
  // Nobody to exchange with. (The master of a reduce-scatter would still pack its blocks.)
  const bool is_alone = hierarchy.machine().clusters().front().member_count == 1;
  if (is_alone && call.operation != Operation::ReduceScatter) choice.top = Top::Tree;
  for (std::uint32_t l = 0; l < choice.levels.size(); ++l) {
    Shape& shape = choice.levels[l].shape;
    const auto sizes = hierarchy.group_sizes(l);
    const auto is_like = [&](Shape other) {
      return std::all_of(sizes.begin(), sizes.end(),
                         [&](Rank size) { return are_same(shape, other, size); });
    };
    int first = 0;
    while (!is_like(static_cast<Shape>(first))) ++first;
    shape = static_cast<Shape>(first);
  }
  return parameters;
}

}  // namespace espalier::collective
