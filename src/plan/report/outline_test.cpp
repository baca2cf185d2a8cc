#include "report/outline.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

std::vector<std::string> titles(const Machine& machine, const Outline& parts) {
  std::vector<std::string> found;
  for (const OutlineNode& node : parts.nodes) found.push_back(title(machine, node));
  return found;
}

using Titles = std::vector<std::string>;

TEST(Outline, FoldsEqualNeighbours) {
  const Machine machine = cluster_of(2048, 64);
  const Outline parts = outline(machine, Fold::EqualNeighbours);
  EXPECT_EQ(titles(machine, parts), (Titles{"the whole machine", "2,048 x node", "64 x process"}));
  EXPECT_EQ(parts.nodes[1].leaf_count, 131072u);
}

TEST(Outline, DoesNotFoldWhatDiffersInCosts) {
  const Machine machine = workstations(4, {microseconds(1), microseconds(2), microseconds(2)});
  EXPECT_EQ(titles(machine, outline(machine, Fold::EqualNeighbours)),
            (Titles{"the whole machine", "workstation 0", "2 x workstation", "workstation 3"}));
}

TEST(Outline, DoesNotFoldWhatDiffersDeepInside) {
  topology::MachineSpec spec;
  spec.whole.members = {cluster("a", 1, {cluster("", 1, {processes(2)})}),
                        cluster("b", 1, {cluster("", 1, {processes(3)})}),
                        cluster("c", 1, {cluster("", 1, {processes(3)})})};
  const Machine machine = *build_machine(spec);
  const Outline parts = outline(machine, Fold::EqualNeighbours);
  EXPECT_EQ(title(machine, parts.nodes[1]), "cluster a");
  EXPECT_EQ(title(machine, parts.nodes[2]), "2 x cluster b … c");
}

TEST(Outline, DoesNotFoldWhatDiffersInPairsChannelOrUplink) {
  topology::MachineSpec spec;
  topology::MemberSpec plain_one = cluster("", 1, {processes(3)});
  topology::MemberSpec slower = plain_one;
  slower.channel.latency = microseconds(9);
  topology::MemberSpec narrow = plain_one;
  narrow.uplink = topology::Uplink{bits_per_second(1), bits_per_second(1), false, Time{}};
  topology::MemberSpec paired = plain_one;
  paired.pairs.push_back({"", "0", "1", microseconds(1), kUnlimited});
  spec.whole.members = {plain_one, slower, narrow, paired};
  EXPECT_EQ(titles(*build_machine(spec), outline(*build_machine(spec), Fold::EqualNeighbours))[4],
            "cluster 3");
}

TEST(Outline, CallsALeafBesideNodesAProcess) {
  topology::MachineSpec spec;
  spec.levels = {{{"net", "node"}, {}, {}}, {{"memory", "core"}, {}, {}}};
  spec.whole.members = {processes(1), cluster("", 1, {processes(2)})};
  const Machine machine = *build_machine(spec);
  EXPECT_EQ(titles(machine, outline(machine, Fold::EqualNeighbours)),
            (Titles{"the whole machine", "process 0", "node 1", "2 x core"}));
}

TEST(Outline, JoinsNamesThatCountUp) {
  topology::MachineSpec spec;
  spec.levels = {{{"net", "node"}, {}, {}}, {{"memory", ""}, {}, {}}};
  spec.whole.members = {cluster("n[0-3]", 1, {processes(2)})};
  const Machine machine = *build_machine(spec);
  EXPECT_EQ(titles(machine, outline(machine, Fold::EqualNeighbours)),
            (Titles{"the whole machine", "4 x node n[0-3]", "2 x process"}));
}

TEST(Outline, SaysWhoseNamesStandBelowARunOfUnlikeNames) {
  topology::MachineSpec spec;
  spec.levels = {{{"wan", "site"}, {}, {}}, {{"net", "host"}, {}, {}}, {{"memory", ""}, {}, {}}};
  spec.whole.members = {cluster("Paris", 1, {cluster("paris[1-4]", 1, {processes(2)})}),
                        cluster("Nice", 1, {cluster("nice[1-4]", 1, {processes(2)})})};
  const Machine unlike = *build_machine(spec);
  EXPECT_EQ(titles(unlike, outline(unlike, Fold::EqualNeighbours)),
            (Titles{"the whole machine", "2 x site Paris … Nice",
                    "4 x host paris[1-4] (names as in Paris)", "2 x process"}));
  spec.whole.members = {cluster("Paris", 1, {cluster("n[1-4]", 1, {processes(2)})}),
                        cluster("Nice", 1, {cluster("n[1-4]", 1, {processes(2)})})};
  const Machine alike = *build_machine(spec);
  EXPECT_EQ(titles(alike, outline(alike, Fold::EqualNeighbours))[2], "4 x host n[1-4]");
}

TEST(Outline, SaysThatPartsBelowARunHaveTwins) {
  const Machine machine = cluster_of(3, 4);
  const Outline parts = outline(machine, Fold::EqualNeighbours);
  EXPECT_EQ(ranks_in_words(machine, parts.nodes[1]), "0-11");
  EXPECT_EQ(ranks_in_words(machine, parts.nodes[2]), "0-3,…");
}

TEST(OutlineProperty, WithoutFoldingEveryClusterAndProcessIsAPart) {
  for_all_seeds(200, [](Random& rng) {
    const Machine machine = any_machine(rng);
    const Outline parts = outline(machine, Fold::Nothing);
    ASSERT_EQ(parts.nodes.size(), machine.clusters().size() + machine.size());
  });
}

TEST(OutlineProperty, FoldingLosesNoProcess) {
  for_all_seeds(200, [](Random& rng) {
    const Machine machine = any_machine(rng);
    for (const Fold fold : {Fold::EqualNeighbours, Fold::EqualProcesses}) {
      const Outline parts = outline(machine, fold);
      for (std::uint32_t at = 0; at < parts.nodes.size(); ++at) {
        if (parts.nodes[at].is_leaf) continue;
        std::uint32_t inside = 0;
        for (std::uint32_t c = parts.links[at].first_child; c != kNoNode;
             c = parts.links[c].next_sibling) {
          inside += parts.nodes[c].leaf_count;
        }
        ASSERT_EQ(parts.nodes[at].leaf_count, inside * parts.nodes[at].count);
      }
    }
  });
}

}  // namespace
}  // namespace espalier::report
