#include "group/root_accounts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/contract.hpp"
#include "model/logp_models.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::group {
namespace {

const model::LogGP kAccountsModel(4096, {microseconds(10), microseconds(1), microseconds(1),
                                         bytes_per_second(1'000'000'000)});

GroupView any_place(Random& rng) {
  GroupView view =
      world_view(0, static_cast<Rank>(rng.between(2, 4000)), static_cast<Rank>(rng.between(2, 6)));
  view.numbering = Numbering::Heap;
  if (rng.chance(50)) view.links.assign(view.degree, 0);
  return view;
}

Time cost(RootWay way, const GroupView& view, RootUse use) {
  return root_time(way, view, use, kAccountsModel);
}

TEST(RootAccountsProperty, TakeAtMostTwiceAsLongAsIfTheNumberOfCallsHadBeenKnown) {
  for_all_seeds(300, [](Random& rng) {
    const GroupView view = any_place(rng);
    RootUse use{static_cast<Rank>(rng.between(1, view.size - 1)),
                Bytes{static_cast<std::uint64_t>(rng.between(0, 100'000))}, 1, 0, rng.chance(50)};
    const RootWay plain = rng.chance(50) ? RootWay::Forward : RootWay::AnyVertex;
    RootUse none = use;
    none.calls = 0;
    const Time making = cost(RootWay::OwnTree, view, none);
    const Time each = cost(RootWay::OwnTree, view, use) - making;
    RootAccounts accounts;
    Time spent;
    bool has_tree = false;
    for (std::uint32_t calls = 1; calls <= 2000; ++calls) {
      const RootWay way = accounts.count(view, use, plain, kAccountsModel);
      ASSERT_TRUE(way == RootWay::OwnTree || (!has_tree && way == plain));
      if (way == RootWay::OwnTree && !has_tree) spent += making;
      has_tree = has_tree || way == RootWay::OwnTree;
      spent += has_tree ? each : cost(plain, view, use);
      RootUse known = use;
      known.calls = calls;
      const Time best = std::min(cost(plain, view, known), cost(RootWay::OwnTree, view, known));
      ASSERT_LE(spent, 2 * best + cost(plain, view, use)) << calls << " calls";
    }
  });
}

TEST(RootAccountsProperty, MakeFewTreesHoweverManyRootsTakeTurns) {
  for_all_seeds(100, [](Random& rng) {
    const GroupView view = any_place(rng);
    const auto roots = static_cast<Rank>(rng.between(1, 40));
    RootAccounts accounts, others;
    std::set<Rank> trees;
    for (int i = 0; i < 5000; ++i) {
      const RootUse use{static_cast<Rank>(rng.below(std::min(roots, view.size))), Bytes{8}};
      const RootWay way = accounts.count(view, use, RootWay::AnyVertex, kAccountsModel);
      ASSERT_EQ(way,
                others.count(view, use, RootWay::AnyVertex, kAccountsModel));  // on another member
      ASSERT_TRUE(way == RootWay::OwnTree || !trees.contains(use.root)) << "a tree was forgotten";
      if (way == RootWay::OwnTree) trees.insert(use.root);
    }
    ASSERT_FALSE(trees.contains(0)) << "the tree that is there has this root";
    ASSERT_LE(trees.size(), RootAccounts::kTrees);
    ASSERT_LE(accounts.bytes_on_heap(), 1024U);
  });
}

TEST(RootAccounts, RefuseManyCallsAtOnce) {
  RootAccounts accounts;
  const GroupView view = world_view(0, 8, 2);
  EXPECT_THROW((void)accounts.count(view, {1, Bytes{8}, 2}, RootWay::Forward, kAccountsModel),
               ContractViolation);
  EXPECT_THROW((void)accounts.count(view, {1, Bytes{8}, 1}, RootWay::OwnTree, kAccountsModel),
               ContractViolation);
}

}  // namespace
}  // namespace espalier::group
