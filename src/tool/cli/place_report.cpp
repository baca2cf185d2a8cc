#include "cli/place_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "report/json_text.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"

namespace espalier::cli {
namespace {

using map::Host;
using place::Candidate;

const Host& host_of(const ShownPlacement& shown, Rank p) {
  const map::Problem& problem = shown.problem;
  const std::uint32_t slot = shown.answer.candidates[shown.chosen].placement[p];
  return problem.inventory->hosts[problem.slots[slot].host];
}

/// Hosts by cluster, in the order of the listing, with their processes.
using ByCluster =
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::vector<Rank>>>>>;
ByCluster by_cluster(const ShownPlacement& shown) {
  std::map<std::string, std::vector<Rank>> on;
  for (Rank p = 0; p < shown.problem.size(); ++p) on[host_of(shown, p).name].push_back(p);
  ByCluster result;
  for (const Host& host : shown.problem.inventory->hosts) {
    auto at = std::find_if(result.begin(), result.end(),
                           [&](const auto& c) { return c.first == host.cluster; });
    if (at == result.end()) at = result.insert(result.end(), {host.cluster, {}});
    at->second.emplace_back(host.name, on[host.name]);
  }
  return result;
}

std::string picture(const ShownPlacement& shown, const report::Canvas& canvas) {
  std::string text;
  for (const auto& [cluster, hosts] : by_cluster(shown)) {
    std::string line;
    std::size_t idle = 0;
    for (const auto& [name, processes] : hosts) {
      if (processes.empty()) {
        ++idle;
      } else {
        line += fmt::format(" {}[{}]", report::printable(name), fmt::join(processes, " "));
      }
    }
    if (idle > 0)
      line += fmt::format(" {}", paint(fmt::format("({} idle)", idle), report::Style::Dim, canvas));
    text += fmt::format(
        "{} {}\n",
        paint(fmt::format("{:>8}", cluster.empty() ? "hosts" : report::printable(cluster)),
              report::Style::Bold, canvas),
        line);
  }
  return text;
}

report::Table process_table(const ShownPlacement& shown) {
  using report::Align;
  report::Table table{{{"rank", "rank", Align::Right},
                       {"host", "host"},
                       {"cluster", "cluster"},
                       {"speed", "speed", Align::Right},
                       {"burden_ps", "burden", Align::Right}},
                      {}};
  for (Rank p = 0; p < shown.problem.size(); ++p) {
    const Host& host = host_of(shown, p);
    table.rows.push_back({std::int64_t{p}, host.name, host.cluster,
                          report::Decimal{static_cast<double>(host.speed_millionths) / 1e6},
                          shown.answer.paper.burden[p]});
  }
  return table;
}

double gain(const ShownPlacement& shown, const Candidate& c) {
  const auto base = static_cast<double>(shown.answer.candidates[0].predicted.picoseconds);
  const auto own = static_cast<double>(std::max<std::int64_t>(1, c.predicted.picoseconds));
  return base / own;
}

report::Table candidate_table(const ShownPlacement& shown) {
  using report::Align;
  report::Table table{{{"policy", "placement"},
                       {"predicted_ps", "predicted", Align::Right},
                       {"gain", "gain", Align::Right},
                       {"traffic_ps", "traffic", Align::Right},
                       {"", " "}},
                      {}};
  for (std::size_t i = 0; i < shown.answer.candidates.size(); ++i) {
    const Candidate& c = shown.answer.candidates[i];
    table.rows.push_back({c.name, c.predicted, report::Decimal{gain(shown, c), 2}, c.traffic,
                          i == shown.chosen
                              ? report::Cell{std::string("<- this one"), report::Style::Good}
                              : report::Cell{}});
  }
  return table;
}

/// How much of the traffic crosses what, before and now: the reason in figures.
std::string crossing(const ShownPlacement& shown) {
  const auto share = [&](const map::Placement& placement) {
    double wide = 0, all = 0;
    for (Rank p = 0; p < shown.problem.size(); ++p) {
      for (const map::Edge& edge : shown.problem.edges_of(p)) {
        const auto& slots = shown.problem.slots;
        all += static_cast<double>(edge.messages);
        if (slots[placement[p]].cluster != slots[placement[edge.other]].cluster) {
          wide += static_cast<double>(edge.messages);
        }
      }
    }
    return all == 0 ? 0.0 : 100 * wide / all;
  };
  return fmt::format(
      "Of all messages {:.1f} % leave their cluster; placed as listed {:.1f} % would.",
      share(shown.answer.candidates[shown.chosen].placement),
      share(shown.answer.candidates[0].placement));
}

constexpr std::string_view kBurden =
    "burden: what the messages of a process would take on the slowest way between clusters, each "
    "partner counted up to the median channel; not a prediction";
constexpr std::string_view kSelection =
    "The steps of the placement \"full\", the selection of Park et al., 2004, by its principles A "
    "to "
    "D (docs/placement.md):";

}  // namespace

std::string place_text(const ShownPlacement& shown, const report::Canvas& canvas) {
  const Candidate& chosen = shown.answer.candidates[shown.chosen];
  std::string text = paint(
      fmt::format(
          "{} processes of {} on {}", shown.problem.size(), shown.problem.profile->name,
          shown.problem.inventory->name.empty() ? "the inventory" : shown.problem.inventory->name),
      report::Style::Bold, canvas);
  text += fmt::format("\npredicted {}, {:.2f} x as fast as sequential placement ({})\n\n",
                      rounded(chosen.predicted), gain(shown, chosen),
                      rounded(shown.answer.candidates[0].predicted));
  text += picture(shown, canvas);
  if (shown.problem.size() <= 64) {
    text += "\n" + report::to_text(process_table(shown), canvas);
    text += report::wrapped(kBurden, canvas.width, "");
  }
  text += "\n" + report::to_text(candidate_table(shown), canvas);
  text += "\nWhy\n" + report::wrapped(crossing(shown), canvas.width, "  ");
  if (text.back() != '\n') text += '\n';
  text += report::wrapped(kSelection, canvas.width, "  ");
  for (const std::string& line : shown.answer.paper.explanation) {
    std::string filled = report::wrapped(line, canvas.width, "    ");
    if (filled.empty() || filled.back() != '\n') filled += '\n';
    text += filled;
  }
  if (!shown.answer.is_replayed) {
    text += "  The trace is too long to be replayed: times are sums over channels.\n";
  }
  return text + "\n" + shown.launch + "\n";
}

std::string place_json(const ShownPlacement& shown) {
  nlohmann::ordered_json json;
  json["format"] = "espalier-placement-1";
  json["processes"] = shown.problem.size();
  json["profile"] = shown.problem.profile->name;
  json["policy"] = shown.policy;
  const Candidate& chosen = shown.answer.candidates[shown.chosen];
  json["placement"] = chosen.name;
  json["predicted_ps"] = chosen.predicted.picoseconds;
  json["sequential_ps"] = shown.answer.candidates[0].predicted.picoseconds;
  json["gain"] = std::round(gain(shown, chosen) * 1000) / 1000;
  json["replayed"] = shown.answer.is_replayed;
  json["launch"] = shown.launch;
  json["ranks"] = report::to_json(process_table(shown));
  json["candidates"] = report::to_json(candidate_table(shown));
  json["steps"] = shown.answer.paper.explanation;
  return report::json_text(json);
}

std::string place_svg(const ShownPlacement& shown) {
  constexpr double kBox = 30, kGap = 10;
  const ByCluster clusters = by_cluster(shown);
  std::map<Rank, std::pair<double, double>> at;
  struct HostName {
    double x, y;
    std::string text;
    std::string colour;
  };
  std::vector<HostName> names;
  double height = 60, width = 400;
  std::vector<double> tops;
  std::size_t widest = 1;
  for (const auto& [cluster, hosts] : clusters) {
    tops.push_back(height);
    double rows = 1;
    for (const auto& [name, processes] : hosts) {
      rows = std::max(rows, static_cast<double>(processes.size()));
    }
    widest = std::max(widest, hosts.size());
    height += rows * (kBox + 4) + 70;
  }
  width = std::max(width, 80 + static_cast<double>(widest) * (kBox + 50));
  report::Svg svg(width, height + 10);
  svg.text(20, 30,
           fmt::format("{} on {}", shown.problem.profile->name, shown.problem.inventory->name),
           {.size = 16, .bold = true});
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const double bottom = c + 1 < tops.size() ? tops[c + 1] : height;
    svg.rect(15, tops[c], width - 30, bottom - tops[c] - kGap,
             {.colour = report::site_colour(static_cast<std::uint32_t>(c)), .radius = 6});
    svg.text(24, tops[c] + 18, clusters[c].first, {.size = 13, .bold = true});
    for (std::size_t h = 0; h < clusters[c].second.size(); ++h) {
      const auto& [name, processes] = clusters[c].second[h];
      const double x = 40 + static_cast<double>(h) * (kBox + 50);
      names.push_back({x + kBox / 2, tops[c] + 34, name,
                       std::string(report::site_colour(static_cast<std::uint32_t>(c)))});
      if (processes.empty()) {  // idle
        svg.circle(x + kBox / 2, tops[c] + 40 + kBox / 2, kBox / 2 - 2,
                   {.colour = "none", .edge = report::kFaintInk});
      }
      for (std::size_t i = 0; i < processes.size(); ++i) {
        at[processes[i]] = {x + kBox / 2,
                            tops[c] + 40 + static_cast<double>(i) * (kBox + 4) + kBox / 2};
      }
    }
  }
  double heaviest = 1;
  for (const map::Edge& e : shown.problem.edges)
    heaviest = std::max(heaviest, static_cast<double>(e.bytes + e.messages));
  if (shown.problem.edges.size() <= 20'000) {
    for (Rank p = 0; p < shown.problem.size(); ++p) {
      for (const map::Edge& e : shown.problem.edges_of(p)) {
        if (e.other < p) continue;
        const double heat = std::sqrt(static_cast<double>(e.bytes + e.messages) / heaviest);
        svg.line(at[p].first, at[p].second, at[e.other].first, at[e.other].second,
                 {.colour = "#999999", .width = 0.4 + 4 * heat});
      }
    }
  }
  for (const HostName& host : names) {  // over the lines, or they could not be read
    const double half = 3.5 * static_cast<double>(host.text.size()) + 2;
    svg.rect(host.x - half, host.y - 10, 2 * half, 13,
             {.colour = host.colour, .radius = 2, .opacity = 0.85});
    svg.text(host.x, host.y, host.text,
             {.size = 10, .colour = report::kFaintInk, .anchor = report::Anchor::Middle});
  }
  for (const auto& [p, point] : at) {
    svg.circle(point.first, point.second, kBox / 2 - 2,
               {.colour = "#ffffff", .edge = report::kInk});
    svg.text(point.first, point.second + 4, fmt::format("{}", p),
             {.size = 12, .anchor = report::Anchor::Middle});
  }
  return std::move(svg).finish();
}

}  // namespace espalier::cli
