#include "tree/postal_optimal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "tree/shapes.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

TableModel equal_links(Rank count, std::int64_t busy, std::int64_t delivered) {
  return TableModel(count, {.send = busy, .wire = delivered - busy});
}

Time postal_time(Rank count, std::int64_t busy, std::int64_t delivered) {
  return broadcast_time(postal_optimal(everybody(count, 0), {Time{busy}, Time{delivered}}),
                        equal_links(count, busy, delivered), Bytes{0});
}

TEST(PostalOptimal, InformsFourteenRanksInSevenAndAHalfUnitsAtLambdaFiveHalves) {
  // The paper's example: lambda = 2.5, n = 14; one rank more takes longer.
  EXPECT_EQ(postal_time(14, 2, 5), Time{15});
  EXPECT_EQ(postal_time(15, 2, 5), Time{16});
}

TEST(PostalOptimal, GrowsAsTheFibonacciNumbersAtLambdaTwo) {
  std::int64_t now = 1;  // F(t): informed by time t
  std::int64_t before = 1;
  for (std::int64_t t = 2; t <= 12; ++t) {
    const std::int64_t next = now + before;
    before = now;
    now = next;
    EXPECT_EQ(postal_time(static_cast<Rank>(now), 1, 2), Time{t});
    EXPECT_EQ(postal_time(static_cast<Rank>(now) + 1, 1, 2), Time{t + 1});
  }
}

TEST(PostalOptimal, TakesTheBinomialTimeAtLambdaOne) {
  for (Rank count = 1; count <= 300; ++count) {
    ASSERT_EQ(postal_time(count, 7, 7),
              broadcast_time(binomial(everybody(count, 0)), equal_links(count, 7, 7), Bytes{0}))
        << count;
  }
}

TEST(PostalOptimal, IsFlatWhereSendingCostsNothing) {
  EXPECT_EQ(postal_optimal(everybody(9, 2), {Time{0}, Time{5}}), flat(everybody(9, 2)));
}

TEST(PostalOptimal, IsFlatWhereTheWireIsAsLongAsAllTheSends) {
  EXPECT_EQ(postal_optimal(everybody(9, 2), {Time{1}, Time{8}}), flat(everybody(9, 2)));
}

TEST(PostalOptimal, RefusesAMessageDeliveredBeforeItsSenderIsDone) {
  EXPECT_THROW((void)postal_optimal(everybody(3, 0), {Time{5}, Time{4}}), ContractViolation);
}

TEST(PostalOptimalProperty, NoTreeOfUpToEightRanksIsFaster) {
  for (Rank count = 1; count <= 8; ++count) {
    std::vector<CommTree> trees;
    for_all_trees(everybody(count, 0), [&](const CommTree& tree) { trees.push_back(tree); });
    for (std::int64_t busy = 0; busy <= 4; ++busy) {
      for (std::int64_t delivered = busy; delivered <= 13; delivered += 1 + busy / 2) {
        const TableModel model = equal_links(count, busy, delivered);
        Time best = kForever;
        for (const CommTree& tree : trees) {
          best = std::min(best, broadcast_time(tree, model, Bytes{0}));
        }
        ASSERT_EQ(postal_time(count, busy, delivered), best)
            << "P=" << count << " busy=" << busy << " delivered=" << delivered;
      }
    }
  }
}

/// All trees again, by the recurrence over how many ranks the first child takes.
TEST(PostalOptimalProperty, EqualsTheRecurrenceOverTheFirstChildUpToEightyRanks) {
  for (std::int64_t busy = 1; busy <= 5; ++busy) {
    for (std::int64_t delivered = busy; delivered <= 40; delivered += 3) {
      std::vector<std::int64_t> best{0, 0};
      for (std::size_t count = 2; count <= 80; ++count) {
        best.push_back(kForever.picoseconds);
        for (std::size_t taken = 1; taken < count; ++taken) {
          best[count] =
              std::min(best[count], std::max(busy + best[count - taken], delivered + best[taken]));
        }
        ASSERT_EQ(postal_time(static_cast<Rank>(count), busy, delivered), Time{best[count]})
            << "P=" << count << " busy=" << busy << " delivered=" << delivered;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::tree
