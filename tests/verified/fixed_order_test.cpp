// Reductions in the reference order give the same bits on every machine: the verifier says that
// they are put together as a plan that spells the order out, whatever placement, tree, segment and
// root.
#include "collective/fixed_order.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "collective/algorithm.hpp"
#include "collective/rank_blocks.hpp"
#include "schedule/program_builder.hpp"
#include "sim/simulate.hpp"
#include "support/flat_calls.hpp"
#include "support/for_all_seeds.hpp"
#include "support/long_run.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "verify/verify.hpp"

namespace espalier {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::RankRun;
using collective::Shape;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operands;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::Schedule;
using schedule::slice;

constexpr Operation kReductions[] = {Operation::Reduce, Operation::Allreduce,
                                     Operation::ReduceScatter, Operation::Scan, Operation::Exscan};

// The order, spelled out: everybody sends everything to everybody, who combine by halving.

/// Units [0, n) of contribution r are at r * n of scratch; afterwards contribution `first` holds
/// the result of `count` of them.
void combine_by_halves(ProgramBuilder& b, std::uint64_t first, std::uint64_t count,
                       std::uint64_t n) {
  if (count < 2) return;
  const std::uint64_t left = std::bit_ceil(count) / 2;
  combine_by_halves(b, first, left, n);
  combine_by_halves(b, first + left, count - left, n);
  b.reduce(slice(Buffer::Scratch, (first + left) * n, n), slice(Buffer::Scratch, first * n, n),
           Operands::ToThenFrom);
}

Schedule spelled_out(const Collective& call) {
  Schedule plan{call, "reference", {}};
  const bool scatters = call.operation == Operation::ReduceScatter;
  const std::uint64_t n = call.block();
  for (Rank rank = 0; rank < call.size; ++rank) {
    ProgramBuilder b(rank);
    b.scratch(n * call.size);
    const auto mine = [&](Rank to) { return slice(Buffer::In, scatters ? to * n : 0, n); };
    const auto wants = [&](Rank to) {
      return call.operation != Operation::Reduce || to == call.root;
    };
    for (Rank to = 0; to < call.size; ++to) {
      if (to != rank && wants(to)) b.send(to, mine(to));
    }
    if (wants(rank)) {
      b.copy(mine(rank), slice(Buffer::Scratch, rank * n, n));
      for (Rank from = 0; from < call.size; ++from) {
        if (from != rank) b.recv(from, slice(Buffer::Scratch, from * n, n));
      }
      const std::uint64_t count = call.operation == Operation::Scan     ? rank + 1
                                  : call.operation == Operation::Exscan ? rank
                                                                        : call.size;
      combine_by_halves(b, 0, count, n);
      if (count > 0) b.copy(slice(Buffer::Scratch, 0, n), slice(Buffer::Out, 0, n));
    }
    plan.programs.push_back(std::move(b).build());
  }
  return plan;
}

MultilevelChoice random_choice(Random& rng, std::size_t levels) {
  MultilevelChoice choice{std::vector<LevelChoice>(levels), collective::Top::Tree};
  for (LevelChoice& level : choice.levels) {
    level.shape = static_cast<Shape>(rng.below(collective::kShapeCount));
    level.segment = rng.chance(50) ? 0 : rng.below(9);
  }
  return choice;
}

Schedule fixed_order(const topology::Machine& machine, const MultilevelChoice& choice,
                     const Collective& call) {
  const Hierarchy hierarchy(machine);
  Schedule plan{call, "fixed order", {}};
  for (Rank r = 0; r < call.size; ++r) {
    plan.programs.push_back(fixed_order_program(hierarchy, choice, call, r));
  }
  return plan;
}

TEST(FixedOrderProperty, IsTheReferenceOrderWhateverMachinePlacementTreeAndSegment) {
  for_all_seeds(is_long_run() ? 1500 : 400, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 33, 4, true});
    Collective call{kReductions[rng.below(std::size(kReductions))],
                    machine.size(),
                    static_cast<Rank>(rng.below(machine.size())),
                    1 + rng.below(20),
                    Bytes{8},
                    rng.chance(50),
                    {}};
    if (call.operation == Operation::ReduceScatter && rng.chance(50)) {
      for (Rank r = 0; r < call.size; ++r) call.counts.push_back(rng.below(4));
    }
    const MultilevelChoice choice = random_choice(rng, machine.levels().size());
    const verify::Verdict expected = verify::verify(spelled_out(call));
    ASSERT_TRUE(expected.ok()) << expected;
    const verify::Verdict found = verify::verify(fixed_order(machine, choice, call));
    ASSERT_TRUE(found.ok()) << testing_support::name_of_call(call) << ": " << found;
    ASSERT_EQ(found.association, expected.association) << testing_support::name_of_call(call);
    ASSERT_TRUE(found.one_association || call.operation == Operation::Scan ||
                call.operation == Operation::Exscan || call.irregular());
  });
}

TEST(FixedOrder, IsTheSameForBlockCyclicAndRandomPlacementAndEveryRoot) {
  const topology::Machine block =
      *topology::parse_synthetic("site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)");
  const topology::Machine cyclic = with_placement(block, cyclic_placement(block));
  const topology::Machine random = with_placement(block, random_placement(block, 7));
  for (const Operation operation : kReductions) {
    for (const Rank root : testing_support::some_roots(operation, 48)) {
      const Collective call{operation, 48, root, 12, Bytes{8}, true, {}};
      const std::uint64_t expected = verify::verify(spelled_out(call)).association;
      for (const topology::Machine* machine : {&block, &cyclic, &random}) {
        for (const std::uint64_t segment : {0, 1, 5}) {
          const MultilevelChoice choice{std::vector<LevelChoice>(3, {Shape::Binomial, segment}),
                                        collective::Top::Tree};
          const verify::Verdict found = verify::verify(fixed_order(*machine, choice, call));
          ASSERT_TRUE(found.ok()) << found;
          ASSERT_EQ(found.association, expected) << name_of(operation) << ", root " << root;
        }
      }
    }
  }
}

TEST(FixedOrder, SendsOnePartialResultFromAClusterOfConsecutiveRanksToTheOthers) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:3(30ms,100Mbit/s) proc:16(5us)");
  const Collective call{Operation::Reduce, 48, 0, 100, Bytes{8}, true, {}};
  const MultilevelChoice choice{{{Shape::Flat, 0}, {Shape::Binomial, 0}}, collective::Top::Tree};
  const sim::SimResult result = sim::simulate(fixed_order(machine, choice, call), machine);
  EXPECT_EQ(result.levels[0].bytes, Bytes{2 * 800});
}

TEST(FixedOrder, IsForReductionsOnly) {
  EXPECT_NE(collective::find_algorithm(Operation::Scan, "fixed order"), nullptr);
  EXPECT_EQ(collective::find_algorithm(Operation::Gather, "fixed order"), nullptr);
  const topology::Machine machine = *topology::parse_synthetic("proc:2");
  const Collective call{Operation::Gather, 2, 0, 1, Bytes{8}, true, {}};
  const MultilevelChoice choice{std::vector<LevelChoice>(1), collective::Top::Tree};
  EXPECT_THROW((void)fixed_order(machine, choice, call), ContractViolation);
}

TEST(RankBlocks, AreAlignedAndGreatest) {
  const std::vector<Rank> ranks{1, 2, 3, 4, 5, 6, 8};
  EXPECT_EQ(collective::blocks_within(ranks, 9),
            (std::vector<RankRun>{{1, 1}, {2, 3}, {4, 5}, {6, 6}, {8, 8}}));
  const std::vector<Rank> tail{4, 5, 6};
  EXPECT_EQ(collective::blocks_within(tail, 7), (std::vector<RankRun>{{4, 6}}));
  EXPECT_EQ(collective::blocks_within(tail, 8), (std::vector<RankRun>{{4, 5}, {6, 6}}));
  EXPECT_EQ(collective::blocks_before(6), (std::vector<RankRun>{{4, 5}, {0, 3}}));
  EXPECT_TRUE(collective::blocks_before(0).empty());
}

}  // namespace
}  // namespace espalier
