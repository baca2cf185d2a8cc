#include "measure/bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/plot.hpp"
#include "topology/writers.hpp"

namespace espalier::measure {
namespace {

using report::Align;
using report::Cell;
using report::Style;

/// Calls that differ only in their root.
struct Row {
  CallKind kind;
  Bytes size;
  std::vector<std::size_t> calls;
};

std::vector<Row> rows_of(const Bench& bench) {
  std::vector<Row> rows;
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    const MeasuredCall& call = bench.calls[c];
    if (rows.empty() || rows.back().kind != call.kind || rows.back().size != call.size) {
      rows.push_back({call.kind, call.size, {}});
    }
    rows.back().calls.push_back(c);
  }
  return rows;
}

template <typename Value>
double mean(const Row& row, const Value& value) {
  double sum = 0;
  for (const std::size_t c : row.calls) sum += value(c);
  return sum / static_cast<double>(row.calls.size());
}

double bound_ms(const Bench& bench, const Row& row) {
  return mean(row, [&](std::size_t c) { return to_microseconds(bench.bounds[c]) / 1e3; });
}

double time_ms(const Bench& bench, std::size_t stack, const Row& row) {
  return mean(row,
              [&](std::size_t c) { return bench.measured[stack][c].time_us(bench.taken) / 1e3; });
}

bool is_right(const Bench& bench, std::size_t stack, const Row& row) {
  return std::all_of(row.calls.begin(), row.calls.end(),
                     [&](std::size_t c) { return bench.measured[stack][c].wrong == 0; });
}

/// The fastest of the peers, or of Espalier's stacks, among those with right results.
double best_ms(const Bench& bench, const Row& row, bool peers) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
    if (bench.stacks[s].is_peer() != peers || !is_right(bench, s, row)) continue;
    best = std::min(best, time_ms(bench, s, row));
  }
  return best;
}

Cell time_cell(const Bench& bench, std::size_t stack, const Row& row) {
  if (!is_right(bench, stack, row)) return {"WRONG", Style::Bad};
  const double bound = bound_ms(bench, row);
  const double time = time_ms(bench, stack, row);
  return bound > 0 ? Cell(fmt::format("{:.2f} {:>6.2f}x", time, time / bound))
                   : Cell(fmt::format("{:.2f}        ", time));
}

std::string size_text(const Row& row) {
  return row.kind.operation == schedule::Operation::Barrier ? "" : to_string(row.size);
}

}  // namespace

report::Table summary_table(const Bench& bench) {
  report::Table table;
  table.columns = {{"operation", "operation"},
                   {"size", "size", Align::Right},
                   {"bound_ms", "bound ms", Align::Right}};
  for (const Stack& s : bench.stacks) table.columns.push_back({s.key, s.title, Align::Right});
  table.columns.push_back({"ratio_to_best_peer", "to best peer", Align::Right});
  for (const Row& row : rows_of(bench)) {
    std::vector<Cell> cells{name_of(row.kind), size_text(row),
                            report::Decimal{bound_ms(bench, row), 2}};
    for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
      cells.push_back(time_cell(bench, s, row));
    }
    const double ratio = best_ms(bench, row, false) / best_ms(bench, row, true);
    const bool compared = ratio > 0 && ratio < std::numeric_limits<double>::infinity();
    cells.push_back(
        compared ? Cell(report::Decimal{ratio, 2}, ratio <= 1 ? Style::Good : Style::Bad) : Cell());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string about_summary(const Bench& bench) {
  const auto is_there = [&bench](bool peer) {
    return std::any_of(bench.stacks.begin(), bench.stacks.end(),
                       [&](const Stack& s) { return s.is_peer() == peer; });
  };
  std::string text = "x: a time through the bound";
  if (is_there(true) && is_there(false)) {
    text +=
        "; to best peer: the time of the fastest stack with Espalier through that of the fastest "
        "without, below 1 where Espalier is ahead";
  }
  return text;
}

report::Table full_table(const Bench& bench) {
  report::Table table;
  for (const char* key : {"operation", "bytes", "root", "stack", "bound_us", "median_us", "low_us",
                          "high_us", "confidence", "least_us", "first_us", "wrong"}) {
    table.columns.push_back({key, key});
  }
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
      const MeasuredTimes& m = bench.measured[s][c];
      table.rows.push_back({name_of(m.call.kind), static_cast<std::int64_t>(m.call.size.value),
                            std::int64_t{m.call.root}, bench.stacks[s].key,
                            report::Decimal{to_microseconds(bench.bounds[c]), 1},
                            report::Decimal{m.summary.median, 1}, report::Decimal{m.summary.low, 1},
                            report::Decimal{m.summary.high, 1},
                            report::Decimal{m.summary.confidence, 3},
                            report::Decimal{m.time_us(Taken::Least), 1},
                            report::Decimal{m.first_us, 1}, static_cast<std::int64_t>(m.wrong)});
    }
  }
  return table;
}

Json to_json(const Bench& bench, const topology::Machine& machine) {
  Json results = report::to_json(full_table(bench));
  std::size_t row = 0;
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
      results[row++]["times_us"] = bench.measured[s][c].times_us;
    }
  }
  return {{"format", "espalier-bench-1"},
          {"on", "lab"},
          {"clocks", name_of(bench.clocks)},
          {"clock", description_of(bench.clocks)},
          {"taken", bench.taken == Taken::Median ? "median" : "least"},
          {"machine", Json::parse(topology::write_json(machine))},
          {"results", results}};
}

std::string to_svg(const Bench& bench, const CallKind& kind) {
  std::vector<Row> rows = rows_of(bench);
  std::erase_if(rows, [&](const Row& r) { return r.kind != kind || r.size.value == 0; });
  if (rows.size() < 2) return "";
  report::LineChart chart;
  chart.title = fmt::format("{} in the lab", name_of(kind));
  chart.x = {"size", report::Scale::Log, report::Unit::Bytes, false};
  chart.y = {"time", report::Scale::Log, report::Unit::Seconds, false};
  report::Series bound{"bound", {}, /*dashed=*/true};
  for (const Row& r : rows) {
    bound.points.push_back({static_cast<double>(r.size.value), bound_ms(bench, r) / 1e3});
  }
  if (bound.points.front().y > 0) chart.series.push_back(bound);
  for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
    report::Series series{bench.stacks[s].title, {}, false};
    for (const Row& r : rows) {
      const double gap = std::numeric_limits<double>::quiet_NaN();
      series.points.push_back({static_cast<double>(r.size.value),
                               is_right(bench, s, r) ? time_ms(bench, s, r) / 1e3 : gap});
    }
    chart.series.push_back(std::move(series));
  }
  return report::line_chart(chart);
}

}  // namespace espalier::measure
