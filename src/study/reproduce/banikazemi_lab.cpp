#include "reproduce/banikazemi_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/random.hpp"
#include "report/plot.hpp"
#include "reproduce/findings.hpp"
#include "topology/readers.hpp"

namespace espalier::reproduce {
namespace {

using measure::Bench;
using measure::MeasuredCall;
using report::Align;
using report::Cell;
using report::Decimal;
using schedule::Operation;

constexpr Rank kHosts = 16;
constexpr Rank kMembers = 8;
constexpr Rank kFew = 4;
// Half of the paper's round trips, 1380 and 2960 us: a ratio of 2.15.
constexpr int kFastUs = 690;
constexpr int kSlowUs = 1480;

std::vector<std::uint64_t> sizes(bool quick) {
  return quick ? std::vector<std::uint64_t>{4, 4096}
               : std::vector<std::uint64_t>{4, 256, 1024, 4096};
}

/// For each size: both sources, first among all, then among the members; then, if half of all hosts
/// are fast, among four from the fast source.
std::vector<MeasuredCall> calls_of(const Placement& placement, bool quick) {
  std::vector<MeasuredCall> calls;
  for (const bool multicast : {false, true}) {
    for (const Rank root : {placement.fast_source, placement.random_source}) {
      for (const std::uint64_t size : sizes(quick)) {
        calls.push_back({Operation::Broadcast, Bytes{size}, root,
                         multicast ? placement.members : std::vector<Rank>{}});
      }
    }
  }
  for (const std::uint64_t size :
       placement.four.empty() ? std::vector<std::uint64_t>{} : sizes(quick)) {
    calls.push_back({Operation::Broadcast, Bytes{size}, placement.fast_source, placement.four});
  }
  return calls;
}

/// Sums over placements of the medians under each stack, in the order of the stacks.
struct Sums {
  std::array<double, 4> us{};
  double best_spoc = 0;
  double best_fnf = 0;
  std::uint64_t wrong = 0;
};
enum StackIndex : std::size_t { kNative, kSpoc, kFnf, kChosen };

/// Nodes that take part, fast ones among them, whether the source is one, bytes.
using Key = std::tuple<Rank, Rank, bool, std::uint64_t>;

void add(std::map<Key, Sums>& rows, const Bench& bench, Rank fast, bool quick) {
  const std::size_t of_a_source = sizes(quick).size();
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    const auto members = static_cast<Rank>(bench.calls[c].members.size());
    const bool fast_source = c / of_a_source % 2 == 0;
    const Rank nodes = members == 0 ? kHosts : members;
    Sums& sums = rows[{nodes,
                       nodes == kHosts ? fast
                       : nodes == kFew ? kFew / 2
                                       : fast / 2,
                       !fast_source, bench.calls[c].size.value}];
    std::array<double, 4> us{};
    for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
      us[s] = bench.measured[s][c].summary.median;
      sums.us[s] += us[s];
      sums.wrong += bench.measured[s][c].wrong;
    }
    sums.best_spoc = std::max(sums.best_spoc, us[kNative] / us[kSpoc]);
    sums.best_fnf = std::max(sums.best_fnf, us[kNative] / us[kFnf]);
  }
}

report::Column number_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, false};
}

Exhibit exhibit_of(const std::map<Key, Sums>& rows, int placements,
                   const LabStudyOptions& options) {
  Exhibit exhibit;
  exhibit.key = "figures4to6";
  exhibit.title =
      fmt::format("Figures 4 to 6: {} hosts, sends that cost {} or {} us; mean latencies in us",
                  kHosts, kFastUs, kSlowUs);
  exhibit.table.columns = {number_column("nodes", "nodes"),
                           number_column("fast", "fast"),
                           {"source", "source", Align::Left, false},
                           number_column("size_bytes", "size"),
                           number_column("native_us", title_of_mpi(options.mpi)),
                           number_column("spoc_us", "SPOC"),
                           number_column("fnf_us", "FNF"),
                           number_column("chosen_us", "choice"),
                           number_column("spoc_factor", "SPOC x"),
                           number_column("fnf_factor", "FNF x"),
                           number_column("best_spoc_factor", "best SPOC x"),
                           number_column("best_fnf_factor", "best FNF x")};
  report::BarChart chart;
  chart.title = "Factor over the MPI's own broadcast, fast source, 4 bytes";
  chart.value.title = "factor";
  chart.series = {"SPOC", "FNF"};
  chart.reference = report::Reference{1, "the MPI itself"};
  std::map<Rank, std::pair<double, double>> best;  // number of nodes -> factors of SPOC and FNF
  for (const auto& row : rows) {
    const auto [nodes, fast, random, size] = row.first;
    const auto& sums = row.second;
    const bool is_right = sums.wrong == 0;
    const auto cell = [&](double value, int digits) -> Cell {
      if (!is_right) return {"WRONG", report::Style::Bad};
      return Decimal{value, digits};
    };
    const auto mean = [&](std::size_t s) { return cell(sums.us[s] / placements, 0); };
    exhibit.table.rows.push_back(
        {std::int64_t{nodes}, std::int64_t{fast}, std::string(random ? "random" : "fast"),
         static_cast<std::int64_t>(size), mean(kNative), mean(kSpoc), mean(kFnf), mean(kChosen),
         cell(sums.us[kNative] / sums.us[kSpoc], 2), cell(sums.us[kNative] / sums.us[kFnf], 2),
         cell(sums.best_spoc, 2), cell(sums.best_fnf, 2)});
    if (!is_right) continue;
    if (!random && size == 4) {
      chart.groups.push_back(
          {fmt::format("{} hosts, {} fast", nodes, fast),
           {sums.us[kNative] / sums.us[kSpoc], sums.us[kNative] / sums.us[kFnf]}});
    }
    best[nodes].first = std::max(best[nodes].first, sums.best_spoc);
    best[nodes].second = std::max(best[nodes].second, sums.best_fnf);
  }
  if (!chart.groups.empty()) exhibit.svg = report::bar_chart(chart);
  exhibit.notes = {
      fmt::format("Measured with {} in a lab, one rank a host; {}; means over {} random "
                  "placement{} of the fast hosts (seed {}). x: factor over the MPI's own "
                  "broadcast; best: of a single placement. choice: the plan that Espalier takes.",
                  title_of_mpi(options.mpi), description_of(measure::Clocks::Shared), placements,
                  placements == 1 ? "" : "s", options.seed),
      "Figure 4: 16 nodes; Figure 5: 8 nodes; Figure 6: 4, 8 and 16 nodes, half of them fast.",
      "The paper measured up to 1.7 (SPOC, half fast), 2.3 (FNF) and 2.5 (8-node multicast)."};
  if (best.count(kHosts) > 0 && best.count(kMembers) > 0) {
    exhibit.notes.back() += fmt::format(
        " Here: broadcast up to {:.1f} (SPOC) and {:.1f} (FNF), multicast up to {:.1f} and {:.1f}.",
        best[kHosts].first, best[kHosts].second, best[kMembers].first, best[kMembers].second);
  } else {
    exhibit.notes.back() += " Here a broadcast or the multicasts have no right figure.";
  }
  return exhibit;
}

}  // namespace

topology::Machine lab_testbed(const std::vector<Rank>& fast) {
  std::string costs;
  for (Rank r = 0; r < kHosts; ++r) {
    const bool is_fast = std::find(fast.begin(), fast.end(), r) != fast.end();
    costs += fmt::format("{}{}us", r == 0 ? "" : "|", is_fast ? kFastUs : kSlowUs);
  }
  return topology::parse_synthetic(
             fmt::format("node:{}(50us,155Mbit/s,name=lan,send={})", kHosts, costs))
      .value();
}

Placement random_placement(std::uint64_t seed, Rank fast_count) {
  Random rng(seed);
  std::vector<Rank> hosts(kHosts);
  std::iota(hosts.begin(), hosts.end(), Rank{0});
  rng.shuffle(std::span(hosts));
  Placement placement;
  const auto slow = hosts.begin() + fast_count;
  placement.fast.assign(hosts.begin(), slow);
  placement.members.assign(hosts.begin(), hosts.begin() + fast_count / 2);
  placement.members.insert(placement.members.end(), slow, slow + kMembers - fast_count / 2);
  placement.fast_source = placement.members.front();
  if (2 * fast_count == kHosts) {
    placement.four.assign(hosts.begin(), hosts.begin() + kFew / 2);
    placement.four.insert(placement.four.end(), slow, slow + kFew / 2);
    std::sort(placement.four.begin(), placement.four.end());
  }
  placement.random_source = placement.members[rng.below(kMembers)];
  std::sort(placement.fast.begin(), placement.fast.end());
  std::sort(placement.members.begin(), placement.members.end());
  return placement;
}

namespace {

/// Stacks in the order of StackIndex.
std::vector<measure::Stack> testbed_stacks(const std::string& mpi) {
  return {native_stack(mpi), espalier_stack("spoc", "SPOC", mpi, "spoc"),
          espalier_stack("fnf", "FNF", mpi, "fnf"),
          espalier_stack("chosen", "Espalier's choice", mpi, "")};
}

/// Short broadcasts among 16 hosts, half of them fast, by both ways of measuring.
Expected<Exhibit> ack_exhibit(const LabStudyOptions& options, const MeasureOnLab& measure) {
  const Placement placement = random_placement(options.seed, kHosts / 2);
  std::vector<MeasuredCall> calls;
  for (const std::uint64_t size : sizes(options.quick)) {
    calls.push_back({Operation::Broadcast, Bytes{size}, placement.fast_source, {}});
  }
  LabRequest request{lab_testbed(placement.fast), testbed_stacks(options.mpi), calls,
                     options.quick ? 5 : 9};
  const auto shared = measure(request);
  if (!shared) return shared.error();
  request.clocks = measure::Clocks::Acknowledged;
  request.repeats = options.quick ? 3 : 10;
  const auto acknowledged = measure(request);
  if (!acknowledged) return acknowledged.error();
  Exhibit exhibit;
  exhibit.key = "ack";
  exhibit.title = "Two ways to measure a broadcast among 16 hosts, half of them fast; us";
  exhibit.table.columns = {number_column("size_bytes", "size"),
                           {"trees", "trees", Align::Left, false},
                           number_column("shared_us", "median, common clock"),
                           number_column("ack_us", "least, acknowledged")};
  for (std::size_t c = 0; c < calls.size(); ++c) {
    for (std::size_t s = 0; s < request.stacks.size(); ++s) {
      const measure::MeasuredTimes& acked = acknowledged->measured[s][c];
      exhibit.table.rows.push_back({static_cast<std::int64_t>(calls[c].size.value),
                                    request.stacks[s].title, time_cell(shared->measured[s][c], 1),
                                    acked.wrong != 0
                                        ? Cell("WRONG", report::Style::Bad)
                                        : Cell(Decimal{acked.time_us(measure::Taken::Least), 0})});
    }
  }
  exhibit.notes = {fmt::format(
      "Measured with {} in a lab. Section 7.1.2 of the paper: one receiver at a time acknowledges, "
      "the root's clock less half a round trip, the latest receiver, the least of 100 repetitions; "
      "here of {}.",
      title_of_mpi(options.mpi), request.repeats)};
  add_notes(exhibit, banikazemi_ack_findings(exhibit.table));
  return exhibit;
}

Expected<Exhibit> testbed_exhibit(const LabStudyOptions& options, const MeasureOnLab& measure) {
  const int placements = options.quick ? 1 : 3;
  std::map<Key, Sums> rows;
  for (const Rank fast : {2U, 4U, 8U}) {
    for (int p = 0; p < placements; ++p) {
      const Placement placement =
          random_placement(options.seed + static_cast<std::uint64_t>(p), fast);
      const LabRequest request{lab_testbed(placement.fast), testbed_stacks(options.mpi),
                               calls_of(placement, options.quick), options.quick ? 5 : 7};
      const auto bench = measure(request);
      if (!bench) return bench.error();
      add(rows, *bench, fast, options.quick);
    }
  }
  return exhibit_of(rows, placements, options);
}

}  // namespace

Expected<std::vector<Exhibit>> banikazemi_on_lab(const LabStudyOptions& options,
                                                 const MeasureOnLab& measure) {
  std::vector<Exhibit> exhibits;
  const auto add = [&](const char* part, auto make) -> std::optional<Error> {
    if (!wants(options, part)) return std::nullopt;
    auto made = make(options, measure);
    if (!made) return made.error();
    exhibits.push_back(*std::move(made));
    return std::nullopt;
  };
  if (auto failed = add("figures4to6", testbed_exhibit)) return *failed;
  if (auto failed = add("ack", ack_exhibit)) return *failed;
  return exhibits;
}

}  // namespace espalier::reproduce
