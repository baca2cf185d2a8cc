#include "collective/flat_algorithms.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "verify/verify.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;

struct Tally {
  std::uint64_t schedules = 0;
  std::uint64_t messages = 0;
};

void verify_all(const Collective& call, Tally& tally) {
  for (const FlatAlgorithm& algorithm : flat_algorithms()) {
    if (!algorithm.applicable(call)) continue;
    const verify::Verdict verdict = verify::verify(flat_schedule(algorithm, call));
    ++tally.schedules;
    tally.messages += verdict.statistics.messages;
    ASSERT_TRUE(verdict.ok()) << name_of(call.operation) << " " << algorithm.name << ", "
                              << call.size << " ranks, root " << call.root << ", count "
                              << call.count << ", commutative " << call.commutative
                              << ", irregular " << call.irregular() << "\n"
                              << verdict;
  }
}

void print(const Tally& tally) {
  std::cout << tally.schedules << " schedules, " << tally.messages << " messages\n";
}

class FlatAlgorithmsOfEach : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Collective call_of(Rank size, Rank root, std::uint64_t count) {
    Collective call;
    call.operation = static_cast<Operation>(GetParam());
    call.size = size;
    call.root = root;
    call.count = count;
    return call;
  }
  [[nodiscard]] static bool has_root() {
    const auto operation = static_cast<Operation>(GetParam());
    return operation == Operation::Broadcast || operation == Operation::Reduce ||
           operation == Operation::Gather || operation == Operation::Scatter;
  }
};

INSTANTIATE_TEST_SUITE_P(Operation, FlatAlgorithmsOfEach,
                         testing::Range(0, schedule::kOperationCount), [](const auto& test) {
                           std::string name(name_of(static_cast<Operation>(test.param)));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(FlatAlgorithmsOfEach, AreVerifiedForEveryRootUpTo20Ranks) {
  Tally tally;
  for (Rank size = 1; size <= 20; ++size) {
    for (Rank root = 0; root < (has_root() ? size : 1); ++root) {
      for (const std::uint64_t count : {0, 1, 3, 17, 64}) {
        for (const bool commutative : {true, false}) {
          Collective call = call_of(size, root, count);
          call.commutative = commutative;
          verify_all(call, tally);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  print(tally);
}

TEST_P(FlatAlgorithmsOfEach, AreVerifiedUpTo64Ranks) {
  Tally tally;
  for (Rank size = 21; size <= 64; ++size) {
    for (const Rank root : {Rank{0}, size / 3, size - 1}) {
      if (root > 0 && !has_root()) continue;
      for (const bool commutative : {true, false}) {
        Collective call = call_of(size, root, 3 * size / 2);
        call.commutative = commutative;
        verify_all(call, tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  print(tally);
}

TEST_P(FlatAlgorithmsOfEach, AreVerifiedOn255And256Ranks) {
  Tally tally;
  for (const Rank size : {255, 256}) {
    for (const bool commutative : {true, false}) {
      Collective call = call_of(size, has_root() ? 101 : 0, 1000);
      call.commutative = commutative;
      verify_all(call, tally);
      if (HasFatalFailure()) return;
    }
  }
  print(tally);
}

TEST(FlatAlgorithmsAreVerified, ForBlocksWhoseLengthsDiffer) {
  Tally tally;
  for (const Operation operation : {Operation::Gather, Operation::Scatter, Operation::Allgather,
                                    Operation::Alltoall, Operation::ReduceScatter}) {
    for (Rank size = 1; size <= 40; ++size) {
      for (const Rank root : {Rank{0}, size - 1}) {
        Collective call;
        call.operation = operation;
        call.size = size;
        call.root = root;
        call.counts.assign(operation == Operation::Alltoall ? size * size : size, 0);
        for (std::size_t i = 0; i < call.counts.size(); i += 3) call.counts[i] = i;
        verify_all(call, tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  print(tally);
}

}  // namespace
}  // namespace espalier::collective
