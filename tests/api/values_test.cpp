// Machines, models and trees as a program outside sees them: public headers and libespalier-core
// alone (base/random.hpp is a header of its own).
#include <gtest/gtest.h>

#include <algorithm>
#include <espalier/espalier.hpp>
#include <sstream>

#include "support/for_all_seeds.hpp"

namespace espalier {
namespace {

Machine random_machine(Random& rng, std::uint64_t most) {
  return load_machine("random:" + std::to_string(1 + rng.below(1'000'000)) + ":" +
                      std::to_string(1 + rng.below(most)))
      .value();
}

TEST(PublicMachine, ColoursSayWhichLevelJoinsTwoProcesses) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_machine(rng, 20);
    for (Rank a = 0; a < machine.size(); ++a) {
      const auto mine = machine.colours(a);
      ASSERT_EQ(mine.size(), machine.depth(a));
      for (Rank b = 0; b < machine.size(); ++b) {
        if (a == b) continue;
        const auto other = machine.colours(b);
        const Path path = machine.path(a, b);
        for (std::uint32_t l = 0; l < std::min(mine.size(), other.size()); ++l) {
          ASSERT_EQ(mine[l] == other[l], l <= path.level) << a << " " << b << " level " << l;
        }
      }
    }
  });
}

TEST(PublicMachine, ClustersHoldThoseWithTheirColour) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_machine(rng, 20);
    const auto clusters = machine.clusters();
    ASSERT_EQ(clusters.front().ranks.size(), machine.size());
    for (const Cluster& cluster : clusters) {
      ASSERT_FALSE(cluster.ranks.empty());
      const std::uint32_t colour = machine.colours(cluster.ranks.front()).at(cluster.level);
      for (Rank r = 0; r < machine.size(); ++r) {
        const auto colours = machine.colours(r);
        const bool has_it = colours.size() > cluster.level && colours[cluster.level] == colour;
        const bool is_in = std::count(cluster.ranks.begin(), cluster.ranks.end(), r) == 1;
        ASSERT_EQ(is_in, has_it);
      }
    }
  });
}

TEST(PublicMachine, ComesBackFromItsJson) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_machine(rng, 40);
    ASSERT_EQ(parse_machine(machine.to_json()).value(), machine);
  });
}

TEST(PublicMachine, APartKeepsItsPaths) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = random_machine(rng, 20);
    std::vector<Rank> ranks;
    for (Rank r = 0; r < machine.size(); ++r) {
      if (rng.below(2) == 1) ranks.insert(ranks.begin(), r);
    }
    if (ranks.empty()) ranks.push_back(0);
    const Machine part = machine.part(ranks).value();
    ASSERT_EQ(part.size(), ranks.size());
    for (Rank a = 0; a < part.size(); ++a) {
      for (Rank b = 0; b < part.size(); ++b) {
        if (a == b) continue;
        ASSERT_EQ(part.path(a, b).latency, machine.path(ranks[a], ranks[b]).latency);
      }
    }
  });
}

TEST(PublicMachine, RefusesWhatIsNotThere) {
  const auto missing = load_machine("no-such-file.json");
  ASSERT_FALSE(missing);
  std::ostringstream text;
  text << missing.error();
  EXPECT_NE(text.str().find("no-such-file.json"), std::string::npos);
  const Machine machine = load_machine("proc:3").value();
  EXPECT_FALSE(machine.part({}));
  EXPECT_FALSE(machine.part(std::vector<Rank>{1, 1}));
  EXPECT_FALSE(machine.part(std::vector<Rank>{3}));
  EXPECT_THROW((void)machine.path(0, 3), ContractViolation);
  EXPECT_THROW((void)missing.value(), ContractViolation);
}

/// When each rank has the message, by the words of broadcast_times().
void deliver(const Tree& tree, const Model& model, Bytes size, Rank rank,
             std::vector<Time>& times) {
  Time free = times[rank];
  for (const Rank child : tree.children[rank]) {
    const MessageCost cost = model.cost(rank, child, size);
    times[child] = free + cost.delivered;
    free += cost.sender_busy;
    deliver(tree, model, size, child, times);
  }
}

TEST(PublicTree, EveryAlgorithmReachesThoseItIsAskedForWhenItSays) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = random_machine(rng, 12);
    const Model model = make_model(machine).value();
    const Bytes size{rng.below(100'001)};
    TreeRequest request{.root = static_cast<Rank>(rng.below(machine.size())), .size = size};
    for (Rank r = 0; r < machine.size(); ++r) {
      if (rng.below(3) > 0) request.to.push_back(r);
    }
    for (const TreeAlgorithm& algorithm : tree_algorithms()) {
      const auto tree = build_tree(model, algorithm.name, request);
      if (!tree) {
        ASSERT_EQ(algorithm.name, "optimal") << tree.error();
        continue;
      }
      for (Rank r = 0; r < machine.size(); ++r) {
        const bool is_asked_for = request.to.empty() || r == request.root ||
                                  std::count(request.to.begin(), request.to.end(), r) == 1;
        ASSERT_EQ(tree->parent[r] != kNoRank, is_asked_for) << algorithm.name;
      }
      std::vector<Time> times(machine.size(), kForever);
      times[request.root] = Time{};
      deliver(*tree, model, size, request.root, times);
      ASSERT_EQ(broadcast_times(*tree, model, size), times) << algorithm.name;
    }
  });
}

TEST(PublicTree, MulticastsTogetherAreNeverSlowerThanOneByOne) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = random_machine(rng, 10);
    const Model model = make_model(machine).value();
    std::vector<Multicast> several(1 + rng.below(4));
    for (Multicast& one : several) {
      one.root = static_cast<Rank>(rng.below(machine.size()));
      for (Rank r = 0; r < machine.size(); ++r) {
        if (rng.below(2) == 1) one.to.push_back(r);
      }
    }
    const MulticastTrees trees = multicast_trees(model, several, Bytes{1000}).value();
    ASSERT_EQ(trees.trees.size(), several.size());
    const Time last = *std::max_element(trees.finish.begin(), trees.finish.end());
    ASSERT_EQ(last, std::min(trees.joint_time, trees.separate_time));
  });
}

TEST(PublicTree, RefusesWithTheNamesThatThereAre) {
  const Machine machine = load_machine("proc:4").value();
  const Model model = make_model(machine).value();
  const auto tree = build_tree(model, "fff", {});
  ASSERT_FALSE(tree);
  EXPECT_NE(tree.error().hint.find("fnf"), std::string::npos);
  EXPECT_FALSE(build_tree(model, "fnf", {.root = 4}));
  EXPECT_FALSE(build_tree(model, "fnf", {.to = {1, 1}}));
  EXPECT_FALSE(build_tree(model, "kary", {.arity = 1}));
  EXPECT_FALSE(make_model(machine, "nonsense"));
  EXPECT_NE(model_names().find("levels"), std::string::npos);
  Tree circle{"mine", 0, {0, 0}, {{1}, {0}}};
  EXPECT_THROW((void)broadcast_time(circle, model, Bytes{1}), ContractViolation);
}

}  // namespace
}  // namespace espalier
