#include "collective/whole_trees.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"

namespace espalier::collective {
namespace {

TEST(WholeTree, IsTheTreeThatTheRanksBuildForThemselves) {
  for_all_seeds(100, [](Random& rng) {
    const topology::Machine machine = any_machine(rng);
    const Hierarchy hierarchy(machine);
    std::vector<LevelChoice> choices;
    for (std::size_t l = 0; l < machine.levels().size(); ++l) {
      choices.push_back({static_cast<Shape>(rng.below(kShapeCount)), 0});
    }
    const auto root = static_cast<Rank>(rng.below(machine.size()));
    const auto from_level = static_cast<std::uint32_t>(rng.below(2));
    const cost::WholeTree tree = multilevel_tree(hierarchy, choices, root, from_level);
    for (Rank r = 0; r < machine.size(); ++r) {
      const auto links = multilevel_links(hierarchy, choices, root, r, from_level);
      EXPECT_EQ(tree.parent[r], links.parent.peer);
      ASSERT_EQ(tree.children_of(r).size(), links.children.size());
      for (std::size_t c = 0; c < links.children.size(); ++c) {
        EXPECT_EQ(tree.children_of(r)[c], links.children[c].peer);
      }
    }
  });
}

}  // namespace
}  // namespace espalier::collective
