#include "collective/multicast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

using namespace testing_support;

Multicast some_multicast(Random& rng, Rank size) {
  Multicast multicast;
  for (Rank r = 0; r < size; ++r) multicast.members.push_back(r);
  rng.shuffle(std::span(multicast.members));
  multicast.members.resize(1 + rng.below(size));
  multicast.root = multicast.members[rng.below(multicast.members.size())];
  multicast.count = rng.below(40);
  return multicast;
}

TEST(MulticastProperty, IsVerifiedAsABroadcastOfItsMembers) {
  for_all_seeds(500, [](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    const auto choice = some_choice(rng, machine.levels().size());
    const Multicast multicast = some_multicast(rng, machine.size());
    const schedule::Schedule plan = multicast_schedule(machine, choice, multicast);
    ASSERT_EQ(complaint_of(plan), "");
    // The machine's own ranks do the same, and the others nothing.
    for (std::size_t i = 0; i < multicast.members.size(); ++i) {
      auto own = multicast_program(machine, choice, multicast, multicast.members[i]);
      ASSERT_EQ(own.rank, multicast.members[i]);
      ASSERT_EQ(own.ops.size(), plan.programs[i].ops.size());
      for (std::size_t o = 0; o < own.ops.size(); ++o) {
        ASSERT_EQ(own.ops[o].peer, multicast.members[plan.programs[i].ops[o].peer]);
        own.ops[o].peer = plan.programs[i].ops[o].peer;
      }
      ASSERT_EQ(own.ops, plan.programs[i].ops);
    }
    for (Rank r = 0; r < machine.size(); ++r) {
      const auto& members = multicast.members;
      if (std::find(members.begin(), members.end(), r) != members.end()) continue;
      ASSERT_TRUE(multicast_program(machine, choice, multicast, r).ops.empty());
    }
  });
}

TEST(MulticastProperty, CrossesTheOutermostChannelOnceForEachFurtherSiteWithMembers) {
  for_all_seeds(300, [](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    auto choice = some_choice(rng, machine.levels().size());
    for (LevelChoice& level : choice.levels) level.segment = 0;
    const Multicast multicast = some_multicast(rng, machine.size());
    std::set<std::uint32_t> sites;
    std::size_t across = 0;
    for (const Rank rank : multicast.members) {
      sites.insert(machine.cluster_ids(rank).front());
      for (const auto& op : multicast_program(machine, choice, multicast, rank).ops) {
        if (op.kind == schedule::OpKind::Send && machine.path(rank, op.peer).level == 0) ++across;
      }
    }
    ASSERT_EQ(across, sites.size() - 1);
  });
}

TEST(Multicast, RefusesARootThatIsNoMember) {
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:3(1us)");
  const MultilevelChoice choice{std::vector<LevelChoice>(2), Top::Tree};
  const Multicast multicast{{1, 2}, 0, 10, Bytes{1}};
  EXPECT_THROW((void)multicast_program(machine, choice, multicast, 1), ContractViolation);
}

}  // namespace
}  // namespace espalier::collective
