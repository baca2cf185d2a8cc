#include "runtime/named_algorithms.hpp"

#include <gtest/gtest.h>

#include "runtime/settings.hpp"
#include "select/candidates.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"

namespace espalier::runtime {
namespace {

using schedule::Collective;
using schedule::Operation;

TEST(NamedAlgorithms, AreTakenWithBlanksAroundThem) {
  const NamedAlgorithms named = read_algorithms(" broadcast = binomial 16 KiB , allreduce=ring,");
  EXPECT_TRUE(named.wrong.empty());
  EXPECT_EQ(named.known.at(Operation::Broadcast), "binomial 16 KiB");
  EXPECT_EQ(named.known.at(Operation::Allreduce), "ring");
}

TEST(NamedAlgorithms, TakesWhatThereIsAndSaysWhatThereIsNot) {
  const NamedAlgorithms named = read_algorithms("allreduce=rign,broadcast=flat,alreduce=ring,flat");
  EXPECT_EQ(named.known.size(), 1u);
  ASSERT_EQ(named.wrong.size(), 3u);
  EXPECT_EQ(named.wrong[0].error,
            (Error{"ESPALIER_ALGORITHM", "there is no algorithm \"rign\" for allreduce",
                   "did you mean \"ring\"?"}));
  const std::string hint = with_names(named.wrong[0]).hint;
  EXPECT_TRUE(
      hint.starts_with("did you mean \"ring\"? the algorithms for allreduce are: native (the "
                       "MPI library's own), ring, "))
      << hint;
  EXPECT_TRUE(
      hint.ends_with(" more; \"espalier plan allreduce --machine MACHINE --all\" lists them"))
      << hint;
  EXPECT_EQ(named.wrong[1].error, (Error{"ESPALIER_ALGORITHM", "there is no operation \"alreduce\"",
                                         "did you mean \"allreduce\"?"}));
  EXPECT_NE(with_names(named.wrong[1]).hint.find("reduce-scatter"), std::string::npos);
  EXPECT_EQ(named.wrong[2].error.what, "\"flat\" names no operation");
}

TEST(NamedAlgorithms, SuggestsASegmentToo) {
  EXPECT_EQ(check_algorithm(Operation::Broadcast, "bionmial 16 KiB")->error.hint,
            "did you mean \"binomial 16 KiB\"?");
  EXPECT_EQ(check_algorithm(Operation::Broadcast, "sorcery")->error.hint,
            "\"espalier plan broadcast --machine MACHINE --all\" lists them");
  EXPECT_EQ(check_algorithm(Operation::Scatter, "counts:minimun-first")->error.hint,
            "did you mean \"counts:minimum-first\"?");
}

TEST(NamedAlgorithms, NativeIsOneForEveryOperation) {
  const NamedAlgorithms named =
      read_algorithms("allreduce=native, scatter=native, neighbour-alltoall=native");
  EXPECT_TRUE(named.wrong.empty());
  EXPECT_EQ(named.known.at(Operation::Allreduce), kNativeName);
  EXPECT_EQ(named.known.at(Operation::Scatter), kNativeName);
  EXPECT_EQ(named.known.at(Operation::NeighbourAlltoall), kNativeName);
  EXPECT_EQ(check_algorithm(Operation::Broadcast, "natvie")->error.hint,
            "did you mean \"native\"?");
}

TEST(NamedAlgorithms, NativeForAllIsAnotherSetting) {
  const NamedAlgorithms named = read_algorithms("broadcast=native, all = native");
  ASSERT_EQ(named.wrong.size(), 1u);
  EXPECT_EQ(named.wrong[0].error.what, "there is no operation \"all\"");
  EXPECT_EQ(with_names(named.wrong[0]).hint,
            "espalier run --disable, or ESPALIER_DISABLE=1, makes all calls native");
}

TEST(NamedAlgorithms, ErrorsNameTenAlgorithmsAtMost) {
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const auto wrong = check_algorithm(static_cast<Operation>(o), "off");
    ASSERT_TRUE(wrong) << o;
    EXPECT_LT(with_names(*wrong).hint.size(), 600u) << with_names(*wrong).hint;
  }
}

/// Also names that only the machine at hand has: as many leaders as a cluster has processes.
TEST(NamedAlgorithmsProperty, WhatIsPlannedOnAnyMachineCanBeNamed) {
  for_all_seeds(60, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 40, 5, true});
    const collective::Hierarchy hierarchy(machine);
    const auto operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
    const std::uint64_t count = std::uint64_t{1} << rng.below(24);
    const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
    for (const select::Candidate& one : select::candidates(hierarchy, call)) {
      if (rng.below(8) != 0) continue;
      const auto wrong = check_algorithm(operation, one.name);
      EXPECT_FALSE(wrong) << wrong->error;
    }
  });
}

}  // namespace
}  // namespace espalier::runtime
