#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "model/machine_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "support/table_model.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

/// As the paper has it, word by word: looks at every free rank for every place.
CommTree naive(const IrregularRequest& request, Mapping mapping) {
  std::vector<Rank> free = request.who.others;
  std::sort(free.begin(), free.end());
  const auto take = [&](Rank parent) {
    std::size_t best = 0;
    const auto t = [&](Rank r) { return request.time(parent, r, request.bytes[r]); };
    for (std::size_t i = 1; i < free.size(); ++i) {
      const bool better = mapping == Mapping::MinimumFirst ? t(free[i]) < t(free[best])
                                                           : t(free[i]) > t(free[best]);
      if (better) best = i;
    }
    const Rank taken = free[best];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(best));
    return taken;
  };
  const CommTree shape = binomial(everybody(request.who.count(), 0));
  std::vector<Rank> rank_at(shape.size(), request.who.root);
  const std::function<void(Rank)> fill = [&](Rank place) {
    const std::vector<Rank> children = shape.children(place);
    for (auto c = children.rbegin(); c != children.rend(); ++c) {
      rank_at[*c] = take(rank_at[place]);
      fill(*c);
    }
  };
  fill(0);
  CommTree tree(request.who.machine_size, request.who.root);
  for (const Rank place : shape.preorder()) {
    if (place != 0) tree.append_child(rank_at[shape.parent(place)], rank_at[place]);
  }
  return tree;
}

TEST(ModelBinomialProperty, IsThePapersTreeOnAnyModel) {
  for_all_seeds(300, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 40));
    const TableModel model = random_table(rng, ranks);
    const std::vector<Bytes> bytes = random_blocks(rng, ranks);
    const Participants who = with_blocks(bytes, static_cast<Rank>(rng.below(ranks)));
    for (const Mapping mapping : {Mapping::MinimumFirst, Mapping::MaximumFirst}) {
      ASSERT_EQ(model_binomial({who, bytes, model}, mapping), naive({who, bytes, model}, mapping));
    }
  });
}

TEST(ModelBinomialProperty, IsThePapersTreeWhereItIsKnownWhoIsAlike) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {1, 60});
    const model::Levels model(machine);
    const std::vector<Rank> kinds = model::kinds_of(machine);
    const std::vector<Bytes> bytes = random_blocks(rng, machine.size());
    const Participants who = with_blocks(bytes, static_cast<Rank>(rng.below(machine.size())));
    for (const Mapping mapping : {Mapping::MinimumFirst, Mapping::MaximumFirst}) {
      ASSERT_EQ(model_binomial({who, bytes, model, kinds}, mapping),
                naive({who, bytes, model}, mapping));
    }
  });
}

TEST(ModelBinomial, MinimumFirstCrossesTheWanOnceForTwoSitesHoweverRanksLie) {
  const auto machine =
      *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:8(10us,1Gbit/s) placement=cyclic");
  const std::vector<Bytes> bytes(16, Bytes{1000});
  const Participants who = everybody(16, 0);
  const model::Levels model(machine);
  const CommTree tree = model_binomial({who, bytes, model}, Mapping::MinimumFirst);
  Rank crossings = 0;
  for (Rank r = 1; r < 16; ++r) crossings += machine.path(tree.parent(r), r).level == 0 ? 1 : 0;
  EXPECT_EQ(crossings, 1U);
}

TEST(ModelBinomial, MaximumFirstPutsTheLongestBlockNextToTheRoot) {
  const auto machine = *topology::parse_synthetic("proc:8(10us,1Gbit/s)");
  std::vector<Bytes> bytes(8, Bytes{1000});
  bytes[6] = Bytes{1'000'000};
  const Participants who = everybody(8, 0);
  const model::Levels model(machine);
  const CommTree tree = model_binomial({who, bytes, model}, Mapping::MaximumFirst);
  EXPECT_EQ(tree.parent(6), 0U);
  EXPECT_TRUE(tree.children(6).empty());
}

}  // namespace
}  // namespace espalier::tree
