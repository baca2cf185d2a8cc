#include <gtest/gtest.h>

#include "model/machine_models.hpp"
#include "model/pair_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_blocks.hpp"
#include "support/random_trees.hpp"
#include "topology/readers.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

using Sizes = std::vector<Bytes>;

TEST(Traeff, SendsALongBlockStraightToItsRank) {
  const Sizes bytes{{1}, {1}, {1000}, {1}, {1}, {1}, {1}, {1}};
  const model::Hockney model(8, Time{10}, bits_per_second(8'000'000'000'000));
  const Participants who = everybody(8, 0);
  for (const CommTree& tree : {traeff({who, bytes, model}), model_traeff({who, bytes, model})}) {
    EXPECT_EQ(tree.parent(2), 0U);
    EXPECT_TRUE(tree.children(2).empty());
  }
}

TEST(Traeff, HasAsManyChildrenAsABinomialTree) {
  const model::Hockney model(64, Time{10}, kUnlimited);
  for (Rank n = 2; n <= 64; ++n) {
    const Sizes bytes(64, Bytes{5});
    Participants who{64, 0, {}};
    for (Rank r = 1; r < n; ++r) who.others.push_back(r);
    Rank expected = 0;
    while ((Rank{1} << expected) < n) ++expected;
    EXPECT_EQ(traeff({who, bytes, model}).children(0).size(), expected) << n;
  }
}

TEST(Traeff, ModelBasedIsTheOriginalOnEqualLinksWithoutLatency) {
  for_all_seeds(200, [](Random& rng) {
    const auto ranks = static_cast<Rank>(rng.between(1, 50));
    const model::Hockney model(ranks, Time{0}, bits_per_second(8'000'000'000'000));
    const Sizes bytes = random_blocks(rng, ranks);
    const Participants who = with_blocks(bytes, static_cast<Rank>(rng.below(ranks)));
    ASSERT_EQ(traeff({who, bytes, model}), model_traeff({who, bytes, model}));
  });
}

TEST(Traeff, ModelBasedSendsAcrossTheWanToOneWhoHandsOn) {
  const auto machine =
      *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:16(10us,1Gbit/s) placement=cyclic");
  const model::Levels model(machine);
  const Sizes bytes(32, Bytes{1000});
  const Participants who = everybody(32, 0);
  const auto crossings = [&](const CommTree& tree) {
    Rank found = 0;
    for (Rank r = 1; r < 32; ++r) found += machine.path(tree.parent(r), r).level == 0 ? 1 : 0;
    return found;
  };
  EXPECT_LT(crossings(model_traeff({who, bytes, model})), crossings(traeff({who, bytes, model})));
}

}  // namespace
}  // namespace espalier::tree
