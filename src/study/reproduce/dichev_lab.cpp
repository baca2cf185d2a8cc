#include "reproduce/dichev_lab.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"
#include "report/plot.hpp"
#include "reproduce/dichev_runs.hpp"
#include "reproduce/findings.hpp"
#include "select/block_counts.hpp"
#include "topology/readers.hpp"

namespace espalier::reproduce {
namespace {

using measure::Bench;
using measure::MeasuredCall;
using report::Align;
using report::Cell;
using report::Decimal;
using schedule::Operation;
using topology::Machine;

Machine lab_machine(const std::string& text) {
  auto machine = topology::parse_synthetic(text);
  expects(machine.has_value(), "dichev: a machine of the lab is not understood");
  return *std::move(machine);
}

/// A machine whose hosts are equally fast, and the speeds that lengths go by: hosts of a lab that
/// were slow would change what is measured.
struct Platform {
  std::string name;
  Machine machine;
  Machine with_speeds;
};

Platform one_switch() {
  constexpr const char* kNodes = "node:14(50us,1Gbit/s{})";
  return {"switch", lab_machine(fmt::format(fmt::runtime(kNodes), "")),
          lab_machine(fmt::format(fmt::runtime(kNodes), ",speed=1*4|1.2*3|1.5*3|1.8*2|2.2*2"))};
}

Platform two_sites() {
  constexpr const char* kNodes =
      "site:2(10ms,1Gbit/s) cluster:3|2(100us,1Gbit/s) node:5|4|5|5|5(50us,1Gbit/s{})";
  return {"grid", lab_machine(fmt::format(fmt::runtime(kNodes), "")),
          lab_machine(fmt::format(fmt::runtime(kNodes), ",speed=1*5|1.6*4|1.2*5|2*5|1.4*5"))};
}

/// One distribution of lengths with one mean.
struct Lengths {
  std::string distribution;
  Bytes mean;
};

std::vector<Lengths> lengths_of(const Platform& platform, bool quick) {
  if (quick) return {{"cpu-speed", Bytes{8'000}}, {"giant", Bytes{8'000}}};
  std::vector<Lengths> all;
  const bool is_switch = platform.name == "switch";
  for (const char* distribution : {"cpu-speed", "powerlaw", "giant"}) {
    for (const std::uint64_t mean : {1'000ULL, 10'000ULL, 100'000ULL}) {
      const bool is_speed = std::string_view(distribution) == "cpu-speed";
      if (is_switch ? mean >= 10'000 : is_speed || mean == 10'000) {
        all.push_back({distribution, Bytes{mean}});
      }
    }
  }
  return all;
}

/// Ranks in turn over the clusters.
Machine in_turn_on(const Machine& machine) {
  return with_placement(machine, cyclic_placement(machine));
}

/// Both operations for each of these, in this order.
/// @param with_speeds placed as the machine that is measured: a rank's length goes by its own host
std::vector<MeasuredCall> calls_for(const Machine& with_speeds, const std::vector<Lengths>& all,
                                    std::uint64_t seed) {
  std::vector<MeasuredCall> calls;
  for (const Lengths& lengths : all) {
    const bool is_speed = lengths.distribution == "cpu-speed";
    auto counts = select::counts_from(
        is_speed ? lengths.distribution : fmt::format("{}:{}", lengths.distribution, seed),
        with_speeds, lengths.mean);
    expects(counts.has_value(), "dichev: a distribution of the lab is not understood");
    for (std::uint64_t& count : *counts) count = (count + 7) / 8;
    for (const Operation operation : {Operation::Scatter, Operation::Gather}) {
      calls.push_back({{operation, true}, lengths.mean, 0, {}, *counts});
    }
  }
  return calls;
}

std::vector<measure::Stack> stacks_of(const std::string& mpi) {
  std::vector<measure::Stack> stacks{native_stack(mpi)};
  for (const char* tree : kDichevTrees) {
    stacks.push_back(
        held_stack(tree, tree, mpi, fmt::format("scatter=counts:{0},gather=counts:{0}", tree)));
  }
  stacks.push_back(held_stack("chosen", "choice", mpi, ""));
  return stacks;
}

report::Column lab_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, 0};
}

Exhibit empty_exhibit(const Platform& platform, const std::string& mpi) {
  Exhibit exhibit;
  exhibit.key = platform.name;
  exhibit.title = fmt::format(
      "{} hosts {}, measured with {}: times in ms", platform.machine.size(),
      platform.name == "switch" ? "on one switch" : "of 5 clusters on 2 sites", title_of_mpi(mpi));
  exhibit.table.columns = {{"placement", "placed", Align::Left, 0},
                           {"lengths", "lengths", Align::Left, 0},
                           {"operation", "operation", Align::Left, 0},
                           lab_column("mean_bytes", "mean, B"),
                           lab_column("native_ms", title_of_mpi(mpi))};
  for (const char* tree : kDichevTrees) {
    exhibit.table.columns.push_back(lab_column(fmt::format("{}_ms", tree), tree));
  }
  exhibit.table.columns.push_back(lab_column("chosen_ms", "choice"));
  return exhibit;
}

void add_rows(Exhibit& exhibit, const std::string& placement, const std::vector<Lengths>& lengths,
              const Bench& bench) {
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    std::vector<Cell> row{placement, lengths[c / 2].distribution, name_of(bench.calls[c].kind),
                          static_cast<std::int64_t>(bench.calls[c].size.value)};
    for (const auto& measured : bench.measured) row.push_back(time_cell(measured[c], 1e3));
    exhibit.table.rows.push_back(std::move(row));
  }
}

/// Figure 3 of the paper: scatterv by CPU speed over sizes, ranks in turn over the clusters.
void draw_curves(Exhibit& exhibit, const std::vector<Lengths>& lengths, const Bench& bench) {
  report::LineChart chart{"scatterv, lengths by CPU speed, ranks in turn", {}, {}, {}, 760, 440};
  chart.x = {"mean length", report::Scale::Log, report::Unit::Bytes, false};
  chart.y = {"time", report::Scale::Log, report::Unit::Seconds, false};
  for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
    chart.series.push_back({bench.stacks[s].title, {}, s == 0});
    for (std::size_t c = 0; c < bench.calls.size(); c += 2) {
      const measure::MeasuredTimes& m = bench.measured[s][c];
      if (lengths[c / 2].distribution != "cpu-speed" || m.wrong != 0) continue;
      chart.series.back().points.push_back(
          {static_cast<double>(m.call.size.value), m.summary.median / 1e6});
    }
  }
  exhibit.svg = report::line_chart(chart);
}

}  // namespace

Expected<std::vector<Exhibit>> dichev_on_lab(const LabStudyOptions& options,
                                             const MeasureOnLab& measure) {
  std::vector<Exhibit> exhibits;
  for (const Platform& platform : {one_switch(), two_sites()}) {
    if (!wants(options, platform.name)) continue;
    const std::vector<Lengths> lengths = lengths_of(platform, options.quick);
    const int repeats = options.quick ? 3 : 5;
    Exhibit exhibit = empty_exhibit(platform, options.mpi);
    for (const bool in_turn : {false, true}) {
      if (in_turn && platform.name == "switch") continue;  // all places are alike
      const Machine placed = in_turn ? in_turn_on(platform.machine) : platform.machine;
      const Machine speeds = in_turn ? in_turn_on(platform.with_speeds) : platform.with_speeds;
      const auto bench = measure(
          {placed, stacks_of(options.mpi), calls_for(speeds, lengths, options.seed), repeats});
      if (!bench) return bench.error();
      add_rows(exhibit, in_turn ? "cyclic" : "block", lengths, *bench);
      if (in_turn) draw_curves(exhibit, lengths, *bench);
    }
    exhibit.notes = {fmt::format(
        "Medians of {} calls, {}. The trees are held to by the library and told to no rank "
        "beforehand: in a scatterv every message says whom it is passed on to, in a gatherv the "
        "root "
        "announces the tree in every second call.",
        repeats, description_of(measure::Clocks::Shared))};
    add_notes(exhibit, dichev_lab_findings(exhibit.table));
    exhibits.push_back(std::move(exhibit));
  }
  return exhibits;
}

}  // namespace espalier::reproduce
