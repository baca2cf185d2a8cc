#include "select/native_model.hpp"

#include <gtest/gtest.h>

#include "select/chooser.hpp"
#include "topology/readers.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

Collective native_call(Operation operation, Rank size, std::uint64_t bytes, Rank root = 0) {
  return {operation, size, root, bytes, Bytes{1}, true, {}};
}

/// 4 ranks on each of three machines, two of them on one site, as measured on the lab with MPICH
/// 4.0.2 and Open MPI 4.1.4 at 30 ms (ms): broadcast 128 KiB from 0: 333 and 99, reduce 16 KiB to
/// 5: 121 and 61, reduce 128 KiB to 0: 455 and 93.
TEST(NativeModel, IsAsLateAsTheLibrariesAre) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(30ms,1Gbit/s) machine:1|2(250us,1Gbit/s) proc:4(1us)");
  const collective::Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  const auto ms = [&](NativeMpi mpi, const Collective& call) {
    return to_microseconds(*predict_native(mpi, predictor, call, has_few_elements(call))) / 1000;
  };
  EXPECT_GT(ms(NativeMpi::Mpich, native_call(Operation::Broadcast, 12, 131072)), 200);
  EXPECT_NEAR(ms(NativeMpi::OpenMpi, native_call(Operation::Broadcast, 12, 131072)), 99, 15);
  EXPECT_NEAR(ms(NativeMpi::OpenMpi, native_call(Operation::Reduce, 12, 16384, 5)), 61, 5);
  EXPECT_NEAR(ms(NativeMpi::OpenMpi, native_call(Operation::Reduce, 12, 131072)), 93, 10);
  EXPECT_GT(ms(NativeMpi::Mpich, native_call(Operation::Reduce, 12, 16384, 5)), 85);
  EXPECT_NEAR(ms(NativeMpi::Mpich, native_call(Operation::Reduce, 12, 131072)), 455, 50);
}

TEST(NativeModel, CallsOfAllSizesGainWhereSitesAreApart) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(30ms,1Gbit/s) machine:1|2(250us,1Gbit/s) proc:4(1us)");
  const collective::Hierarchy hierarchy(machine);
  for (const NativeMpi mpi : {NativeMpi::Mpich, NativeMpi::OpenMpi}) {
    Chooser chooser(hierarchy, rules_for(mpi));
    for (const Operation operation : {Operation::Broadcast, Operation::Reduce}) {
      for (const std::uint64_t bytes : {65536, 131072, 1048576}) {
        for (const Rank root : {0, 5, 11}) {
          EXPECT_TRUE(chooser.choose(native_call(operation, 12, bytes, root)).planned())
              << schedule::name_of(operation) << " " << bytes << " " << root;
        }
      }
    }
  }
}

TEST(NativeModel, EveryOperationHasATime) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:3(1us)");
  const collective::Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    for (const bool commutes : {true, false}) {
      for (const std::uint64_t bytes : {0, 1, 100000}) {
        Collective call = native_call(static_cast<Operation>(o), 6, bytes);
        call.commutative = commutes;
        for (const NativeMpi mpi : {NativeMpi::Unknown, NativeMpi::Mpich, NativeMpi::OpenMpi}) {
          EXPECT_TRUE(predict_native(mpi, predictor, call, false))
              << schedule::name_of(call.operation) << " " << commutes << " " << bytes;
        }
      }
    }
  }
}

TEST(NativeModel, TheAlgorithmThatIsNamedHasTheTimeThatIsPredicted) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms,1Gbit/s) proc:3(1us)");
  const collective::Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    for (const std::uint64_t bytes : {1, 100000, 1000000}) {
      const Collective call = native_call(static_cast<Operation>(o), 6, bytes);
      for (const NativeMpi mpi : {NativeMpi::Mpich, NativeMpi::OpenMpi}) {
        const auto choice = native_choice(mpi, predictor, call);
        ASSERT_TRUE(choice) << schedule::name_of(call.operation);
        EXPECT_EQ(choice->predicted, *predict_native(mpi, predictor, call, has_few_elements(call)));
        EXPECT_EQ(choice->predicted, predictor(choice->plan, call) + choice->handshakes);
      }
    }
  }
}

TEST(NativeModel, HandshakesHaveNoBytes) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(10ms,1Gbit/s) node:256(20us,25Gbit/s) proc:32(1us)");
  const collective::Hierarchy hierarchy(machine);
  const Predictor predictor(hierarchy);
  for (const Operation operation : {Operation::Gather, Operation::Scatter}) {
    const Collective call = native_call(operation, machine.size(), 65536);
    const Plan plan = *plan_named("binomial", hierarchy, call);
    // At most 14 rounds over the far link, each with a handshake.
    const Time added = handshakes(NativeMpi::OpenMpi, plan, predictor, call, false);
    EXPECT_LE(to_microseconds(added), 2 * 14 * 11'000.0) << schedule::name_of(operation);
  }
}

}  // namespace
}  // namespace espalier::select
