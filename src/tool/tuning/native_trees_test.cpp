#include "tuning/native_trees.hpp"

#include <gtest/gtest.h>

namespace espalier::tuning {
namespace {

using Children = std::vector<Rank>;

TEST(NativeTrees, OpenMpisBinomialTreeOfBroadcastsHasChildrenAtPowersOfTwo) {
  const auto tree = native_tree(NativeTree::StridedBinomial, 12, 0, 0);
  EXPECT_EQ(tree.children(0), (Children{1, 2, 4, 8}));
  EXPECT_EQ(tree.children(1), (Children{3, 5, 9}));
  EXPECT_EQ(tree.children(3), (Children{7, 11}));
  EXPECT_EQ(tree.children(4), (Children{}));
}

TEST(NativeTrees, OpenMpisBinaryTreeStridesOverALevel) {
  const auto tree = native_tree(NativeTree::StridedKary, 12, 0, 2);
  EXPECT_EQ(tree.children(0), (Children{1, 2}));
  EXPECT_EQ(tree.children(1), (Children{3, 5}));
  EXPECT_EQ(tree.children(2), (Children{4, 6}));
  EXPECT_EQ(tree.children(3), (Children{7, 11}));
  EXPECT_EQ(tree.children(5), (Children{9}));
}

TEST(NativeTrees, OpenMpisChainsAreOfNeighbours) {
  const auto tree = native_tree(NativeTree::Chains, 9, 0, 3);
  EXPECT_EQ(tree.children(0), (Children{1, 4, 7}));
  EXPECT_EQ(tree.children(1), (Children{2}));
  EXPECT_EQ(tree.children(3), (Children{}));
  EXPECT_EQ(tree.children(7), (Children{8}));
}

TEST(NativeTrees, MoreChainsThanRanksAreAFlatTree) {
  EXPECT_EQ(native_tree(NativeTree::Chains, 4, 0, 8), native_tree(NativeTree::Flat, 4, 0, 0));
}

TEST(NativeTrees, AllCountFromTheRoot) {
  for (const NativeTree kind :
       {NativeTree::Flat, NativeTree::Chains, NativeTree::StridedKary, NativeTree::StridedBinomial,
        NativeTree::Binomial, NativeTree::Knomial, NativeTree::Kary}) {
    for (const Rank size : {1u, 2u, 3u, 7u, 16u}) {
      const auto tree = native_tree(kind, size, size - 1, 3);
      EXPECT_EQ(tree.root(), size - 1);
      EXPECT_EQ(tree.member_count(), size) << "kind " << static_cast<int>(kind);
      EXPECT_EQ(tree.parent(0), size - 1);
    }
  }
}

}  // namespace
}  // namespace espalier::tuning
