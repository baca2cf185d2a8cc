#include "collective/stripes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"

namespace espalier::collective {
namespace {

using schedule::Buffer;
using schedule::Region;
using schedule::slice;

/// Clusters of these sizes, ranks in order.
Partition clusters_of(const std::vector<Rank>& sizes) {
  Partition found;
  Rank next = 0;
  for (const Rank size : sizes) {
    found.parts.emplace_back();
    for (Rank p = 0; p < size; ++p) {
      found.parts.back().push_back(next++);
      found.part_of.push_back(found.count() - 1);
      found.position_of.push_back(p);
    }
  }
  return found;
}

TEST(Stripes, HasAsManyPartsAsTheSmallestClusterUnlessTold) {
  const Partition clusters = clusters_of({4, 3, 7});
  EXPECT_EQ(Stripes(clusters, 0).parts(), 3u);
  EXPECT_EQ(Stripes(clusters, 5).parts(), 5u);
}

TEST(Stripes, OwnersOfAPartLieApartInLargeClusters) {
  const Partition clusters = clusters_of({2, 8});
  const Stripes stripes(clusters, 2);
  EXPECT_EQ(stripes.owners(0, 0).ranks, (std::vector<Rank>{0, 2}));
  EXPECT_EQ(stripes.owners(1, 0).ranks, (std::vector<Rank>{1, 6}));
  EXPECT_EQ(stripes.owners(1, 1, 1, 5).ranks, (std::vector<Rank>{1, 2 + (5 + 4) % 8}));
}

TEST(StripesProperty, PartsAndLayoutsCoverTheVectorAlike) {
  for_all_seeds(500, [](Random& rng) {
    const auto size = static_cast<Rank>(1 + rng.below(40));
    const Partition clusters = clusters_of({size});
    const Stripes stripes(clusters, static_cast<Rank>(rng.below(60)));
    const Region vector = slice(Buffer::Out, rng.below(9), rng.below(rng.chance(50) ? 40 : 100000));
    const BlockLayout layout = stripes.layout(vector, size);
    schedule::ProgramBuilder program(0);
    std::uint64_t next = vector.offset;
    Rank part = 0;
    std::uint64_t longest = 0;
    for (Rank p = 0; p < size; ++p) {
      std::uint64_t units = 0;
      ASSERT_EQ(stripes.first_part(p, size), part);
      for (; part < stripes.parts() && Stripes::owner(part, stripes.parts(), size) == p; ++part) {
        const Region one = stripes.part(vector, part);
        ASSERT_EQ(one.offset, next);
        next += one.length;
        units += one.length;
        longest = std::max(longest, one.length);
      }
      ASSERT_EQ(layout.units(p), units);
      ASSERT_TRUE(units == 0 || layout.region(program, p).offset + units == next);
    }
    ASSERT_EQ(next, vector.offset + vector.length);
    const std::uint64_t even = vector.length / stripes.parts();
    ASSERT_LE(longest, even + 1 + even / 32);
  });
}

}  // namespace
}  // namespace espalier::collective
