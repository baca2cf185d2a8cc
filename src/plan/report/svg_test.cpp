#include "report/svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>

#include "model/node_costs.hpp"
#include "report/box_layout.hpp"
#include "report/comparison.hpp"
#include "report/draw_machine.hpp"
#include "report/draw_tree.hpp"
#include "report/plot.hpp"
#include "support/for_all_seeds.hpp"
#include "support/machines.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

testing::AssertionResult is_a_drawing(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(svg.c_str());
  if (!result) return testing::AssertionFailure() << result.description() << "\n" << svg;
  if (std::string(document.document_element().name()) != "svg") {
    return testing::AssertionFailure() << "not an svg";
  }
  for (const char* wrong : {"nan", "inf", "\"-"}) {
    if (svg.find(wrong) != std::string::npos) {
      return testing::AssertionFailure() << "a coordinate is off: " << wrong << "\n" << svg;
    }
  }
  return testing::AssertionSuccess();
}

TimedTree fnf_tree(const Machine& machine) {
  const std::vector<Time> costs = model::send_costs(machine, Bytes{1});
  return time_tree(machine, "fnf",
                   tree::fastest_node_first(costs, tree::everybody(machine.size(), 0)),
                   model::NodeInitiation(costs), Bytes{1}, schedule::Operation::Broadcast);
}

TEST(EscapeXml, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(escape_xml("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escape_xml("é└"), "é└");
  EXPECT_EQ(escape_xml("a\x01\n\xff\xc3"), "a");
}

TEST(Coordinate, IsShort) {
  EXPECT_EQ(coordinate(1), "1");
  EXPECT_EQ(coordinate(1.5), "1.5");
  EXPECT_EQ(coordinate(2.0 / 3), "0.67");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(100), "100");
}

TEST(MachineSvg, NamesEverySiteAndRankOfASmallMachine) {
  const std::string svg = machine_svg(grid(), Detail::Folded);
  ASSERT_TRUE(is_a_drawing(svg));
  for (const char* text : {">site north<", ">machine c<", ">100 Mbit/s<", ">11<", ">wan: 30 ms<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(MachineSvg, DrawsAStackForManyEqualNodes) {
  const std::string svg = machine_svg(cluster_of(2048, 64), Detail::Folded);
  ASSERT_TRUE(is_a_drawing(svg));
  EXPECT_NE(svg.find(">2,048 x node<"), std::string::npos);
  EXPECT_LT(svg.size(), 20'000u);
}

void expect_inside_and_apart(const Box& box) {
  std::vector<const Box*> members;
  for (const auto& row : box.rows) {
    for (const Box& member : row) members.push_back(&member);
  }
  for (const Box* a : members) {
    EXPECT_GE(a->x, 0);
    EXPECT_GE(a->y, 0);
    EXPECT_LE(a->x + a->width, box.width + 1e-9);
    EXPECT_LE(a->y + a->height, box.height + 1e-9);
    for (const Box* b : members) {
      const bool apart = a == b || a->x + a->width <= b->x || b->x + b->width <= a->x ||
                         a->y + a->height <= b->y || b->y + b->height <= a->y;
      EXPECT_TRUE(apart);
    }
    expect_inside_and_apart(*a);
  }
}

TEST(BoxLayoutProperty, PutsEveryBoxInsideItsClusterAndBesideTheOthers) {
  for_all_seeds(200, [](Random& rng) {
    const Machine machine = any_machine(rng);
    const bool folded = rng.chance(50);
    const Outline parts = outline(machine, folded ? Fold::EqualNeighbours : Fold::EqualProcesses);
    expect_inside_and_apart(lay_out(machine, parts, folded));
    ASSERT_TRUE(is_a_drawing(machine_svg(machine, Detail::Folded)));
  });
}

TEST(TreeSvgProperty, IsADrawingForAnyMachine) {
  for_all_seeds(100, [](Random& rng) {
    const Machine machine = any_machine(rng);
    ASSERT_TRUE(is_a_drawing(tree_svg(fnf_tree(machine), machine, Detail::Folded)));
  });
}

TEST(TreeSvg, StaysReadableForManyRanks) {
  const Machine machine = cluster_of(512, 32);
  const std::string svg = tree_svg(fnf_tree(machine), machine, Detail::Folded);
  ASSERT_TRUE(is_a_drawing(svg));
  EXPECT_LT(svg.size(), 200'000u);
}

TEST(LineChart, LeavesAGapWhereAValueIsMissing) {
  LineChart chart;
  chart.series = {{"a < b", {{1, 1}, {2, std::nan("")}, {3, 2}, {4, 3}}, false}};
  const std::string svg = line_chart(chart);
  ASSERT_TRUE(is_a_drawing(svg));
  const std::size_t path = svg.find("<path d=\"");
  const std::string d = svg.substr(path, svg.find("fill", path) - path);
  EXPECT_EQ(std::count(d.begin(), d.end(), 'M'), 2);
  EXPECT_EQ(std::count(d.begin(), d.end(), 'L'), 1);
}

TEST(LineChart, RefusesNothing) { EXPECT_THROW((void)line_chart({}), ContractViolation); }

TEST(BarChart, LabelsEachBarAndDrawsTheReference) {
  BarChart chart;
  chart.value = {"time", Scale::Linear, Unit::Seconds};
  chart.series = {"finish"};
  chart.groups = {{"fnf", {0.4}}, {"binomial", {0.7}}};
  chart.reference = Reference{0.3, "lower bound"};
  const std::string svg = bar_chart(chart);
  ASSERT_TRUE(is_a_drawing(svg));
  for (const char* text : {">400 ms<", ">binomial<", ">lower bound<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(BarChart, RefusesAGroupThatLacksASeries) {
  BarChart chart;
  chart.series = {"a", "b"};
  chart.groups = {{"x", {1}}};
  EXPECT_THROW((void)bar_chart(chart), ContractViolation);
}

TEST(ComparisonSvg, TakesALogarithmicAxisForFarApartTimes) {
  Comparison comparison;
  comparison.contenders = {{"fnf", "", microseconds(1), Time{}, 1, {1, 1, 1}},
                           {"chain", "", seconds(1), Time{}, 1, {1, 1, 1}}};
  const std::string svg = comparison_svg(comparison, grid());
  ASSERT_TRUE(is_a_drawing(svg));
  EXPECT_NE(svg.find("logarithmic"), std::string::npos);
  EXPECT_NE(svg.find("each message has its links to itself"), std::string::npos);
  comparison.contenders.back().finish = microseconds(3);
  EXPECT_EQ(comparison_svg(comparison, grid()).find("logarithmic"), std::string::npos);
}

}  // namespace
}  // namespace espalier::report
