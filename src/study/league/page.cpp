
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.hpp"
#include "league/tables.hpp"

namespace espalier::league {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Espalier: the league</title><style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222; background: #fff; }
table { border-collapse: collapse; margin: .6em 0 1.6em; }
th, td { padding: .25em .6em; border: 1px solid #ddd; text-align: left; font-variant-numeric: tabular-nums; }
th { background: #f4f4f4; } td.n { text-align: right; } small { color: #555; }
.yes { background: #d9f0d3; } .no { background: #f8d0c8; }
</style></head><body>
<h1>The league</h1>
<p>Simulated times (SimGrid SMPI) of Espalier's library beside the algorithms that MPI libraries choose. Teams with wrong data
or without an end are left out of an event, and nobody wins against them. A ratio above 1 means that Espalier is slower.</p>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_of(const report::Table& table) {
  if (table.rows.empty()) return "<p>None.</p>\n";
  std::string out = "<table><tr>";
  for (const report::Column& column : table.columns) {
    out += fmt::format("<th>{}</th>", escaped(column.title));
  }
  out += "</tr>\n";
  for (const std::vector<report::Cell>& row : table.rows) {
    out += "<tr>";
    for (const report::Cell& cell : row) {
      std::string kind = cell.kind() == report::Cell::Kind::Number ? "n" : "";
      const auto& shown = cell.shown();
      if (!shown.empty() && shown.front().style == report::Style::Good) kind += " yes";
      if (!shown.empty() && shown.front().style == report::Style::Bad) kind += " no";
      out += fmt::format("<td class=\"{}\">{}</td>", kind, escaped(report::plain(shown)));
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

/// Green where we are faster, red where slower, twice as deep at a factor of four.
std::string colour_of(double ratio) {
  const double depth = std::min(1.0, std::abs(std::log2(ratio)) / 2);
  const double lightness = 96 - 26 * depth;
  const int hue = ratio <= 1 + kMargin ? 110 : 8;
  return fmt::format("hsl({} 60% {:.0f}%)", hue, lightness);
}

std::string cell_of(const EventResults& line) {
  if (!line.is_right()) {
    return fmt::format("<td class=\"no\">{}</td>", line.ours ? name_of(line.ours->state) : "");
  }
  const auto ratio = line.to_selector();
  const bool we_win = !line.any || line.ours->microseconds <= line.any->microseconds;
  const std::string winner = we_win ? "espalier" : line.any->contender;
  const std::string bound =
      line.to_bound() ? fmt::format(", {:.2f} x bound", *line.to_bound()) : "";
  return fmt::format(
      "<td style=\"background: {}\" title=\"{}\">{}<br><b>{}</b><br><small>{:.1f} "
      "us{}</small></td>",
      ratio ? colour_of(*ratio) : "none", escaped(line.ours->plan),
      ratio ? fmt::format("{:.2f}", *ratio) : "-", escaped(winner), line.ours->microseconds, bound);
}

/// Operations down, sizes across.
std::string grid_of(const std::vector<const EventResults*>& lines) {
  std::set<std::uint64_t> sizes;
  std::vector<schedule::Operation> operations;
  std::map<std::pair<schedule::Operation, std::uint64_t>, const EventResults*> found;
  for (const EventResults* line : lines) {
    sizes.insert(line->event.bytes);
    if (operations.empty() || operations.back() != line->event.operation) {
      operations.push_back(line->event.operation);
    }
    found[{line->event.operation, line->event.bytes}] = line;
  }
  std::string out = "<table><tr><th>operation</th>";
  for (const std::uint64_t size : sizes) {
    out += fmt::format("<th>{}</th>", size == 0 ? "no data" : to_string(Bytes{size}));
  }
  out += "</tr>\n";
  for (const schedule::Operation operation : operations) {
    out += fmt::format("<tr><th>{}</th>", name_of(operation));
    for (const std::uint64_t size : sizes) {
      const auto it = found.find({operation, size});
      out += it == found.end() ? "<td></td>" : cell_of(*it->second);
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace

std::string page(std::span<const EventResults> lines) {
  std::string out = kHead;
  out += "<h2>What it has to show</h2>\n" + html_of(criteria_table(lines));
  out += "<h2>Standings</h2>\n" + html_of(standing_table(lines));
  out += "<h2>Where Espalier loses by more than 3 %</h2>\n" + html_of(loss_table(lines));
  out += "<h2>Left out</h2>\n" + html_of(fault_table(lines));
  out +=
      "<p>Below: our time over the best selector's, the winner of all that took part, our time "
      "and its ratio to the lower bound.</p>\n";
  for (std::size_t first = 0; first < lines.size();) {
    const LeagueEvent& event = lines[first].event;
    std::vector<const EventResults*> of_one;
    std::size_t last = first;
    for (; last < lines.size() && lines[last].event.machine == event.machine &&
           lines[last].event.placement == event.placement;
         ++last) {
      of_one.push_back(&lines[last]);
    }
    out += fmt::format("<h2>{}, {}</h2>\n", escaped(event.machine), escaped(event.placement));
    out += grid_of(of_one);
    first = last;
  }
  return out + "</body></html>\n";
}

}  // namespace espalier::league
