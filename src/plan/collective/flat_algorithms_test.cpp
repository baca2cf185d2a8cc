#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "base/contract.hpp"
#include "support/check_schedule.hpp"
#include "support/flat_calls.hpp"
#include "support/flat_schedules.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using namespace testing_support;

/// A classical algorithm and the operation it is for.
struct Flat {
  Operation operation;
  const Algorithm* algorithm;
  // So that a failed test names the algorithm.
  friend std::ostream& operator<<(std::ostream& out, const Flat& flat) {
    return out << name_of(flat.operation) << " " << flat.algorithm->name;
  }
};

std::vector<Flat> all_flat(bool with_blocks_only) {
  std::vector<Flat> found;
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    if (with_blocks_only && !testing_support::has_blocks(operation)) continue;
    for (const Algorithm* one : flat_algorithms(operation)) found.push_back({operation, one});
  }
  return found;
}

std::string test_name(const testing::TestParamInfo<Flat>& info) {
  std::string name =
      std::string(name_of(info.param.operation)) + "_" + std::string(info.param.algorithm->name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

class EveryFlatAlgorithm : public testing::TestWithParam<Flat> {
 protected:
  static void expect_right(const Collective& call, std::uint64_t seed) {
    const Algorithm& algorithm = *GetParam().algorithm;
    if (!applicable(algorithm, call)) return;
    ASSERT_EQ(check_schedule(flat_schedule(algorithm, call), seed), "") << name_of_call(call);
  }
};

INSTANTIATE_TEST_SUITE_P(Flat, EveryFlatAlgorithm, testing::ValuesIn(all_flat(false)), test_name);

class FlatAlgorithmWithBlocks : public EveryFlatAlgorithm {};

INSTANTIATE_TEST_SUITE_P(Flat, FlatAlgorithmWithBlocks, testing::ValuesIn(all_flat(true)),
                         test_name);

TEST_P(EveryFlatAlgorithm, GivesEveryRankItsDueOnAnyNumberOfRanks) {
  for_each_regular_call(GetParam().operation, [](const Collective& call) {
    if (!HasFatalFailure()) expect_right(call, call.size + call.count);
  });
}

TEST_P(FlatAlgorithmWithBlocks, ServesBlocksWhoseLengthsDiffer) {
  for_each_irregular_call(GetParam().operation, [](const Collective& call) {
    if (!HasFatalFailure()) expect_right(call, call.size);
  });
}

TEST_P(EveryFlatAlgorithm, EndsWellInAnyOrderOfEvents) {
  for_all_seeds(200, [](Random& rng) {
    const Collective call = random_call(rng, GetParam().operation);
    expect_right(call, rng.next());
  });
}

TEST(Pipelines, EndWellInAnyOrderOfEventsAndSegments) {
  for_all_seeds(600, [](Random& rng) {
    const Operation operation = kPipelined[rng.below(std::size(kPipelined))];
    const Collective call = random_call(rng, operation);
    if (call.irregular()) return;
    const auto schedule = pipeline_schedule(call, rng.below(6));
    ASSERT_EQ(check_schedule(schedule, rng.next()), "") << name_of_call(call);
  });
}

TEST_P(EveryFlatAlgorithm, RefusesAnotherOperation) {
  Collective call;
  call.operation =
      GetParam().operation == Operation::Barrier ? Operation::Scan : Operation::Barrier;
  EXPECT_FALSE(applicable(*GetParam().algorithm, call));
}

TEST(Algorithms, AreFoundByName) {
  for (const Flat& flat : all_flat(false)) {
    EXPECT_EQ(find_algorithm(flat.operation, flat.algorithm->name), flat.algorithm) << flat;
  }
  EXPECT_EQ(find_algorithm(Operation::Barrier, "ring"), nullptr);
}

TEST(Algorithms, HaveNamesOfTheirOwnInEachOperation) {
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    for (const Algorithm* one : algorithms()) {
      if (!one->operations.contains(operation)) continue;
      EXPECT_EQ(find_algorithm(operation, one->name), one) << one->name;
    }
  }
}

TEST(Algorithms, LeaveNoOperationWithoutAClassicalOneThatServesEveryCall) {
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    Collective call;
    call.operation = static_cast<Operation>(o);
    call.size = 7;
    call.commutative = false;
    const auto flat = flat_algorithms(call.operation);
    EXPECT_TRUE(std::any_of(flat.begin(), flat.end(), [&](const Algorithm* one) {
      return applicable(*one, call);
    })) << name_of(call.operation);
  }
}

TEST(FlatAlgorithms, RefuseWhatTheyCannotDo) {
  Collective call;
  call.operation = Operation::Allgather;
  call.size = 6;
  const auto refuses = [&](std::string_view name) {
    return !applicable(*find_algorithm(call.operation, name), call);
  };
  EXPECT_TRUE(refuses("recursive-doubling"));
  call.size = 7;
  EXPECT_TRUE(refuses("neighbour-exchange"));
  call.operation = Operation::Allreduce;
  call.commutative = false;
  EXPECT_TRUE(refuses("ring"));
  call.commutative = true;
  call.counts.assign(7, 3);
  EXPECT_TRUE(refuses("ring"));
}

}  // namespace
}  // namespace espalier::collective
