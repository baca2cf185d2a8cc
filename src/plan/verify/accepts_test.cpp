#include <gtest/gtest.h>

#include <map>

#include "support/for_all_seeds.hpp"
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

TEST(Verify, AcceptsThemAllOn256Ranks) {
  for (const Maker& make : all_makers()) {
    const Schedule schedule = make(256, 85, 1U << 20U);
    const Verdict verdict = verify(schedule);
    ASSERT_TRUE(verdict.ok()) << title(schedule) << "\n" << verdict;
  }
}

TEST(Verify, CountsMessagesUnitsAndBytes) {
  const Verdict ring = verify(allreduce_ring(call_of(Operation::Allreduce, 4, 0, 8)));
  EXPECT_EQ(ring.statistics.messages, 2U * 3 * 4);
  EXPECT_EQ(ring.statistics.units, 2U * 3 * 8);
  EXPECT_EQ(ring.statistics.bytes, Bytes{2U * 3 * 8 * 8});
  EXPECT_EQ(ring.statistics.reduced_units, 3U * 8);
  EXPECT_EQ(ring.statistics.expressions, 3U * 4);

  // Blocks of 0, 1, 2, 0 elements: the first is the root's own.
  const Verdict gatherv = verify(gather_flat(irregular(call_of(Operation::Gather, 4, 0, 0))));
  EXPECT_EQ(gatherv.statistics.units, 3U);
  EXPECT_EQ(gatherv.statistics.bytes, Bytes{3U * 8});

  // Rank 0 has one element for rank 1, rank 1 has two for rank 0.
  const Verdict alltoallv =
      verify(alltoall_direct(irregular(call_of(Operation::Alltoall, 2, 0, 0))));
  EXPECT_EQ(alltoallv.statistics.units, 2U);
  EXPECT_EQ(alltoallv.statistics.bytes, Bytes{(1U + 2U) * 8});
}

TEST(Verify, CostsNoMoreForAMillionElementsThanForAFew) {
  for (const std::uint64_t count : {64U, 1U << 30U}) {
    const Verdict verdict = verify(allreduce_ring(call_of(Operation::Allreduce, 8, 0, count)));
    EXPECT_EQ(verdict.statistics.expressions, 7U * 8);
    EXPECT_EQ(verdict.statistics.messages, 2U * 7 * 8);
  }
}

TEST(Association, IsTheSameForPlansThatGiveTheSameBits) {
  const auto call = call_of(Operation::Reduce, 5, 4, 12);
  // Both put (((0.1).2).3).4 together, whatever the segments.
  const std::uint64_t flat = verify(reduce_flat(call)).association;
  EXPECT_EQ(verify(reduce_chain(call, 1)).association, flat);
  EXPECT_EQ(verify(reduce_chain(call, 3)).association, flat);
  EXPECT_NE(verify(reduce_binomial(call)).association, flat);
}

TEST(Association, IsOneUnlessItDependsOnAUnitsPlace) {
  const auto call = call_of(Operation::Allreduce, 4, 0, 8);
  EXPECT_TRUE(verify(allreduce_recursive_doubling(call)).one_association);
  EXPECT_FALSE(verify(allreduce_ring(call)).one_association);
  EXPECT_TRUE(verify(scan_doubling(call_of(Operation::Scan, 5, 0, 8))).one_association);
}

/// Any bits in any field: an answer comes back, and soon.
TEST(VerifyProperty, SurvivesNonsense) {
  for_all_seeds(3000, [](Random& rng) {
    const auto& makers = all_makers();
    Schedule s = makers[static_cast<std::size_t>(rng.below(makers.size()))](
        static_cast<Rank>(1 + rng.below(5)), 0, rng.below(5));
    const auto any = [&]() -> std::uint64_t {
      return rng.chance(50) ? rng.below(6) : rng.next() >> rng.below(64);
    };
    for (int change = 0; change < 3; ++change) {
      auto& program = s.programs[static_cast<std::size_t>(rng.below(s.programs.size()))];
      if (program.ops.empty()) continue;
      auto& op = program.ops[static_cast<std::size_t>(rng.below(program.ops.size()))];
      Region& region = rng.chance(50) ? op.from : op.to;
      switch (rng.below(12)) {
        case 0:
          region.offset = any();
          break;
        case 1:
          region.length = any();
          break;
        case 2:
          region.outer = {static_cast<schedule::SetId>(rng.below(3)), any()};
          break;
        case 3:
          region.inner = {static_cast<schedule::SetId>(any()), any()};
          break;
        case 4:
          op.peer = static_cast<Rank>(any());
          break;
        case 5:
          op.peer = kNoRank;
          op.peers = static_cast<schedule::SetId>(rng.below(3));
          op.peer_stride = any();
          break;
        case 6:
          op.first_dep = static_cast<std::uint32_t>(any());
          op.dep_count = static_cast<std::uint32_t>(any());
          break;
        case 7:
          program.sets.push_back(IndexSet::range(any(), any(), any()));
          break;
        case 8:
          program.scratch_units = any();
          break;
        case 9:
          s.call.count = any();
          break;
        case 10:
          s.call.counts.resize(static_cast<std::size_t>(rng.below(30)), any());
          break;
        default:
          s.call.root = static_cast<Rank>(any());
      }
    }
    const Verdict verdict = verify(s, {.findings = 4, .slices = 100'000});
    ASSERT_LE(verdict.findings.size(), 4U);
    ASSERT_FALSE(to_string(verdict).empty());
  });
}

}  // namespace
}  // namespace espalier::verify
