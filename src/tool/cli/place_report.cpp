#include "cli/place_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/json_text.hpp"
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

}  // namespace

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

namespace {

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
      line += fmt::format(" {}", paint(fmt::format("({} host{} idle)", idle, idle == 1 ? "" : "s"),
                                       report::Style::Dim, canvas));
    text += fmt::format(
        "{} {}\n",
        paint(fmt::format("{:>8}", cluster.empty() ? "hosts" : report::printable(cluster)),
              report::Style::Bold, canvas),
        line);
  }
  return text;
}

/// Whether the hosts are in clusters; those of a hostfile are not.
bool has_clusters(const ShownPlacement& shown) {
  const std::vector<Host>& hosts = shown.problem.inventory->hosts;
  return std::any_of(hosts.begin(), hosts.end(),
                     [](const Host& host) { return !host.cluster.empty(); });
}

/// The innermost that hosts are told apart by.
std::string_view unit_of_hosts(const ShownPlacement& shown) {
  return has_clusters(shown) ? "cluster" : "host";
}

report::Table process_table(const ShownPlacement& shown) {
  using report::Align;
  report::Table table{{{"rank", "rank", Align::Right},
                       {"host", "host"},
                       {"cluster", has_clusters(shown) ? "cluster" : ""},
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

/// What of the traffic leaves its cluster (or its host, if there are no clusters), in percent.
struct Leaving {
  double messages = 0;
  double bytes = 0;
};

Leaving leaving(const ShownPlacement& shown, const map::Placement& placement) {
  const bool by_cluster = has_clusters(shown);
  Leaving wide, all;
  for (Rank p = 0; p < shown.problem.size(); ++p) {
    for (const map::Edge& edge : shown.problem.edges_of(p)) {
      const auto add = [&edge](Leaving& sum) {
        sum.messages += static_cast<double>(edge.messages);
        sum.bytes += static_cast<double>(edge.bytes);
      };
      const map::Slot& here = shown.problem.slots[placement[p]];
      const map::Slot& there = shown.problem.slots[placement[edge.other]];
      add(all);
      if (by_cluster ? here.cluster != there.cluster : here.host != there.host) add(wide);
    }
  }
  return {all.messages == 0 ? 0.0 : 100 * wide.messages / all.messages,
          all.bytes == 0 ? 0.0 : 100 * wide.bytes / all.bytes};
}

/// How much of the traffic crosses what, before and now: the reason in figures.
std::string crossing_text(const ShownPlacement& shown, std::size_t width) {
  const Leaving now = leaving(shown, shown.answer.candidates[shown.chosen].placement);
  const Leaving listed = leaving(shown, shown.answer.candidates[0].placement);
  const auto line = [&](std::string_view what, double share, double before) {
    return report::wrapped(
        fmt::format("Of all {} {:.1f} % leave their {}; placed as listed {:.1f} % would.", what,
                    share, unit_of_hosts(shown), before),
        width, "  ");
  };
  return line("messages", now.messages, listed.messages) + line("bytes", now.bytes, listed.bytes);
}

constexpr std::string_view kSelection =
    "The steps of the placement \"full\", the selection of Park et al., 2004, by its principles A "
    "to "
    "D (docs/placement.md):";

/// Why a placement that is none of the paper's was taken.
constexpr std::string_view kShortest =
    "Of all that were tried, the replay of the profile predicts the shortest time for it. There "
    "messages wait for each other and share links; \"traffic\" is their times added up. "
    "--policy full shows the steps of the placement \"full\".";

/// Whether the steps of the paper's selection lead to the placement that is shown.
bool is_by_steps(const ShownPlacement& shown) {
  const Candidate& chosen = shown.answer.candidates[shown.chosen];
  return chosen.name == "full" || chosen.placement == shown.answer.paper.placement;
}

std::string steps_text(const ShownPlacement& shown, std::size_t width) {
  std::string text = report::wrapped(kSelection, width, "  ");
  for (const std::string& line : shown.answer.paper.explanation) {
    std::string filled = report::wrapped(line, width, "    ");
    if (filled.empty() || filled.back() != '\n') filled += '\n';
    text += filled;
  }
  return text;
}

std::string burden_in_words(const ShownPlacement& shown) {
  return fmt::format(
      "burden: what the messages of a process would take on the slowest way between {}s, each "
      "partner counted up to the median channel; not a prediction",
      unit_of_hosts(shown));
}

/// What the replay of the trace predicts, of the chosen placement and of the first.
std::string predicted_text(const ShownPlacement& shown) {
  const Candidate& chosen = shown.answer.candidates[shown.chosen];
  const Time sequential = shown.answer.candidates[0].predicted;
  if (chosen.predicted == Time{} || sequential == Time{}) {
    return "the profile has no messages that take time: every placement is as good";
  }
  return fmt::format(
      "predicted {}, {:.2f} x as fast as sequential placement ({}){}", rounded(chosen.predicted),
      gain(shown, chosen), rounded(sequential),
      shown.problem.inventory->has_assumed_figures ? "; links are assumed, see the note" : "");
}

}  // namespace

std::string place_text(const ShownPlacement& shown, const report::Canvas& canvas) {
  std::string text = paint(
      fmt::format(
          "{} processes of {} on {}", shown.problem.size(), shown.problem.profile->name,
          shown.problem.inventory->name.empty() ? "the inventory" : shown.problem.inventory->name),
      report::Style::Bold, canvas);
  text += "\n" + predicted_text(shown) + "\n\n";
  text += picture(shown, canvas);
  if (shown.problem.size() <= 64) {
    text += "\n" + report::to_text(process_table(shown), canvas);
    text += report::wrapped(burden_in_words(shown), canvas.width, "");
  }
  text += "\n" + report::to_text(candidate_table(shown), canvas);
  text += "\nWhy\n" + crossing_text(shown, canvas.width);
  if (text.back() != '\n') text += '\n';
  if (is_by_steps(shown)) {
    text += steps_text(shown, canvas.width);
  } else if (shown.answer.is_replayed) {
    text += report::wrapped(kShortest, canvas.width, "  ");
  }
  if (!shown.answer.is_replayed) {
    text += "  The trace is too long to be replayed: times are sums over channels.\n";
  }
  return text + "\n" + shown.launch + "\n";
}

std::string place_json(const ShownPlacement& shown) {
  Json json;
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

}  // namespace espalier::cli
