#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.hpp"
#include "report/plot.hpp"
#include "reproduce/dichev_lab.hpp"
#include "reproduce/dichev_runs.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/paper.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::Decimal;

Column dichev_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, 0};
}
Cell millis(Time time) { return Decimal{1000 * to_seconds(time), 2}; }
Cell percent(double value) { return Decimal{value, 0}; }

std::vector<Column> columns() {
  std::vector<Column> all{{"network", "network", Align::Left, 0},
                          {"placement", "placed", Align::Left, 0},
                          {"lengths", "lengths", Align::Left, 0},
                          {"operation", "operation", Align::Left, 0},
                          dichev_column("mean_bytes", "mean, B")};
  for (const char* tree : kDichevTrees)
    all.push_back(dichev_column(fmt::format("{}_ms", tree), tree));
  all.push_back(dichev_column("ours_ms", "ours"));
  all.push_back(dichev_column("minimum_first_gain_percent", "min-first, %"));
  all.push_back(dichev_column("maximum_first_gain_percent", "max-first, %"));
  all.push_back(dichev_column("traeff_gain_percent", "Traeff, %"));
  all.push_back({"plan", "our plan", Align::Left, 12});
  return all;
}

std::vector<Cell> cells(const DichevCase& one, const DichevRow& row) {
  std::vector<Cell> all{one.network, one.placement, one.distribution,
                        std::string(name_of(one.call.operation)) + "v",
                        static_cast<std::int64_t>(one.mean.value)};
  for (const Time time : row.tree) all.push_back(millis(time));
  all.push_back(millis(row.ours));
  all.push_back(percent(row.minimum_first_gain()));
  all.push_back(percent(row.maximum_first_gain()));
  all.push_back(percent(row.traeff_gain()));
  all.push_back(row.plan);
  return all;
}

Exhibit run_switch(const PaperOptions& options) {
  Exhibit exhibit;
  exhibit.key = "switch";
  exhibit.title = "14 nodes on one switch: times in ms, and how much less than the original, %";
  exhibit.table.columns = columns();
  report::BarChart chart;
  chart.title = "14 nodes on one switch: maximum-first against the binomial tree by rank";
  chart.value = {"less time, %", report::Scale::Linear, report::Unit::Number, true};
  chart.series = {"scatterv", "gatherv"};
  for (const DichevCase& one : dichev_switch(options.seed)) {
    const DichevRow row = dichev_row(one, options.trials);
    exhibit.table.rows.push_back(cells(one, row));
    const double gain = std::round(std::max(0.0, row.maximum_first_gain()));
    if (one.call.operation == schedule::Operation::Scatter) {
      chart.groups.push_back(
          {fmt::format("{}, {}", one.distribution, to_string(one.mean)), {gain}});
    } else {
      chart.groups.back().values.push_back(gain);
    }
  }
  exhibit.svg = report::bar_chart(chart);
  exhibit.notes = {
      "Trees are run with blocking calls, one message after the other, as the paper's were; ours "
      "is "
      "the plan that Espalier takes, of all trees, at once or one by one, in pieces, and improved "
      "by local search. Ranks lie at random."};
  add_notes(exhibit, dichev_switch_findings(exhibit.table));
  return exhibit;
}

/// The greatest gain of each placement.
struct Headline {
  double minimum_first = 0;
  double traeff = 0;
};

Exhibit run_grid(const PaperOptions& options) {
  Exhibit exhibit;
  exhibit.key = "grid";
  exhibit.title =
      "39 nodes of 5 clusters on 2 sites: times in ms, and how much less than the original, %";
  exhibit.table.columns = columns();
  std::map<std::string, Headline> most;
  for (const DichevCase& one : dichev_grid(options.seed)) {
    const DichevRow row = dichev_row(one, options.trials);
    if (one.mean == Bytes{10'000} || one.mean == Bytes{1'000'000}) {
      exhibit.shown.push_back(exhibit.table.rows.size());
    }
    exhibit.table.rows.push_back(cells(one, row));
    Headline& here = most[one.placement];
    here.minimum_first = std::max(here.minimum_first, row.minimum_first_gain());
    here.traeff = std::max(here.traeff, row.traeff_gain());
  }
  report::BarChart chart;
  chart.title = "39 nodes on 2 sites: the greatest gain of model-based trees, by placement";
  chart.subtitle = "the paper: up to 75 % (minimum-first) and 60 % (Traeff)";
  chart.value = {"less time than the original, %", report::Scale::Linear, report::Unit::Number,
                 true};
  chart.series = {"minimum-first", "model-based Traeff"};
  for (const auto& [placement, gain] : most) {
    chart.groups.push_back({placement, {std::round(gain.minimum_first), std::round(gain.traeff)}});
  }
  exhibit.svg = report::bar_chart(chart);
  exhibit.notes = {"A gain below 0 is a loss."};
  add_notes(exhibit, dichev_grid_findings(exhibit.table));
  return exhibit;
}

}  // namespace

Paper dichev() {
  return {"dichev",
          "dichev2010",
          "K. Dichev, V. Rychkov, A. Lastovetsky, \"Two algorithms of irregular scatter/gather "
          "operations for heterogeneous platforms\", EuroMPI 2010",
          {{"switch", "14 nodes on one switch", run_switch},
           {"grid", "39 nodes of 5 clusters on 2 sites", run_grid}},
          {{"switch", "14 hosts on one switch: the MPI itself, six trees, Espalier's choice"},
           {"grid", "24 hosts of 5 clusters on 2 sites, in blocks and in turn"}},
          [](const LabStudyOptions& options, const LabAccess& lab) {
            return dichev_on_lab(options, lab.measure);
          }};
}

}  // namespace espalier::reproduce
