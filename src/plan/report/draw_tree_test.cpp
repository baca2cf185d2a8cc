#include "report/draw_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/json.hpp"
#include "model/node_costs.hpp"
#include "support/machines.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

TimedTree fnf(const Machine& machine, Rank root = 0) {
  const std::vector<Time> costs = model::send_costs(machine, Bytes{1024});
  return time_tree(machine, "fnf",
                   tree::fastest_node_first(costs, tree::everybody(machine.size(), root)),
                   model::NodeInitiation(costs), Bytes{1024}, schedule::Operation::Broadcast);
}

/// banikazemi1998, Figure 1.
Machine figure_1() {
  const Time fast = microseconds(100);
  const Time slow = microseconds(300);
  return workstations(8, {fast, slow, slow, slow, slow, fast, slow, slow});
}

TEST(DrawTree, DrawsBanikazemisExampleWithItsTimes) {
  EXPECT_EQ(draw_tree(fnf(figure_1()), figure_1(), {.width = 72}, Detail::Folded),
            "fnf broadcast of 1 KiB from rank 0: done after 400 us\n"
            "8 of 8 processes, height 2, model node-initiation; messages: ethernet 7\n"
            "\n"
            "rank     over      has it  0                                      400 us\n"
            "0*                    0 s  █████████████████████████████████████████████\n"
            "├─ 5     ethernet  100 us  ───────────██████████████████████████████████\n"
            "│  ├─ 2  ethernet  200 us             ───────────\n"
            "│  ├─ 4  ethernet  300 us                        ───────────\n"
            "│  └─ 7  ethernet  400 us                                   ────────────\n"
            "├─ 1     ethernet  200 us             ───────────\n"
            "├─ 3     ethernet  300 us                        ───────────\n"
            "└─ 6*    ethernet  400 us                                   ────────────\n"
            "\n"
            "─ its message is under way   █ it sends   * on the way to the last\n");
}

TEST(DrawTree, LeavesOutTheTimeLinesWhereThereIsNoRoom) {
  const std::string text = draw_tree(fnf(figure_1()), figure_1(), {.width = 36}, Detail::Folded);
  EXPECT_NE(text.find("└─ 6*    ethernet  400 us\n"), std::string::npos) << text;
}

TEST(DrawTree, NeedsAScreenOrTwoForManyRanks) {
  const Machine machine = cluster_of(512, 32);
  const std::string text = draw_tree(fnf(machine), machine, {}, Detail::Folded);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 140);
  const std::string all = draw_tree(fnf(machine), machine, {.width = 200}, Detail::Everything);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 512 * 32 + 4);  // without costs: no time line
}

TEST(TreeJson, IsTheDocumentedDocument) {
  const Machine machine = workstations(3, {microseconds(100), microseconds(300)});
  EXPECT_EQ(tree_json(fnf(machine), machine),
            R"({
  "format": "espalier-tree-1",
  "algorithm": "fnf",
  "operation": "broadcast",
  "machine": {"name":"","processes":3},
  "model": "node-initiation",
  "root": 0,
  "size_bytes": 1024,
  "members": 3,
  "height": 1,
  "finish_ps": 200000000,
  "finish": "200 us",
  "mean_arrival_ps": 150000000,
  "messages_per_level": [2],
  "critical_path": [0,1],
  "ranks": [
    {"rank":0,"parent":null,"order":null,"level":null,"start_ps":null,"arrival_ps":0},
    {"rank":1,"parent":0,"order":1,"level":0,"start_ps":100000000,"arrival_ps":200000000},
    {"rank":2,"parent":0,"order":0,"level":0,"start_ps":0,"arrival_ps":100000000}
  ]
}
)");
}

TEST(TreeJson, DescribesTheTreeAgain) {
  const Machine machine = grid();
  const TimedTree timed = fnf(machine, 5);
  const auto document = Json::parse(tree_json(timed, machine));
  std::vector<std::vector<std::pair<int, Rank>>> children(machine.size());
  for (const auto& rank : document["ranks"]) {
    if (rank["parent"].is_null()) continue;
    children[rank["parent"].get<Rank>()].emplace_back(rank["order"].get<int>(),
                                                      rank["rank"].get<Rank>());
  }
  for (Rank r = 0; r < machine.size(); ++r) {
    std::sort(children[r].begin(), children[r].end());
    std::vector<Rank> in_order;
    for (const auto& [order, child] : children[r]) in_order.push_back(child);
    EXPECT_EQ(in_order, timed.tree.children(r));
  }
}

TEST(TreeDot, EscapesQuotesAndNumbersTheSends) {
  const Machine machine = workstations(3, {microseconds(100)});
  TimedTree timed = fnf(machine);
  timed.algorithm = "a\"b";
  const std::string dot = tree_dot(timed, machine);
  EXPECT_NE(dot.find("digraph \"a\\\"b\" {"), std::string::npos) << dot;
  EXPECT_NE(dot.find("0 -> 1 [label=\"1\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("0 [label=\"0\\n0 s\""), std::string::npos) << dot;
}

}  // namespace
}  // namespace espalier::report
