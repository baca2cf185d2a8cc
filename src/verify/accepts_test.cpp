#include <gtest/gtest.h>

#include <map>

#include "support/schedules/all.hpp"
#include "verify/verify.hpp"

namespace espalier::verify {
namespace {

using namespace test_schedules;

TEST(Verify, AcceptsEveryHandWrittenScheduleOfEveryOperation) {
  std::map<Operation, int> accepted;
  for (const Rank p : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 13U, 16U, 17U}) {
    for (const Rank root : {Rank{0}, p / 2, p - 1}) {
      for (const std::uint64_t count : {0U, 1U, 3U, 10U, 1U << 20U}) {
        for (const Maker& make : all_makers()) {
          const Schedule schedule = make(p, root, count);
          const Verdict verdict = verify(schedule);
          ASSERT_TRUE(verdict.ok()) << title(schedule) << "\n" << verdict;
          ++accepted[schedule.call.operation];
        }
      }
    }
  }
  EXPECT_EQ(accepted.size(), static_cast<std::size_t>(schedule::kOperationCount));
}

}  // namespace
}  // namespace espalier::verify
