// What holds for every registered algorithm.
#include "tree/algorithm.hpp"

#include <gtest/gtest.h>

#include <set>

#include "model/node_costs.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"

namespace espalier::tree {
namespace {

using model::NodeInitiation;

/// The exact optimum is NP-hard: it is asked for small machines only.
Rank largest_machine(const Algorithm& algorithm) { return algorithm.name == "optimal" ? 12 : 70; }

class EveryAlgorithm : public testing::TestWithParam<Algorithm> {
 protected:
  static CommTree build(const Participants& who, std::span<const Time> costs, Rank arity = 2) {
    const NodeInitiation model{std::vector<Time>(costs.begin(), costs.end())};
    return GetParam().build({who, costs, model, Bytes{1024}, arity});
  }
};

TEST_P(EveryAlgorithm, SpansABroadcastFromAnyRoot) {
  Random rng(1);
  for (Rank ranks = 1; ranks <= largest_machine(GetParam()); ++ranks) {
    const std::vector<Time> costs = random_times(rng, ranks, 1, 8);
    for (const Rank root : {0U, ranks / 2, ranks - 1}) {
      const Participants who = everybody(ranks, root);
      ASSERT_TRUE(spans(build(who, costs), who)) << ranks << " ranks, root " << root;
    }
  }
}

TEST_P(EveryAlgorithm, SpansAnyMulticastWithAnyArity) {
  for_all_seeds(100, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, largest_machine(GetParam())));
    const Participants who = random_participants(rng, ranks);
    const auto arity = static_cast<Rank>(rng.between(2, 9));
    ASSERT_TRUE(spans(build(who, random_times(rng, ranks, 1, 8), arity), who));
  });
}

TEST_P(EveryAlgorithm, BuildsTheSameTreeOnEveryRun) {
  for_all_seeds(50, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, largest_machine(GetParam())));
    const Participants who = random_participants(rng, ranks);
    const std::vector<Time> costs = random_times(rng, ranks, 1, 8);
    ASSERT_EQ(build(who, costs), build(who, costs));
  });
}

TEST_P(EveryAlgorithm, SpansUnequalLinksToo) {
  if (GetParam().name == "optimal") return;  // refuses models in which links matter
  for_all_seeds(50, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 40));
    const Participants who = random_participants(rng, ranks);
    const TableModel model = random_table(rng, ranks);
    const std::vector<Time> costs = random_times(rng, ranks, 0, 20);
    const CommTree tree = GetParam().build({who, costs, model, Bytes{64}});
    ASSERT_TRUE(spans(tree, who));
    ASSERT_EQ(tree, GetParam().build({who, costs, model, Bytes{64}}));
  });
}

TEST_P(EveryAlgorithm, HasATreeForTheRootAloneAndForTwo) {
  const std::vector<Time> costs{{3}, {1}, {2}};
  EXPECT_EQ(build(Participants{3, 1, {}}, costs).member_count(), 1U);
  EXPECT_EQ(build(Participants{3, 1, {2}}, costs).children(1), std::vector<Rank>{2});
}

TEST_P(EveryAlgorithm, IsFoundByItsName) {
  ASSERT_NE(find_algorithm(GetParam().name), nullptr);
  EXPECT_EQ(find_algorithm(GetParam().name)->title, GetParam().title);
  EXPECT_FALSE(GetParam().source.empty());
}

INSTANTIATE_TEST_SUITE_P(Tree, EveryAlgorithm,
                         testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& each) {
                           std::string name(each.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Algorithms, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Algorithm& a : algorithms()) EXPECT_TRUE(names.insert(a.name).second) << a.name;
}

TEST(Algorithms, AreNotFoundByAnotherName) { EXPECT_EQ(find_algorithm("fibonacci"), nullptr); }

}  // namespace
}  // namespace espalier::tree
