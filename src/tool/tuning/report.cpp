#include "tuning/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/json.hpp"
#include "base/units.hpp"
#include "lab/hosts.hpp"

namespace espalier::tuning {
namespace {

using report::Align;
using report::Decimal;

double ratio(Time a, Time b) {
  return static_cast<double>(a.picoseconds) /
         static_cast<double>(std::max<std::int64_t>(b.picoseconds, 1));
}

const ScopeRules* rules_of_all(const Tuning& tuning) {
  return tuning.scopes.empty() ? nullptr : &tuning.scopes.front();
}

/// Which part of the preload's gain the file has, by the ratios' logarithms: 1 is all of it.
std::optional<double> share_of_gain(const Tuning& tuning) {
  double file = 0, preload = 0;
  const ScopeRules* all = rules_of_all(tuning);
  if (all == nullptr) return std::nullopt;
  for (const OperationRules& rules : all->operations) {
    for (const SizeRule& row : rules.rows) {
      if (row.native == kForever) continue;
      file += std::log(ratio(row.native, row.tuned));
      preload += std::log(ratio(row.native, row.preloaded.value_or(row.native)));
    }
  }
  if (preload <= 0) return std::nullopt;
  return file / preload;
}

bool has_unknown(const Tuning& tuning) {
  const ScopeRules* all = rules_of_all(tuning);
  if (all == nullptr) return false;
  if (std::any_of(tuning.of_first.begin(), tuning.of_first.end(), has_unknown)) return true;
  return std::any_of(all->operations.begin(), all->operations.end(), [](const auto& rules) {
    return std::any_of(rules.rows.begin(), rules.rows.end(),
                       [](const SizeRule& row) { return row.native == kForever; });
  });
}

/// "12 ranks, 3 hosts"
std::string counts(const Tuning& tuning) {
  return fmt::format(
      "{}{}", report::counted(tuning.ranks, "rank"),
      tuning.hosts == 0 ? "" : fmt::format(", {}", report::counted(tuning.hosts, "host")));
}

Json share_json(const Tuning& tuning) {
  const auto share = share_of_gain(tuning);
  return share ? Json(*share) : Json();
}

bool is_host_name(std::string_view name) {
  return !name.empty() && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
         });
}

const std::string& own_name(const topology::Machine& machine, const topology::Member& place) {
  return place.is_leaf ? machine.leaf_name(place.id) : machine.clusters()[place.id].name;
}

/// What launchers call the hosts: their own names in the machine. If one host has none, or two have
/// the same, all are called as in a lab.
std::vector<std::string> launcher_names(const topology::Machine& machine,
                                        const std::vector<lab::LabHost>& hosts) {
  std::vector<std::string> own, of_lab;
  for (const lab::LabHost& host : hosts) {
    own.push_back(own_name(machine, host.place));
    of_lab.push_back(host.name);
  }
  const std::set<std::string> different(own.begin(), own.end());
  const bool are_usable =
      different.size() == own.size() && std::all_of(own.begin(), own.end(), is_host_name);
  return are_usable ? own : of_lab;
}

std::string host_loss_text(const Tuning& tuning) {
  std::string text;
  for (const HostLoss& loss : tuning.host_losses) {
    text +=
        fmt::format("  {} of {}: {} instead of {} on one host\n", name_of(loss.operation),
                    to_string(Bytes{loss.bytes}), rounded(loss.tuned, 3), rounded(loss.native, 3));
  }
  return text;
}

}  // namespace

std::string describe(const SizeRule& rule) {
  const NativeAlgorithm* algorithm = rule.choice.algorithm;
  const std::string_view where = rule.by_host ? "leaders of hosts: " : "";
  if (algorithm == nullptr) return fmt::format("{}as it is", where);
  std::string text =
      fmt::format("{}{}", where, algorithm->helper.empty() ? algorithm->name : algorithm->helper);
  if (rule.choice.fan != 0) text += fmt::format(", fan {}", rule.choice.fan);
  if (rule.choice.segment != 0) text += ", " + to_string(Bytes{rule.choice.segment});
  return text;
}

report::Table decisions_table(const Tuning& tuning) {
  report::Table table;
  table.columns = {{"operation", "operation"},
                   {"bytes", "bytes", Align::Right},
                   {"native_ps", "native", Align::Right},
                   {"tuned_ps", "with file", Align::Right},
                   {"gain", "gain", Align::Right},
                   {"preloaded_ps", "preload", Align::Right},
                   {"algorithm", "algorithm"}};
  const ScopeRules* all = rules_of_all(tuning);
  if (all == nullptr) return table;
  for (const OperationRules& rules : all->operations) {
    for (const SizeRule& row : rules.rows) {
      report::Cell preloaded;
      if (row.preloaded) preloaded = report::Cell(*row.preloaded);
      const bool is_known = row.native != kForever;
      const auto if_known = [&](report::Cell cell) { return is_known ? cell : report::Cell(); };
      table.rows.push_back({std::string(name_of(rules.operation)),
                            static_cast<std::int64_t>(row.bytes), if_known(row.native),
                            if_known(row.tuned), if_known(Decimal{ratio(row.native, row.tuned), 2}),
                            preloaded, describe(row)});
    }
  }
  return table;
}

std::string export_text(const Export& all, const report::Canvas& canvas) {
  const Tuning& tuning = all.tuning;
  std::string text =
      fmt::format("{} on {}; times are predicted, with root 0\n\n", all.format, counts(tuning));
  text += report::to_text(decisions_table(tuning), canvas);
  std::string notes =
      "native: what the library takes itself, in its own trees; espalier plan --mpi tells it by "
      "formulas, so its figures are near, not the same\n"
      "preload: with Espalier's library; empty: it leaves the call native\n";
  if (has_unknown(tuning)) {
    notes += "native empty: it is not known what the library does there, and that stays\n";
  }
  if (const auto share = share_of_gain(tuning)) {
    notes += fmt::format(
        "\nThe file has {:.0f} % of the preload's gain on a log scale: the sum over the table of "
        "log(native / with file), beside that of log(native / preload). The rest needs trees over "
        "the levels of the machine, segments that cross them, and a choice for each "
        "communicator.\n",
        100 * *share);
  }
  text += report::fitted(notes, canvas);
  for (const Tuning& first : tuning.of_first) {
    text += fmt::format("\nthe first {}\n\n", counts(first));
    text += report::to_text(decisions_table(first), canvas);
  }
  if (!tuning.host_losses.empty()) {
    text += report::fitted(
                "\nRules know communicators by size only. Ranks of one host have as many as others "
                "that were tuned, and lose at worst:\n",
                canvas) +
            host_loss_text(tuning);
  }
  for (const std::string& note : all.notes) {
    text += report::fitted(fmt::format("\n{}\n", note), canvas);
  }
  text += fmt::format("\nTo use it:\n{}", all.settings);
  return text;
}

std::string export_json(const Export& all) {
  Json files = Json::array(), losses = Json::array(), of_first = Json::array();
  for (const TuningFile& file : all.files)
    files.push_back({{"name", file.name}, {"text", file.text}});
  for (const HostLoss& loss : all.tuning.host_losses) {
    losses.push_back({{"operation", name_of(loss.operation)},
                      {"bytes", loss.bytes},
                      {"native_ps", loss.native.picoseconds},
                      {"tuned_ps", loss.tuned.picoseconds}});
  }
  for (const Tuning& first : all.tuning.of_first) {
    of_first.push_back({{"ranks", first.ranks},
                        {"hosts", first.hosts},
                        {"decisions", report::to_json(decisions_table(first))},
                        {"share_of_gain", share_json(first)}});
  }
  const Json document{{"format", "espalier-export-1"},
                      {"for", all.format},
                      {"ranks", all.tuning.ranks},
                      {"hosts", all.tuning.hosts},
                      {"decisions", report::to_json(decisions_table(all.tuning))},
                      {"share_of_gain", share_json(all.tuning)},
                      {"of_first", std::move(of_first)},
                      {"host_losses", std::move(losses)},
                      {"notes", all.notes},
                      {"settings", all.settings},
                      {"files", std::move(files)}};
  return document.dump(2) + "\n";
}

std::string rank_order_file(const topology::Machine& machine, select::NativeMpi mpi) {
  const auto hosts = lab::hosts_of(machine);
  if (!hosts) return "";
  const std::vector<std::string> names = launcher_names(machine, *hosts);
  const std::vector<std::size_t> host_of = lab::host_of_rank(*hosts, machine.size());
  std::vector<Rank> used(hosts->size());
  std::string text;
  for (Rank rank = 0; rank < machine.size();) {
    const std::string& name = names[host_of[rank]];
    if (mpi == select::NativeMpi::OpenMpi) {
      text += fmt::format("rank {}={} slot={}\n", rank, name, used[host_of[rank]]++);
      ++rank;
      continue;
    }
    Rank end = rank + 1;
    while (end < machine.size() && host_of[end] == host_of[rank]) ++end;
    text += fmt::format("{}:{}\n", name, end - rank);
    rank = end;
  }
  return text;
}

std::string counted_host_name(const topology::Machine& machine) {
  const auto hosts = lab::hosts_of(machine);
  if (!hosts) return "";
  const std::vector<std::string> names = launcher_names(machine, *hosts);
  const auto is_counted = [&](std::size_t host) {
    const std::string_view name = names[host];
    const topology::Member& place = (*hosts)[host].place;
    if (name != own_name(machine, place)) return true;
    if (!place.is_leaf && place.id == 0) return false;
    const std::uint32_t level = place.is_leaf
                                    ? machine.clusters()[machine.cluster_of(place.id)].depth
                                    : machine.clusters()[place.id].depth - 1;
    const std::string& word = machine.levels()[level].members;
    return name.starts_with(word) &&
           name.find_first_not_of("0123456789", word.size()) == std::string_view::npos;
  };
  for (std::size_t host = 0; host < names.size(); ++host) {
    if (!is_counted(host)) return "";
  }
  return names.front();
}

}  // namespace espalier::tuning
