#include "reproduce/banikazemi_figures.hpp"

#include <gtest/gtest.h>

namespace espalier::reproduce {
namespace {

TEST(BanikazemiFigures, Figure1IsThePapersExactly) {
  const Figure1 f = figure1();
  EXPECT_EQ(f.binomial, microseconds(700));
  EXPECT_EQ(f.spoc, microseconds(500));
  EXPECT_EQ(f.fnf, microseconds(400));
  EXPECT_EQ(f.optimum, microseconds(400));
}

TEST(BanikazemiFigures, SpocEqualsFnfWhereHalfOfTheNodesAndTheSourceAreFast) {
  for (const TestbedRow& row : figures4to6(1, 50)) {
    if (2 * row.fast != row.nodes || row.source != Source::Fast) continue;
    EXPECT_DOUBLE_EQ(row.result.spoc_us, row.result.fnf_us) << row.nodes;
  }
}

TEST(BanikazemiFigures, NeitherSchemeLosesToTheDefaultInTheMean) {
  for (const TestbedRow& row : figures4to6(1, 50)) {
    EXPECT_GE(row.result.spoc_factor(), 0.999) << row.nodes << " " << row.fast;
    EXPECT_GE(row.result.fnf_factor(), 0.999) << row.nodes << " " << row.fast;
  }
}

TEST(BanikazemiFigures, JointTreesAreNeverBehindSeparateOnes) {
  for (const MultipleRow& row : figure10(1, 1)) {
    EXPECT_LE(row.joint_us, row.fnf_us + 1e-6) << row.sources << " " << row.destinations;
  }
}

}  // namespace
}  // namespace espalier::reproduce
