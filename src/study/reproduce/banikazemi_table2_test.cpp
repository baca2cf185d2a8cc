#include "reproduce/banikazemi_table2.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"

namespace espalier::reproduce {
namespace {

TEST(BanikazemiTable2, IsTheSameOnAnyNumberOfThreads) {
  const Table2Row alone = table2_row(9, 300, 7, 1);
  EXPECT_EQ(table2_row(9, 300, 7, 2), alone);
  EXPECT_EQ(table2_row(9, 300, 7, 5), alone);
  EXPECT_NE(table2_row(9, 300, 8, 1), alone);
}

TEST(BanikazemiTable2, HasNoGapUpToFiveParticipants) {
  for (Rank participants = 2; participants <= 5; ++participants) {
    const Table2Row row = table2_row(participants, 2000, 1, 2);
    EXPECT_EQ(row.worst_gap, 0.0) << participants;
    EXPECT_EQ(row.same_latency, 1.0) << participants;
    EXPECT_EQ(row.unproven, 0u);
  }
}

// The standard deviation of one latency is below 300 us, so 5000 cases are good to 1.5 %, and the
// paper's 10,000 to 1 %; gaps are a hundred times smaller and good to about 0.1.
TEST(BanikazemiTable2, IsThePapersWithinTheErrorOfBothSamples) {
  for (const Table2Printed& printed : table2_printed()) {
    const Table2Row row = table2_row(printed.participants, 5000, 1998, 2);
    EXPECT_EQ(row.unproven, 0u);
    EXPECT_NEAR(row.mean_fnf_us / printed.fnf_us, 1.0, 0.03) << printed.participants;
    EXPECT_NEAR(row.mean_optimum_us / printed.optimum_us, 1.0, 0.03) << printed.participants;
    EXPECT_NEAR(100 * row.gap_of_means, printed.gap_percent, 0.3) << printed.participants;
    EXPECT_GE(row.same_latency, 0.88) << printed.participants;  // "90-100 % of the cases"
  }
}

TEST(BanikazemiTable2, PassesOnePercentBeyondThePapersNineNodes) {
  const Table2Row row = table2_row(24, 1000, 1, 2);
  EXPECT_EQ(row.unproven, 0u);
  EXPECT_GT(row.gap_of_means, 0.01);
  EXPECT_LT(row.gap_of_means, 0.03);
  EXPECT_LE(row.worst_gap, 0.5);  // Khuller and Kim
}

TEST(BanikazemiTable2, RefusesABroadcastToNobody) {
  EXPECT_THROW((void)table2_row(1, 10, 1, 1), ContractViolation);
}

}  // namespace
}  // namespace espalier::reproduce
