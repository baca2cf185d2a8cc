#include "collective/flat_algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "base/contract.hpp"
#include "support/check_schedule.hpp"
#include "support/flat_calls.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::collective {

// So that a failed test names the algorithm.
std::ostream& operator<<(std::ostream& out, const FlatAlgorithm& algorithm) {
  return out << name_of(algorithm.operation) << " " << algorithm.name;
}

namespace {

using schedule::Collective;
using schedule::Operation;
using namespace testing_support;

std::string test_name(const testing::TestParamInfo<FlatAlgorithm>& info) {
  std::string name =
      std::string(name_of(info.param.operation)) + "_" + std::string(info.param.name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

class EveryFlatAlgorithm : public testing::TestWithParam<FlatAlgorithm> {
 protected:
  static void expect_right(const Collective& call, std::uint64_t seed, std::uint64_t segment = 0) {
    if (!GetParam().applicable(call)) return;
    ASSERT_EQ(check_schedule(flat_schedule(GetParam(), call, segment), seed), "")
        << name_of_call(call);
  }
};

INSTANTIATE_TEST_SUITE_P(Flat, EveryFlatAlgorithm,
                         testing::ValuesIn(flat_algorithms().begin(), flat_algorithms().end()),
                         test_name);

std::vector<FlatAlgorithm> those_with_blocks() {
  std::vector<FlatAlgorithm> found;
  for (const FlatAlgorithm& algorithm : flat_algorithms()) {
    if (has_blocks(algorithm.operation)) found.push_back(algorithm);
  }
  return found;
}

class FlatAlgorithmWithBlocks : public EveryFlatAlgorithm {};

INSTANTIATE_TEST_SUITE_P(Flat, FlatAlgorithmWithBlocks, testing::ValuesIn(those_with_blocks()),
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
    const std::uint64_t segment = rng.below(6);
    expect_right(call, rng.next(), segment);
  });
}

TEST_P(EveryFlatAlgorithm, RefusesAnotherOperation) {
  Collective call;
  call.operation =
      GetParam().operation == Operation::Barrier ? Operation::Scan : Operation::Barrier;
  EXPECT_FALSE(GetParam().applicable(call));
  EXPECT_THROW((void)GetParam().build(call, 0), ContractViolation);
}

TEST(FlatAlgorithms, AreFoundByName) {
  for (const FlatAlgorithm& algorithm : flat_algorithms()) {
    EXPECT_EQ(find_flat_algorithm(algorithm.operation, algorithm.name), &algorithm) << algorithm;
  }
  EXPECT_EQ(find_flat_algorithm(Operation::Barrier, "ring"), nullptr);
}

TEST(FlatAlgorithms, LeaveNoOperationWithoutOneThatServesEveryCall) {
  for (int i = 0; i < schedule::kOperationCount; ++i) {
    Collective call;
    call.operation = static_cast<Operation>(i);
    call.size = 7;
    call.commutative = false;
    EXPECT_TRUE(std::any_of(flat_algorithms().begin(), flat_algorithms().end(),
                            [&](const auto& algorithm) { return algorithm.applicable(call); }))
        << name_of(call.operation);
  }
}

TEST(FlatAlgorithms, RefuseWhatTheyCannotDo) {
  Collective call;
  call.operation = Operation::Allgather;
  call.size = 6;
  EXPECT_FALSE(find_flat_algorithm(Operation::Allgather, "recursive-doubling")->applicable(call));
  call.size = 7;
  EXPECT_FALSE(find_flat_algorithm(Operation::Allgather, "neighbour-exchange")->applicable(call));
  call.operation = Operation::Allreduce;
  call.commutative = false;
  EXPECT_FALSE(find_flat_algorithm(Operation::Allreduce, "ring")->applicable(call));
  call.commutative = true;
  call.counts.assign(7, 3);
  EXPECT_FALSE(find_flat_algorithm(Operation::Allreduce, "ring")->applicable(call));
}

}  // namespace
}  // namespace espalier::collective
