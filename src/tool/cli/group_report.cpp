#include "cli/group_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "report/json_text.hpp"
#include "report/plot.hpp"

namespace espalier::cli {
namespace {

using group::Experiment;
using group::Kind;
using group::Measurement;
using report::Align;
using report::Cell;
using report::Decimal;

report::Table group_table(const std::vector<GroupRow>& rows) {
  report::Table table;
  table.columns = {{"scheme", "scheme", Align::Left, false},
                   {"members", "members", Align::Right, false},
                   {"levels", "levels", Align::Right, false},
                   {"finish_ps", "time", Align::Right, false},
                   {"made_ps", "", Align::Right, false},
                   {"broadcast_ps", "broadcast", Align::Right, false},
                   {"messages", "messages", Align::Right, false},
                   {"messages_as_in_paper", "as in paper", Align::Right, false},
                   {"sent_bytes", "bytes", Align::Right, false},
                   {"largest_message_bytes", "largest", Align::Right, false},
                   {"most_ids", "ids", Align::Right, false},
                   {"peak_memory_bytes", "peak memory", Align::Right, false},
                   {"mean_peak_memory_bytes", "mean", Align::Right, false},
                   {"final_memory_bytes", "final", Align::Right, false}};
  for (const GroupRow& row : rows) {
    if (!row.measured) continue;
    const Measurement& m = *row.measured;
    table.rows.push_back(
        {std::string(name(row.scheme)), std::int64_t{m.members}, std::int64_t{m.levels}, m.finish,
         m.made, m.broadcast, static_cast<std::int64_t>(messages(m.traffic)),
         static_cast<std::int64_t>(messages_as_in_paper(m.traffic)),
         static_cast<std::int64_t>(m.traffic.bytes),
         static_cast<std::int64_t>(m.traffic.largest_bytes), std::int64_t{m.traffic.most_ids},
         static_cast<std::int64_t>(m.memory.peak), Decimal{m.memory.mean_peak, 0},
         static_cast<std::int64_t>(m.memory.remaining)});
  }
  return table;
}

/// One line a scheme: "rank-and-hash: up 4095, down 2974, ..."
std::string kinds_of(const GroupRow& row) {
  std::string text;
  for (std::size_t k = 0; k < group::kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    const std::uint64_t count = row.measured->traffic.of(kind);
    if (count == 0 || kind == Kind::Begin || kind == Kind::Finish) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(kind), count);
  }
  return fmt::format("{}: {}\n", name(row.scheme), text.empty() ? "nothing" : text);
}

/// One line a scheme: "rank-and-hash: 12 at level 0, 30 at level 1"
std::string crossings_of(const GroupRow& row) {
  std::string text;
  for (std::size_t level = 0; level < row.measured->crossings.size(); ++level) {
    text += fmt::format("{}{} at level {}", text.empty() ? "" : ", ",
                        row.measured->crossings[level], level);
  }
  return fmt::format("{}: {}\n", name(row.scheme), text.empty() ? "none" : text);
}

std::string told_line(const std::string& line, const report::Canvas& canvas) {
  return canvas.folds ? report::wrapped(line, canvas.width, "  ") : "  " + line;
}

}  // namespace

std::string group_text(const std::vector<GroupRow>& rows, const report::Canvas& canvas) {
  std::string text = report::to_text(group_table(rows), canvas) + "\nMessages by kind\n";
  for (const GroupRow& row : rows) {
    if (row.measured) text += told_line(kinds_of(row), canvas);
  }
  const bool has_clusters = std::any_of(rows.begin(), rows.end(), [](const GroupRow& row) {
    return row.measured && !row.measured->crossings.empty();
  });
  if (has_clusters) text += "\nEdges of the new tree between clusters\n";
  for (const GroupRow& row : rows) {
    if (has_clusters && row.measured) text += told_line(crossings_of(row), canvas);
  }
  for (const GroupRow& row : rows) {
    if (!row.measured) text += fmt::format("{} is left out: {}\n", name(row.scheme), row.why);
  }
  return text;
}

std::string group_json(const std::vector<GroupRow>& rows, const Experiment& experiment,
                       const std::string& model) {
  Json json = {{"format", "espalier-group-1"},
               {"processes", experiment.processes},
               {"fraction", double(experiment.millionths) / 1e6},
               {"degree", experiment.degree},
               {"colours", experiment.colours},
               {"groups", experiment.groups},
               {"seed", experiment.seed},
               {"model", model}};
  json["schemes"] = report::to_json(group_table(rows));
  std::size_t at = 0;
  json["left_out"] = Json::array();
  for (const GroupRow& row : rows) {
    if (!row.measured) {
      json["left_out"].push_back({{"scheme", name(row.scheme)}, {"why", row.why}});
      continue;
    }
    Json kinds = Json::object();
    for (std::size_t k = 0; k < group::kKinds; ++k) {
      const std::uint64_t count = row.measured->traffic.messages[k];
      if (count > 0) kinds[std::string(name(static_cast<Kind>(k)))] = count;
    }
    json["schemes"][at]["edges_between_clusters"] = row.measured->crossings;
    json["schemes"][at++]["messages_by_kind"] = std::move(kinds);
  }
  return report::json_text(json);
}

std::string group_svg(const std::vector<GroupRow>& rows, const Experiment& experiment) {
  report::BarChart chart;
  chart.title = fmt::format("{} processes, {} become members", experiment.processes,
                            double(experiment.millionths) / 1e6);
  chart.subtitle = "time from a broadcast on the old tree to a reduction on the new one";
  chart.value = {"time", report::Scale::Linear, report::Unit::Seconds, true};
  chart.series = {"time"};
  for (const GroupRow& row : rows) {
    if (!row.measured) continue;
    chart.groups.push_back({std::string(name(row.scheme)), {to_seconds(row.measured->finish)}});
  }
  return report::bar_chart(chart);
}

}  // namespace espalier::cli
