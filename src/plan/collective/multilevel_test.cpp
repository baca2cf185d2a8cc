#include "collective/multilevel.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "tree/shapes.hpp"

namespace espalier::collective {
namespace {

std::vector<LevelChoice> random_choices(Random& rng, std::size_t levels) {
  std::vector<LevelChoice> choices(levels);
  for (LevelChoice& choice : choices) choice.shape = static_cast<Shape>(rng.below(kShapeCount));
  return choices;
}

/// Every rank's own view put together.
tree::CommTree whole_tree(const Hierarchy& h, std::span<const LevelChoice> choices, Rank root) {
  tree::CommTree tree(h.machine().size(), root);
  std::vector<Rank> todo{root};
  while (!todo.empty()) {
    const Rank rank = todo.back();
    todo.pop_back();
    for (const TreeEdge& child : multilevel_links(h, choices, root, rank).children) {
      EXPECT_EQ(multilevel_links(h, choices, root, child.peer).parent.peer, rank);
      tree.append_child(rank, child.peer);
      todo.push_back(child.peer);
    }
  }
  return tree;
}

TEST(MultilevelProperty, EveryRanksOwnPartFitsIntoOneSpanningTree) {
  for_all_seeds(400, [](Random& rng) {
    const topology::Machine m = topology::random_machine(rng.next());
    const Hierarchy h(m);
    const auto choices = random_choices(rng, m.levels().size());
    const auto root = static_cast<Rank>(rng.below(m.size()));
    const tree::CommTree tree = whole_tree(h, choices, root);
    ASSERT_EQ(tree.member_count(), m.size());
    ASSERT_EQ(multilevel_links(h, choices, root, root).parent.peer, kNoRank);
  });
}

/// Three sites in this order, of two processes each; links of single pairs differ.
topology::Machine three_sites(const std::string& order) {
  std::string sites;
  for (const char name : order) {
    sites +=
        std::string(sites.empty() ? "" : ", ") + R"({"name": ")" + name + R"(", "processes": 2})";
  }
  return *topology::read_json(
      R"({"format": "espalier-machine-1", "levels": [{"latency": "90 ms"}, {"latency": "1 us"}],)"
      R"("pairs": [{"between": ["a", "b"], "latency": "10 ms"},)"
      R"({"between": ["b", "c"], "latency": "20 ms"}], "children": [)" +
          sites + "]}",
      "sites.json");
}

TEST(Multilevel, ChainsDoNotGoByTheOrderInWhichSitesAreListed) {
  for (const char* listed : {"abc", "acb", "bac", "bca", "cab", "cba"}) {
    const std::string order = listed;
    const topology::Machine machine = three_sites(order);
    const Hierarchy hierarchy(machine);
    const std::vector<LevelChoice> chains(2, {Shape::Chain, 0});
    const auto visited = [&](char from) {
      const auto root = static_cast<Rank>(2 * order.find(from));
      std::string sites;
      for (const Rank rank : whole_tree(hierarchy, chains, root).preorder()) {
        if (rank % 2 == 0) sites += order[rank / 2];
      }
      return sites;
    };
    std::string a = visited('a'), b = visited('b'), c = visited('c');
    EXPECT_EQ(a, "abc") << order;
    EXPECT_EQ(b, "bac") << order;
    EXPECT_EQ(c, "cba") << order;
  }
}

TEST(MultilevelProperty, CrossesEachChannelOnceForEachFurtherMember) {
  for_all_seeds(400, [](Random& rng) {
    const topology::Machine m = topology::random_machine(rng.next());
    const Hierarchy h(m);
    const auto choices = random_choices(rng, m.levels().size());
    const auto root = static_cast<Rank>(rng.below(m.size()));
    std::vector<std::size_t> crossings(m.levels().size(), 0), expected(m.levels().size(), 0);
    for (Rank r = 0; r < m.size(); ++r) {
      for (const TreeEdge& child : multilevel_links(h, choices, root, r).children) {
        ++crossings[m.path(r, child.peer).level];
      }
    }
    for (const topology::Cluster& c : m.clusters()) expected[c.depth] += c.member_count - 1;
    ASSERT_EQ(crossings, expected);
  });
}

TEST(Multilevel, SendsOverTheSlowestLevelFirst) {
  const topology::Machine m = *topology::parse_synthetic("site:2(30ms) node:2(1ms) proc:2(1us)");
  const Hierarchy h(m);
  const std::vector<LevelChoice> choices(3);
  const TreeLinks links =
      multilevel_links(h, choices, 1, 1);  // root 1 stands in for its node and site
  ASSERT_EQ(links.children.size(), 3u);
  EXPECT_EQ(links.children[0].peer, 4u);
  EXPECT_EQ(links.children[1].peer, 2u);
  EXPECT_EQ(links.children[2].peer, 0u);
}

TEST(ParticipantsLinks, AreThoseOfTheTreesByNumber) {
  for (Rank size = 1; size <= 40; ++size) {
    for (const Rank root : {Rank{0}, size / 3, size - 1}) {
      const tree::Participants who = tree::everybody(size, root);
      const std::pair<Shape, tree::CommTree> trees[]{{Shape::Flat, tree::flat(who)},
                                                     {Shape::Chain, tree::chain(who)},
                                                     {Shape::Binomial, tree::binomial(who)},
                                                     {Shape::Quadnomial, tree::knomial(who, 4)},
                                                     {Shape::Octonomial, tree::knomial(who, 8)}};
      for (const auto& [shape, tree] : trees) {
        for (Rank rank = 0; rank < size; ++rank) {
          const Participants all = rotated(all_participants(size, rank), root);
          EXPECT_EQ(participants_links({shape, 7}, all), links_of(tree, rank, 7))
              << "rank " << rank << " of " << size << " from " << root;
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::collective
