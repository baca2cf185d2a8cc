#include "runtime/element_program.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "runtime/plan_cache.hpp"
#include "schedule/in_place.hpp"
#include "select/candidates.hpp"
#include "support/check_schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::runtime {
namespace {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using testing_support::ScheduleRun;

Collective random_call(Random& rng, Rank size) {
  Collective call{Operation::ReduceScatter, size, 0, 0, Bytes{8}, rng.chance(60), {}};
  for (Rank r = 0; r < size; ++r) call.counts.push_back(rng.chance(30) ? 0 : rng.below(9));
  return call;
}

/// Runs the programs, which are those of a reduce-scatter in elements, and looks at each result.
/// An allreduce of that length has the buffers that they need.
std::string check_in_elements(const Collective& call, std::vector<Program> programs,
                              std::uint64_t seed) {
  const std::uint64_t all =
      std::accumulate(call.counts.begin(), call.counts.end(), std::uint64_t{0});
  const Collective roomy{Operation::Allreduce, call.size, 0, all, Bytes{8}, call.commutative, {}};
  const schedule::Schedule schedule{roomy, "in elements", std::move(programs)};
  ScheduleRun run(schedule, seed);
  if (std::string complaint = run.run(); !complaint.empty()) return complaint;
  std::uint64_t begin = 0;
  for (Rank r = 0; r < call.size; begin += call.counts[r++]) {
    const auto& out = run.units(r, Buffer::Out);
    for (std::uint64_t i = 0; i < out.size(); ++i) {
      const std::string where = "rank " + std::to_string(r) + ", Out[" + std::to_string(i) + "]";
      if (i >= call.counts[r]) {
        if (out[i].count != 0) return where + " is written";
      } else if (!is_as_due(out[i], {0, call.size - 1, begin + i}, call.commutative)) {
        return where + " is wrong";
      }
    }
  }
  return {};
}

TEST(ElementProgramProperty, EveryCandidateGivesEveryRankItsOwnBlock) {
  for_all_seeds(60, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 9, 3, true});
    const collective::Hierarchy hierarchy(machine);
    const Collective call = random_call(rng, machine.size());
    const auto bits = rng.chance(30) ? select::Bits::Reference : select::Bits::Any;
    for (const select::Candidate& candidate : select::candidates(hierarchy, call, bits)) {
      std::vector<Program> programs;
      for (Rank r = 0; r < call.size; ++r) {
        programs.push_back(element_program(call, r, candidate.program_of));
      }
      ASSERT_EQ(check_in_elements(call, std::move(programs), rng.next()), "") << candidate.name;
    }
  });
}

TEST(ElementProgramProperty, EqualBlocksMakeARegularCall) {
  for_all_seeds(40, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 9, 3, true});
    const collective::Hierarchy hierarchy(machine);
    const std::uint64_t count = 1 + rng.below(5);
    Collective call{
        Operation::ReduceScatter, machine.size(), 0, count, Bytes{8}, rng.chance(60), {}};
    Collective irregular = call;
    irregular.counts.assign(call.size, count);
    for (const select::Candidate& candidate : select::candidates(hierarchy, irregular)) {
      schedule::Schedule schedule{call, candidate.name, {}};
      for (Rank r = 0; r < call.size; ++r) {
        schedule.programs.push_back(element_program(irregular, r, candidate.program_of));
      }
      ASSERT_EQ(testing_support::check_schedule(schedule, rng.next()), "") << candidate.name;
    }
  });
}

TEST(ElementProgram, TakesNoMoreScratchThanItsBlocksNeed) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(10ms) proc:4(1us)");
  const collective::Hierarchy hierarchy(machine);
  Collective call{Operation::ReduceScatter, 8, 0, 0, Bytes{8}, true, {0, 0, 0, 1000, 0, 0, 1, 0}};
  select::Chooser chooser(hierarchy, {.force = true});
  for (Rank r = 0; r < 8; ++r) {
    const PlanKey key{{Operation::ReduceScatter, 0, 125, 8, true, false, call.counts}};
    const CachedPlan plan = make_plan(chooser, r, key);
    // A few partial results of all blocks; with room for the longest each would be 8 times that.
    EXPECT_LT(plan.prepared.program.scratch_units, 8 * 1001u) << plan.name;
  }
}

TEST(ElementProgram, RefusesACallThatMovesData) {
  const Collective call{Operation::Allgather, 2, 0, 0, Bytes{8}, true, {1, 2}};
  EXPECT_THROW((void)element_program(call, 0, [](Rank) { return Program{}; }), ContractViolation);
}

}  // namespace
}  // namespace espalier::runtime
