#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "base/units.hpp"
#include "report/plot.hpp"
#include "reproduce/banikazemi_contention.hpp"
#include "reproduce/banikazemi_figures.hpp"
#include "reproduce/banikazemi_lab.hpp"
#include "reproduce/banikazemi_lab_trees.hpp"
#include "reproduce/banikazemi_table2.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/paper.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::Decimal;

Column number_of(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, false};
}
Cell factor(double value) { return Decimal{value, 2}; }
Cell micros(double value) { return Decimal{value, 1}; }
Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }
const char* name_of(Source source) { return source == Source::Fast ? "fast" : "random"; }

Exhibit titled(std::string key, std::string title) {
  Exhibit exhibit;
  exhibit.key = std::move(key);
  exhibit.title = std::move(title);
  return exhibit;
}

Exhibit run_figure1(const PaperOptions&) {
  const Figure1 f = figure1();
  Exhibit exhibit = titled("figure1", "Figure 1: eight workstations, two of them fast");
  exhibit.table.columns = {{"tree", "tree", Align::Left, false},
                           {"latency_ps", "latency", Align::Right, false},
                           number_of("paper_us", "paper, us")};
  exhibit.table.rows = {{std::string("(a) binomial by number"), f.binomial, count(700)},
                        {std::string("(b) SPOC"), f.spoc, count(500)},
                        {std::string("(c) FNF"), f.fnf, count(400)},
                        {std::string("optimum, proven"), f.optimum, count(400)}};
  const auto less = [&](Time time) {
    return 100 * (1 - to_seconds(time) / to_seconds(f.binomial));
  };
  exhibit.stated = {{"SPOC: less time than the binomial tree, %", less(f.spoc), 29},
                    {"FNF: less time than the binomial tree, %", less(f.fnf), 43}};
  return exhibit;
}

/// Rows 2 to 9 are the paper's; what follows nobody has published.
Exhibit run_table2(const PaperOptions& options) {
  Exhibit exhibit = titled(
      "table2",
      "Table 2: FNF against the optimum, costs from {100, ..., 800} us; mean latencies in us");
  exhibit.table.columns = {number_of("participants", "nodes"),
                           number_of("cases", "cases"),
                           number_of("fnf_us", "FNF"),
                           number_of("optimum_us", "optimum"),
                           number_of("gap_percent", "gap, %"),
                           number_of("mean_gap_percent", ""),
                           number_of("worst_gap_percent", "worst, %"),
                           number_of("same_percent", "same, %"),
                           number_of("unproven", "unproven"),
                           number_of("paper_fnf_us", "paper: FNF"),
                           number_of("paper_optimum_us", "optimum"),
                           number_of("paper_gap_percent", "gap, %")};
  report::LineChart chart{"Fastest node first: how far from the optimum", {}, {}, {}, 760, 440};
  chart.x.title = "nodes";
  chart.y.title = "gap of the means, %";
  chart.series = {{"ours", {}, false}, {"paper", {}, true}};
  double least_same = 100;
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  for (const Rank nodes : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 16U, 20U, 24U, 28U, 32U}) {
    const std::uint64_t cases = nodes <= 9 ? options.cases : options.large_cases;
    const Table2Row row = table2_row(nodes, cases, options.seed, threads);
    std::vector<Cell> cells{count(nodes),
                            count(row.cases),
                            Decimal{row.mean_fnf_us, 2},
                            Decimal{row.mean_optimum_us, 2},
                            Decimal{100 * row.gap_of_means, 2},
                            Decimal{100 * row.mean_gap, 2},
                            Decimal{100 * row.worst_gap, 1},
                            Decimal{100 * row.same_latency, 1},
                            count(row.unproven),
                            Cell{},
                            Cell{},
                            Cell{}};
    chart.series[0].points.push_back({double(nodes), 100 * row.gap_of_means});
    if (nodes <= 9) least_same = std::min(least_same, 100 * row.same_latency);
    for (const Table2Printed& printed : table2_printed()) {
      if (printed.participants != nodes) continue;
      cells[9] = Decimal{printed.fnf_us, 2};
      cells[10] = Decimal{printed.optimum_us, 2};
      cells[11] = Decimal{printed.gap_percent, 2};
      chart.series[1].points.push_back({double(nodes), printed.gap_percent});
    }
    exhibit.table.rows.push_back(std::move(cells));
  }
  exhibit.svg = report::line_chart(chart);
  exhibit.stated = {{"cases in which FNF is optimal, up to 9 nodes, %, least", least_same, 90}};
  exhibit.notes = {
      "gap: (mean FNF - mean optimum) / mean optimum, the paper's last column; worst: of a single "
      "case; same: cases in which FNF is optimal. Where the optimum was not proven its lower bound "
      "stands for it, so that no gap is understated."};
  add_notes(exhibit, banikazemi_table2_findings(exhibit.table));
  return exhibit;
}

Exhibit run_figures4to6(const PaperOptions& options) {
  Exhibit exhibit = titled(
      "figures4to6",
      "Figures 4 to 6: workstations on ATM, round trips of 1380 and 2960 us; mean latencies in us");
  exhibit.table.columns = {number_of("figure", "figure"),
                           number_of("nodes", "nodes"),
                           number_of("fast", "fast"),
                           {"source", "source", Align::Left, false},
                           {"size_bytes", "size", Align::Right, false},
                           number_of("default_us", "default"),
                           number_of("spoc_us", "SPOC"),
                           number_of("fnf_us", "FNF"),
                           number_of("spoc_factor", "SPOC x"),
                           number_of("fnf_factor", "FNF x"),
                           number_of("best_spoc_factor", "best SPOC x"),
                           number_of("best_fnf_factor", "best FNF x")};
  for (const TestbedRow& row : figures4to6(options.seed, options.testbed_cases)) {
    const Improvement& r = row.result;
    if (row.size == Bytes{4} || row.size == Bytes{4096}) {
      exhibit.shown.push_back(exhibit.table.rows.size());
    }
    exhibit.table.rows.push_back({count(static_cast<std::uint64_t>(row.figure)), count(row.nodes),
                                  count(row.fast), std::string(name_of(row.source)),
                                  count(row.size.value), micros(r.default_us), micros(r.spoc_us),
                                  micros(r.fnf_us), factor(r.spoc_factor()), factor(r.fnf_factor()),
                                  factor(r.best_spoc_factor), factor(r.best_fnf_factor)});
  }
  exhibit.notes = {
      "x: factor of improvement over the default (MPICH's binomial tree by number); means over "
      "random "
      "placements of the fast nodes, and the best single placement."};
  add_notes(exhibit, banikazemi_testbed_findings(exhibit.table));
  return exhibit;
}

Exhibit run_figures7to9(const PaperOptions& options) {
  Exhibit exhibit =
      titled("figures7to9",
             "Figures 7 to 9: multicast among 64 simulated workstations; mean latencies in us");
  exhibit.table.columns = {number_of("speed_factor", "factor"),
                           number_of("percent_fast", "% fast"),
                           {"source", "source", Align::Left, false},
                           {"size_bytes", "size", Align::Right, false},
                           number_of("destinations", "to"),
                           number_of("default_us", "default"),
                           number_of("spoc_us", "SPOC"),
                           number_of("fnf_us", "FNF"),
                           number_of("spoc_factor", "SPOC x"),
                           number_of("fnf_factor", "FNF x")};
  report::LineChart chart{
      "Multicast of 1 KB among 64 workstations, 25 % fast, fast source", {}, {}, {}, 760, 440};
  chart.x.title = "destinations";
  chart.y.title = "FNF: factor of improvement";
  for (const StudyRow& row : figures7to9(options.seed)) {
    const Improvement& r = row.result;
    const bool few_or_all = row.destinations == 8 || row.destinations == 63;
    if (few_or_all && row.size == Bytes{1024}) exhibit.shown.push_back(exhibit.table.rows.size());
    exhibit.table.rows.push_back(
        {count(static_cast<std::uint64_t>(row.speed_factor)),
         count(static_cast<std::uint64_t>(row.percent_fast)), std::string(name_of(row.source)),
         count(row.size.value), count(row.destinations), micros(r.default_us), micros(r.spoc_us),
         micros(r.fnf_us), factor(r.spoc_factor()), factor(r.fnf_factor())});
    if (row.percent_fast != 25 || row.source != Source::Fast || row.size != Bytes{1024}) continue;
    const std::string label = fmt::format("speed factor {}", row.speed_factor);
    if (chart.series.empty() || chart.series.back().label != label) {
      chart.series.push_back({label, {}, false});
    }
    chart.series.back().points.push_back({double(row.destinations), r.fnf_factor()});
  }
  exhibit.svg = report::line_chart(chart);
  exhibit.notes = {
      "Ours: shortest paths through 16 random eight-port switches, no contention (a 1 KB worm "
      "takes 13 "
      "us, an initiation 400 and more); each point over 10 sets of nodes on each of 10 networks."};
  add_notes(exhibit, banikazemi_study_findings(exhibit.table));
  return exhibit;
}

Exhibit run_figure10(const PaperOptions& options) {
  Exhibit exhibit =
      titled("figure10",
             "Figure 10: several multicasts of 1 KB at once, speed factor 4; mean times in us");
  exhibit.table.columns = {number_of("percent_fast", "% fast"),
                           number_of("sources", "sources"),
                           number_of("destinations", "to"),
                           number_of("default_rotated_us", "default"),
                           number_of("default_sorted_us", "by number"),
                           number_of("spoc_us", "SPOC"),
                           number_of("fnf_us", "FNF"),
                           number_of("joint_us", "joint"),
                           number_of("fnf_factor", "FNF x"),
                           number_of("fnf_factor_sorted", "x by number"),
                           number_of("joint_factor", "joint x")};
  for (const MultipleRow& row : figure10(options.seed, options.multiple_cases)) {
    exhibit.table.rows.push_back(
        {count(static_cast<std::uint64_t>(row.percent_fast)), count(row.sources),
         count(row.destinations), micros(row.rotated_us), micros(row.sorted_us),
         micros(row.spoc_us), micros(row.fnf_us), micros(row.joint_us),
         factor(row.rotated_us / row.fnf_us), factor(row.sorted_us / row.fnf_us),
         factor(row.rotated_us / row.joint_us)});
  }
  exhibit.notes = banikazemi_multiple_findings(exhibit.table);
  return exhibit;
}

Expected<std::vector<Exhibit>> on_lab(const LabStudyOptions& options, const LabAccess& lab) {
  std::vector<Exhibit> exhibits;
  const auto add = [&](Expected<Exhibit> made) -> std::optional<Error> {
    if (!made) return made.error();
    exhibits.push_back(*std::move(made));
    return std::nullopt;
  };
  if (wants(options, "table1")) {
    if (auto failed = add(banikazemi_round_trips_on_lab(options, lab.run))) return *failed;
  }
  auto measured = banikazemi_on_lab(options, lab.measure);
  if (!measured) return measured.error();
  for (Exhibit& exhibit : *measured) exhibits.push_back(std::move(exhibit));
  if (wants(options, "multicast")) {
    if (auto failed = add(banikazemi_multicasts_on_lab(options, lab.measure))) return *failed;
  }
  if (wants(options, "figure10")) {
    if (auto failed = add(banikazemi_multiple_on_lab(options, lab.run))) return *failed;
  }
  return exhibits;
}

}  // namespace

Paper banikazemi() {
  return {
      "banikazemi",
      "banikazemi1998",
      "M. Banikazemi, V. Moorthy, D. Panda, \"Efficient collective communication on heterogeneous "
      "networks of workstations\", ICPP 1998",
      {{"figure1", "the example of eight workstations", run_figure1},
       {"table2", "FNF against the optimum, up to 32 nodes", run_table2},
       {"figures4to6", "the ATM testbed", run_figures4to6},
       {"figures7to9", "single multicast among 64", run_figures7to9},
       {"contention", "figures 7 to 9 with links that messages share", banikazemi_contention},
       {"figure10", "several multicasts at once", run_figure10}},
      {{"table1", "round trips between workstations of four kinds in three clusters"},
       {"figures4to6", "the testbed: broadcast among 16 hosts, multicast among 8 and 4"},
       {"ack", "the paper's way of measuring beside a common clock"},
       {"multicast", "Communicator::multicast() among 8 hosts beside a broadcast held to FNF"},
       {"figure10", "several multicasts at once among 16 hosts"}},
      on_lab};
}

}  // namespace espalier::reproduce
