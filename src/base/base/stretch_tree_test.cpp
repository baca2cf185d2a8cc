#include "base/stretch_tree.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"

namespace espalier {
namespace {

TEST(StretchTree, CutsTheRestIntoPartsThatDifferByOneAtMost) {
  const std::vector<TreeStretch> parts = parts_below({10, 21}, 4);
  EXPECT_EQ(parts, (std::vector<TreeStretch>{{11, 14}, {14, 17}, {17, 19}, {19, 21}}));
  EXPECT_TRUE(parts_below({3, 4}, 4).empty());
}

TEST(StretchTree, HasEveryPositionOnceBelowItsParent) {
  for (const std::size_t fan : {2, 3, 16}) {
    for (std::size_t count = 1; count < 300; ++count) {
      std::vector<int> told(count);
      for (std::size_t p = 0; p < count; ++p) {
        const TreePlace place = place_in_tree(p, count, fan);
        ASSERT_EQ(place.own.begin, p);
        ASSERT_LE(place.children.size(), fan);
        for (const TreeStretch& child : place.children) {
          ++told[child.begin];
          const TreePlace below = place_in_tree(child.begin, count, fan);
          ASSERT_EQ(below.parent, p);
          ASSERT_EQ(below.own, child);
        }
      }
      ASSERT_EQ(told[0], 0);
      for (std::size_t p = 1; p < count; ++p) ASSERT_EQ(told[p], 1);
    }
  }
}

TEST(StretchTree, IsNoDeeperThanALogarithmSays) {
  EXPECT_EQ(depth_of_tree(1, 16), 0U);
  EXPECT_EQ(depth_of_tree(17, 16), 1U);
  EXPECT_EQ(depth_of_tree(18, 16), 2U);
  EXPECT_EQ(depth_of_tree(273, 16), 2U);
  EXPECT_EQ(depth_of_tree(10'000, 16), 4U);
  EXPECT_EQ(depth_of_tree(65'536, 16), 4U);
}

TEST(StretchTree, RefusesAPositionThatIsNotThere) {
  EXPECT_THROW((void)place_in_tree(3, 3, 2), ContractViolation);
}

}  // namespace
}  // namespace espalier
