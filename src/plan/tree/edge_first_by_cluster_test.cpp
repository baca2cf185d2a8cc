#include <gtest/gtest.h>

#include "model/machine_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/random_trees.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "tree/earliest_completing_edge_first.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

TEST(EdgeFirstByCluster, TakesAFastRankForTheHeadOfACluster) {
  const topology::Machine machine = *topology::read_json(R"({
    "format": "espalier-machine-1",
    "levels": [{"latency": "10 ms", "uplink": "1 Gbit/s"}, {"latency": "10 us", "uplink": "1 Gbit/s"}],
    "children": [
      {"name": "a", "children": [{"name": "a[0-3]", "send": "10 us"}]},
      {"name": "b", "children": [{"name": "b0", "send": "2 ms"}, {"name": "b1", "send": "2 ms"},
                                 {"name": "b2", "send": "10 us"}, {"name": "b3", "send": "2 ms"}]}
    ]})",
                                                         "here");
  const CommTree tree =
      edge_first_by_cluster(model::Levels(machine), Bytes{1000}, machine, /*root=*/0);
  EXPECT_EQ(tree.parent(6), 0U);  // b2, not the lowest of its site
  EXPECT_EQ(tree.children(0).front(), 6U);
}

TEST(EdgeFirstByClusterProperty, SpansAndEntersEachClusterOnce) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next());
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const CommTree tree = edge_first_by_cluster(model::Levels(machine), Bytes{4096}, machine, root);
    ASSERT_TRUE(spans(tree, everybody(machine.size(), root)));
    for (const topology::Cluster& cluster : machine.clusters()) {
      const auto is_in = [&](Rank rank) {
        const auto leaf = machine.leaf_of(rank);
        return leaf >= cluster.first_leaf && leaf - cluster.first_leaf < cluster.leaf_count;
      };
      int entered = 0;
      for (Rank r = 0; r < machine.size(); ++r) {
        if (is_in(r) && (r == root || !is_in(tree.parent(r)))) ++entered;
      }
      ASSERT_EQ(entered, 1);
    }
  });
}

TEST(SearchedTreeProperty, IsNeverSlowerThanWhatItBeginsWith) {
  for_all_seeds(100, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 10, 3, true});
    const model::Levels model(machine);
    const Participants who =
        everybody(machine.size(), static_cast<Rank>(rng.below(machine.size())));
    const CommTree found = searched_tree(model, Bytes{1024}, who, 500);
    ASSERT_TRUE(spans(found, who));
    const CommTree known = earliest_completing_edge_first_look_ahead(model, Bytes{1024}, who);
    ASSERT_LE(broadcast_time(found, model, Bytes{1024}), broadcast_time(known, model, Bytes{1024}));
  });
}

}  // namespace
}  // namespace espalier::tree
