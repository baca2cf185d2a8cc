#include "collective/postal_shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "model/logp_models.hpp"
#include "topology/readers.hpp"
#include "tree/postal_optimal.hpp"
#include "tree/tree_time.hpp"

namespace espalier::collective {
namespace {

constexpr std::array kLambdas{2U, 3U, 5U, 8U, 13U, 21U};

tree::CommTree tree_of(Rank lambda, Rank size) {
  tree::CommTree tree(size, 0);
  std::vector<Rank> todo{0};
  while (!todo.empty()) {
    const Rank rank = todo.back();
    todo.pop_back();
    for (const Rank child : postal_positions(lambda, rank, size).children) {
      EXPECT_EQ(postal_positions(lambda, child, size).parent, rank);
      tree.append_child(rank, child);
      todo.push_back(child);
    }
  }
  return tree;
}

TEST(PostalPositions, AreATreeAsFastAsTheOptimum) {
  for (const Rank lambda : kLambdas) {
    for (Rank size = 1; size <= 200; size += size < 40 ? 1 : 23) {
      const model::Postal model(size, microseconds(1), microseconds(lambda));
      const tree::CommTree tree = tree_of(lambda, size);
      ASSERT_EQ(tree.member_count(), size);
      const tree::CommTree best =
          tree::postal_optimal(tree::everybody(size, 0), {microseconds(1), microseconds(lambda)});
      const auto last = [&](const tree::CommTree& one) {
        const std::vector<Time> times = broadcast_times(one, model, Bytes{1});
        return *std::max_element(times.begin(), times.end());
      };
      ASSERT_EQ(last(tree), last(best)) << lambda << " " << size;
    }
  }
}

TEST(PostalPositions, ManyRanksAreNoMoreWork) {
  constexpr Rank kMany = 16'777'216;
  const GroupPositions last = postal_positions(21, kMany - 1, kMany);
  EXPECT_LT(last.parent, kMany - 1);
  EXPECT_TRUE(last.children.empty());
  EXPECT_EQ(postal_positions(21, 0, kMany).parent, kNoRank);
}

TEST(FittedShapes, GoByTheFiguresOfEachLevel) {
  const auto shapes = [](const std::string& line, std::uint64_t bytes) {
    const topology::Machine machine = *topology::parse_synthetic(line);
    return fitted_shapes(Hierarchy(machine), Bytes{bytes});
  };
  using Shapes = std::vector<Shape>;
  // 25 us beside sends of 5 us: (5 + 25 + 0) / 5 = 6.
  EXPECT_EQ(shapes("node:64(25us,send=5us)", 8), Shapes{Shape::Postal5});
  EXPECT_EQ(shapes("node:64(25us,send=5us)", 8), shapes("node:64(25us,send=5us)", 1'000'000));
  // A message of 1 MB takes 8 ms to leave: latency is nothing.
  EXPECT_EQ(shapes("node:64(25us,1Gbit/s,send=5us)", 1'000'000), Shapes{Shape::Binomial});
  // As many sends as the first needs to arrive reach everybody.
  EXPECT_EQ(shapes("node:8(30us,send=5us)", 8), Shapes{Shape::Flat});
  EXPECT_EQ(shapes("node:64(25us)", 8), Shapes{Shape::Flat});
  EXPECT_EQ(shapes("site:3(30ms) node:64(10us,send=5us,recv=5us)", 8),
            (Shapes{Shape::Flat, Shape::Postal5}));
}

}  // namespace
}  // namespace espalier::collective
