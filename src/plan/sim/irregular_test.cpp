#include <gtest/gtest.h>

#include "sim/simulate.hpp"
#include "support/plans.hpp"
#include "topology/readers.hpp"

namespace espalier::sim {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Schedule;
using schedule::slice;

/// Three ranks in a row to rank 0, the middle one putting its own block and rank 2's into scratch,
/// the other way round.
Schedule relayed_gatherv(std::vector<std::uint64_t> counts) {
  Schedule plan = plans::make(Operation::Gather, 3, 0, "relay", [&](ProgramBuilder& b) {
    if (b.rank() == 2) return b.send(1, slice(Buffer::In, 0, 1), 0);
    if (b.rank() == 1) {
      b.scratch(2);
      b.recv(2, slice(Buffer::Scratch, 0, 1), 0);
      b.copy(slice(Buffer::In, 0, 1), slice(Buffer::Scratch, 1, 1));
      return b.send(0, slice(Buffer::Scratch, 0, 2), 0);
    }
    b.copy(slice(Buffer::In, 0, 1), slice(Buffer::Out, 0, 1));
    b.recv(1, slice(Buffer::Out, 1, 2), 0);
  });
  plan.call.counts = std::move(counts);
  plan.call.element = Bytes{4};
  return plan;
}

TEST(SimulateIrregular, LetsLengthsTravelWithTheData) {
  const auto machine = *topology::parse_synthetic("proc:3(8Mbit/s)");  // 1 us a byte
  SimOptions options;
  options.trace = true;
  const SimResult result = simulate(relayed_gatherv({5, 10, 100}), machine, options);
  ASSERT_EQ(result.timeline.size(), 2U);
  EXPECT_EQ(result.timeline[0].bytes, Bytes{440});  // from rank 1
  EXPECT_EQ(result.timeline[1].bytes, Bytes{400});  // from rank 2
  EXPECT_EQ(result.finish, microseconds(840));
}

TEST(SimulateIrregular, KnowsTheBlocksOfEachPairInAlltoallv) {
  const auto machine = *topology::parse_synthetic("proc:2(8Mbit/s)");
  Schedule plan = plans::make(Operation::Alltoall, 2, 0, "direct", [&](ProgramBuilder& b) {
    const Rank peer = 1 - b.rank();
    b.send(peer, slice(Buffer::In, peer, 1), 0);
    b.recv(peer, slice(Buffer::Out, peer, 1), 0);
  });
  plan.call.counts = {1, 20, 300, 4};
  const SimResult result = simulate(plan, machine);
  EXPECT_EQ(result.rank_finish, (std::vector<Time>{microseconds(300), microseconds(20)}));
}

TEST(SimulateIrregular, CostsNothingButLatencyForEmptyBlocks) {
  const auto machine = *topology::parse_synthetic("proc:3(2us,8Mbit/s)");
  EXPECT_EQ(simulate(relayed_gatherv({5, 0, 0}), machine).finish, microseconds(4));
}

TEST(SimulateIrregular, IsTheSameAsRegularWhereBlocksAreEqual) {
  const auto machine = *topology::parse_synthetic("proc:9(2us,100Mbit/s,send=1us)");
  const Schedule regular = plans::ring_allgather(9, 700);
  Schedule blocks = plans::ring_allgather(9, 1);
  blocks.call.counts.assign(9, 700);
  EXPECT_EQ(simulate(blocks, machine).rank_finish, simulate(regular, machine).rank_finish);
}

}  // namespace
}  // namespace espalier::sim
