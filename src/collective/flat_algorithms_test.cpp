#include "collective/flat_algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "base/contract.hpp"
#include "support/check_schedule.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::collective {

// So that a failed test names the algorithm.
std::ostream& operator<<(std::ostream& out, const FlatAlgorithm& algorithm) {
  return out << name_of(algorithm.operation) << " " << algorithm.name;
}

namespace {

using schedule::Collective;
using schedule::Operation;
using testing_support::check_schedule;

std::string test_name(const testing::TestParamInfo<FlatAlgorithm>& info) {
  std::string name =
      std::string(name_of(info.param.operation)) + "_" + std::string(info.param.name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

bool has_root(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Reduce ||
         operation == Operation::Gather || operation == Operation::Scatter;
}

std::vector<Rank> sizes() {
  std::vector<Rank> found;
  for (Rank p = 1; p <= 20; ++p) found.push_back(p);
  found.insert(found.end(), {31, 32, 33});
  return found;
}

std::string name_of_call(const Collective& call) {
  return std::to_string(call.size) + " ranks, root " + std::to_string(call.root) + ", count " +
         std::to_string(call.count) + (call.commutative ? "" : ", not commutative") +
         (call.irregular() ? ", irregular" : "");
}

class EveryFlatAlgorithm : public testing::TestWithParam<FlatAlgorithm> {
 protected:
  static void expect_right(const Collective& call, std::uint64_t seed, std::uint64_t segment = 0) {
    if (!GetParam().applicable(call)) return;
    ASSERT_EQ(check_schedule(flat_schedule(GetParam(), call, segment), seed), "")
        << name_of_call(call);
  }
  static std::vector<Rank> some_roots(Rank size) {
    if (!has_root(GetParam().operation)) return {0};
    std::vector<Rank> roots;
    for (const Rank root : {Rank{0}, Rank{1}, size / 2, size - 1}) {
      if (root < size && std::find(roots.begin(), roots.end(), root) == roots.end()) {
        roots.push_back(root);
      }
    }
    return roots;
  }
};

INSTANTIATE_TEST_SUITE_P(Flat, EveryFlatAlgorithm,
                         testing::ValuesIn(flat_algorithms().begin(), flat_algorithms().end()),
                         test_name);

bool has_blocks(Operation operation) {
  return operation == Operation::Gather || operation == Operation::Scatter ||
         operation == Operation::Allgather || operation == Operation::Alltoall ||
         operation == Operation::ReduceScatter;
}

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
  for (const Rank size : sizes()) {
    for (const Rank root : some_roots(size)) {
      for (const std::uint64_t count : {0, 1, 3, 17, 64}) {
        for (const bool commutative : {true, false}) {
          Collective call;
          call.operation = GetParam().operation;
          call.size = size;
          call.root = root;
          call.count = count;
          call.commutative = commutative;
          expect_right(call, size + count);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(FlatAlgorithmWithBlocks, ServesBlocksWhoseLengthsDiffer) {
  const Operation operation = GetParam().operation;
  for (const Rank size : sizes()) {
    for (const Rank root : some_roots(size)) {
      Collective call;
      call.operation = operation;
      call.size = size;
      call.root = root;
      call.counts.assign(operation == Operation::Alltoall ? size * size : size, 0);
      for (std::size_t i = 0; i < call.counts.size(); i += 3) call.counts[i] = i;
      expect_right(call, size);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryFlatAlgorithm, EndsWellInAnyOrderOfEvents) {
  for_all_seeds(200, [](Random& rng) {
    Collective call;
    call.operation = GetParam().operation;
    call.size = static_cast<Rank>(rng.between(1, 24));
    call.root = static_cast<Rank>(rng.below(call.size));
    call.count = rng.below(40);
    call.commutative = rng.chance(50);
    expect_right(call, rng.next(), /*segment=*/rng.below(6));
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
