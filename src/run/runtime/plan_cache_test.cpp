#include "runtime/plan_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "runtime/named_algorithms.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"

namespace espalier::runtime {
namespace {

using schedule::Operation;
using select::Bits;
using select::Chooser;

CachedPlan plan_of(std::size_t messages) {
  CachedPlan plan;
  plan.planned = true;
  plan.prepared.messages.resize(messages);
  return plan;
}

TEST(LinkAlong, FarLinksHoldWhatTheyCarryInARoundTrip) {
  EXPECT_EQ(link_along({0, milliseconds(100), bits_per_second(1'000'000'000)}).fills, 25'000'000u);
  EXPECT_TRUE(link_along({0, milliseconds(100), bits_per_second(1'000'000'000)}).is_far);
  EXPECT_EQ(link_along({0, milliseconds(100), kUnlimited}).fills, 0u);
  EXPECT_EQ(link_along({1, microseconds(50), bits_per_second(1'000'000'000)}).fills, 0u);
}

TEST(PlanCache, ForgetsWhatWasNotUsedForLongest) {
  PlanCache cache(kMostPlanBytes, /*max_plans=*/2);
  const PlanKey a{{Operation::Broadcast, 0, 1, 1, true}};
  const PlanKey b{{Operation::Broadcast, 1, 1, 1, true}};
  const PlanKey c{{Operation::Broadcast, 2, 1, 1, true}};
  cache.insert(a, plan_of(1));
  cache.insert(b, plan_of(1));
  EXPECT_NE(cache.find(a), nullptr);
  cache.insert(c, plan_of(1));
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.find(b), nullptr);
  EXPECT_NE(cache.find(a), nullptr);
  EXPECT_NE(cache.find(c), nullptr);
}

TEST(PlanCache, IsBoundedByBytesButKeepsTheNewestWhateverItsSize) {
  PlanCache cache(/*max_bytes=*/3 * bytes_of(plan_of(30)) + 100, /*max_plans=*/50);
  for (std::uint64_t count = 0; count < 20; ++count) {
    const PlanKey key{{Operation::Reduce, 0, count, 8, true}};
    EXPECT_NE(cache.insert(key, plan_of(30)), nullptr);
    EXPECT_LE(cache.size(), 3u);
  }
  const PlanKey huge{{Operation::Reduce, 0, 99, 8, true}};
  EXPECT_EQ(cache.insert(huge, plan_of(1000))->prepared.messages.size(), 1000u);
  EXPECT_EQ(cache.size(), 1u);
}

/// What a plan takes is counted by its parts, the index sets of families of peers included.
TEST(PlanCache, CountsThePeersOfAFamily) {
  CachedPlan plan = plan_of(0);
  const std::uint64_t before = bytes_of(plan);
  std::vector<std::uint32_t> peers;  // no two of them make a run
  for (std::uint32_t i = 0; i < 1000; ++i) peers.push_back(i * i);
  plan.prepared.program.sets.emplace_back(peers);
  EXPECT_GE(bytes_of(plan), before + 500 * sizeof(schedule::IndexRun));
}

/// Four flat alltoalls of 1,024 ranks, which are two thousand messages each, are kept together.
TEST(PlanCache, HoldsSeveralFlatPlansOfManyRanks) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:4(10ms) node:16(50us) proc:16(1us)");
  const collective::Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy, {.force = true, .named = {{Operation::Alltoall, "direct"}}});
  PlanCache cache;
  for (std::uint64_t count : {1, 100, 10'000, 1'000'000}) {
    const PlanKey key{{Operation::Alltoall, 0, count, 8, true}};
    cache.insert(key, make_plan(chooser, 5, key));
  }
  EXPECT_EQ(cache.size(), 4u);
  EXPECT_LE(cache.most_bytes(), kMostPlanBytes);
}

TEST(MakePlan, OneLevelIsNativeUnlessForced) {
  const topology::Machine machine = *topology::parse_synthetic("proc:4(1us)");
  const collective::Hierarchy hierarchy(machine);
  const PlanKey key{{Operation::Broadcast, 0, 8, 1, true}};
  Chooser usual(hierarchy), forcing(hierarchy, {.force = true});
  EXPECT_FALSE(make_plan(usual, 0, key).planned);
  EXPECT_TRUE(make_plan(forcing, 0, key).planned);
}

TEST(MakePlan, ANamedAlgorithmIsTakenWhereItCanDoTheCall) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:2(1us)");
  const collective::Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy, {.named = {{Operation::Allreduce, "ring"}}});
  EXPECT_EQ(make_plan(chooser, 0, {{Operation::Allreduce, 0, 9, 8, true}}).name, "ring");
  EXPECT_NE(make_plan(chooser, 0, {{Operation::Allreduce, 0, 9, 8, false}}).name, "ring");
  EXPECT_FALSE(check_algorithm(Operation::Allreduce, "ring"));
  EXPECT_TRUE(check_algorithm(Operation::Allreduce, "sorcery"));
}

/// What is rescaled from another count is what would have been made for this one.
TEST(PlanCacheProperty, RescaledPlansEqualThoseMadeAnew) {
  std::size_t rescaled = 0;
  const bool ran_all = for_all_seeds(300, [&](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 16, 4, true});
    const collective::Hierarchy hierarchy(machine);
    const Bits bits = rng.below(4) == 0 ? Bits::Reference : Bits::Any;
    Chooser chooser(hierarchy, {.force = true, .bits = bits});
    const auto rank = static_cast<Rank>(rng.below(machine.size()));
    PlanCache cache;
    PlanKey key{{static_cast<Operation>(rng.below(schedule::kOperationCount)),
                 static_cast<Rank>(rng.below(machine.size())), 0, std::uint64_t{1} << rng.below(4),
                 rng.below(2) == 0},
                rng.below(2) == 0};
    const std::uint64_t most = std::uint64_t{1} << rng.below(18);
    for (int i = 0; i < 12; ++i) {
      key.count = rng.below(most + 1);
      const std::size_t made = cache.made();
      const CachedPlan* found = cache.find(key);
      CachedPlan anew = make_plan(chooser, rank, key);
      if (found == nullptr) found = cache.insert(key, anew);
      if (cache.made() == made) ++rescaled;
      ASSERT_EQ(found->prepared.program, anew.prepared.program)
          << schedule::name_of(key.operation) << " " << anew.name << " " << key.count;
      ASSERT_EQ(found->prepared.messages.size(), anew.prepared.messages.size());
      for (std::size_t m = 0; m < anew.prepared.messages.size(); ++m) {
        ASSERT_EQ(found->prepared.messages[m].region, anew.prepared.messages[m].region);
      }
      ASSERT_EQ(found->prepared.longest, anew.prepared.longest);
      ASSERT_EQ(found->signature, anew.signature);
      ASSERT_EQ(found->name, anew.name);
      ASSERT_EQ(found->needs_input_copy, anew.needs_input_copy);
      ASSERT_EQ(found->call, anew.call);
      ASSERT_EQ(found->prepared.steps.size(), anew.prepared.steps.size());
      for (std::size_t s = 0; s < anew.prepared.steps.size(); ++s) {
        ASSERT_EQ(found->prepared.steps[s].offset, anew.prepared.steps[s].offset);
        ASSERT_EQ(found->prepared.steps[s].length, anew.prepared.steps[s].length);
      }
    }
  });
  if (ran_all) {
    EXPECT_GT(rescaled, 500u);
  }
}

TEST(MakePlanProperty, InPlaceNoBlockWaitsForMoreThanElsewhere) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 12, 3, true});
    const collective::Hierarchy hierarchy(machine);
    const Bits bits = rng.chance(30) ? Bits::Reference : Bits::Any;
    Chooser chooser(hierarchy, {.force = true, .bits = bits});
    const Operation operations[] = {Operation::Gather, Operation::Allgather, Operation::Alltoall,
                                    Operation::Scan, Operation::Exscan};
    PlanKey key{{operations[rng.below(5)], 0, rng.below(9000), 1, rng.chance(70)}};
    const Rank rank = static_cast<Rank>(rng.below(machine.size()));
    key.root = rank;  // a gather's is the only one that may be in place
    const CachedPlan usual = make_plan(chooser, rank, key);
    key.in_place = true;
    const CachedPlan plan = make_plan(chooser, rank, key);
    ASSERT_EQ(plan.prepared.waits, usual.prepared.waits) << plan.name;
    ASSERT_EQ(plan.signature, usual.signature);
    for (const schedule::Op& op : plan.prepared.program.ops) {
      if (plan.needs_input_copy || op.kind == schedule::OpKind::Recv) continue;
      ASSERT_NE(op.from.buffer, schedule::Buffer::In) << plan.name;
    }
  });
}

TEST(MakePlan, GainsAreFoundForEveryOperationAcrossAWan) {
  const topology::Machine machine = *topology::parse_synthetic(
      "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us,10Gbit/s,send=1us,recv=1us) "
      "placement=cyclic");
  const collective::Hierarchy hierarchy(machine);
  Chooser chooser(hierarchy);
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const PlanKey key{{static_cast<Operation>(o), 0, 512, 1, true}};
    const CachedPlan plan = make_plan(chooser, 0, key);
    if (key.operation != Operation::Alltoall) {  // libraries send each block to its target at once
      EXPECT_TRUE(plan.planned) << schedule::name_of(key.operation) << ": " << plan.why;
    }
    EXPECT_TRUE(plan.native_predicted) << schedule::name_of(key.operation);
  }
}

TEST(MakePlan, UnequalSendersAreWorthATreeEvenOnOneLevel) {
  const topology::Machine machine =
      *topology::parse_synthetic("node:8(1us,send=1ms|3ms*4|1ms|3ms*2)");
  const collective::Hierarchy hierarchy(machine);
  Chooser usual(hierarchy);
  const PlanKey key{{Operation::Broadcast, 0, 8, 1, true}};
  EXPECT_TRUE(make_plan(usual, 0, key).planned);
  for (const char* name : {"fnf", "spoc"}) {
    Chooser chooser(hierarchy, {.named = {{Operation::Broadcast, name}}});
    EXPECT_FALSE(check_algorithm(Operation::Broadcast, name));
    EXPECT_EQ(make_plan(chooser, 0, key).name, name);
  }
}

TEST(MakePlan, TwoLevelBaselinesCanBeNamed) {
  const topology::Machine machine =
      *topology::parse_synthetic("site:2(9ms) machine:1|2(1ms) proc:2(1us)");
  const collective::Hierarchy hierarchy(machine);
  for (const char* name :
       {"two-level at depth 1 flat/binomial", "two-level at depth 2 flat/binomial"}) {
    Chooser chooser(hierarchy, {.named = {{Operation::Broadcast, name}}});
    EXPECT_FALSE(check_algorithm(Operation::Broadcast, name));
    EXPECT_EQ(make_plan(chooser, 0, {{Operation::Broadcast, 0, 8, 1, true}}).name, name);
  }
}

/// All ops of a prepared program run once in some order: no lane or dependency is lost.
TEST(PreparedProperty, EveryMessageIsInOneLaneInTheOrderOfTheProgram) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 12, 3, true});
    const collective::Hierarchy hierarchy(machine);
    Chooser chooser(hierarchy, {.force = true});
    PlanKey key{{static_cast<Operation>(rng.below(schedule::kOperationCount)),
                 static_cast<Rank>(rng.below(machine.size())), rng.below(20000),
                 rng.chance(50) ? 1U : 8U, rng.chance(70)},
                rng.chance(30)};
    for (Rank r = 0; key.operation == Operation::ReduceScatter && r < machine.size(); ++r) {
      key.counts.push_back(rng.below(30));
    }
    const Rank rank = static_cast<Rank>(rng.below(machine.size()));
    const CachedPlan plan = make_plan(chooser, rank, key);
    ASSERT_TRUE(plan.planned);
    const PreparedProgram& p = plan.prepared;
    std::vector<std::uint32_t> messages(p.program.ops.size(), 0);
    for (const Lane& lane : p.lanes) {
      ASSERT_EQ(lane.link.level, machine.path(rank, lane.peer).level);
      for (std::uint32_t m = lane.first; m < lane.first + lane.count; ++m) {
        const schedule::Op& op = p.program.ops[p.messages[m].op];
        ASSERT_EQ(op.kind == schedule::OpKind::Send, lane.sends);
        ASSERT_TRUE(op.peer == lane.peer || op.peer == kNoRank);
        ASSERT_TRUE(m == lane.first || p.messages[m - 1].op < p.messages[m].op);
        ++messages[p.messages[m].op];
      }
    }
    ASSERT_EQ(messages, p.message_count);
    for (std::uint32_t op = 0; op < messages.size(); ++op) {
      for (std::uint32_t m = p.first_message[op]; m < p.first_message[op + 1]; ++m) {
        ASSERT_EQ(p.messages[p.messages_of_op[m]].op, op);
      }
    }
    std::vector<std::uint32_t> waits = p.waits;
    for (std::uint32_t op = 0; op < waits.size(); ++op) {
      ASSERT_EQ(waits[op], 0u) << "ops can run in the order they stand";
      for (const std::uint32_t next : p.dependents_of(op)) --waits[next];
    }
  });
}

/// Every root, and a piece that is shorter than the others.
TEST(PlanOverMemory, IsForLeadersAlone) {
  const auto machine =
      *topology::parse_synthetic("node:3(5us,10Gbit/s) proc:2|1|3(1us,name=memory)");
  const select::Nodes nodes(machine);
  for (Rank root = 0; root < machine.size(); ++root) {
    const std::vector<Rank> leaders = nodes.leaders(root);
    const topology::Machine seen = topology::restrict_machine(machine, leaders);
    const collective::Hierarchy hierarchy(seen);
    Chooser chooser(hierarchy);
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{300'001}}) {
      const PlanKey key{{Operation::Reduce, root, count, 8, true}};
      std::uint64_t piece = 0;
      std::map<std::pair<Rank, Rank>, std::int64_t> open;  // messages sent and not received
      for (Rank rank = 0; rank < machine.size(); ++rank) {
        const auto plan = make_plan_over_memory(chooser, nodes, rank, key);
        ASSERT_TRUE(plan && plan->over_memory);
        const LeadersPart& part = *plan->over_memory;
        ASSERT_EQ(plan->signature, schedule::hash_of(plan->call));
        if (rank == 0) piece = part.piece;
        ASSERT_EQ(part.piece, piece) << "ranks cut a message alike";
        const bool leads = std::binary_search(leaders.begin(), leaders.end(), rank);
        ASSERT_EQ(part.leader == rank, leads);
        ASSERT_EQ(nodes.node_of(part.leader), nodes.node_of(rank));
        ASSERT_TRUE(leads || (part.whole.lanes.empty() && part.last.lanes.empty()));
        for (const Lane& lane : part.whole.lanes) {
          ASSERT_TRUE(std::binary_search(leaders.begin(), leaders.end(), lane.peer));
          ASSERT_NE(lane.peer, rank);
          const auto way = lane.sends ? std::pair(rank, lane.peer) : std::pair(lane.peer, rank);
          open[way] += (lane.sends ? 1 : -1) * static_cast<std::int64_t>(lane.count);
        }
        for (const SequentialStep& step : part.whole.steps) {
          if (step.kind == schedule::OpKind::Send || step.kind == schedule::OpKind::Recv) {
            ASSERT_TRUE(std::binary_search(leaders.begin(), leaders.end(), step.peer));
          }
        }
      }
      for (const auto& [way, messages] : open) ASSERT_EQ(messages, 0) << way.first << way.second;
    }
  }
}

}  // namespace
}  // namespace espalier::runtime
