#include "reproduce/karonis_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"
#include "report/plot.hpp"
#include "topology/readers.hpp"

namespace espalier::reproduce {
namespace {

using measure::Bench;
using measure::MeasuredCall;
using measure::Stack;
using report::Align;
using report::Cell;
using report::Decimal;

constexpr Rank kPaperProcesses = 16;
// With 12 a core, 24 ranks on 2 cores, Figures 7 and 9 alone took more than 14 minutes.
constexpr unsigned kRanksACore = 6;
constexpr unsigned kMachines = 3;
// With every rank as root in turn, time grows with the square of their number.
constexpr Rank kManyLabRanks = 24;

/// Without costs of sending and receiving, which processes here have by themselves.
topology::Machine grid(Rank processes, bool wide) {
  const char* above = wide ? "site:2(30ms,100Mbit/s,name=wan) machine:1|2" : "machine:2";
  return topology::parse_synthetic(
             fmt::format("{}(500us,1Gbit/s,name=lan) proc:{}(5us,10Gbit/s)", above, processes))
      .value();
}

std::vector<MeasuredCall> broadcasts(bool quick) {
  std::vector<MeasuredCall> calls;
  // Some broadcasts of MPICH take 2 s with 256 KiB already, and every rank is the root in turn.
  for (std::uint64_t bytes = 1024; bytes <= (1U << 18U); bytes *= quick ? 16 : 4) {
    calls.push_back({schedule::Operation::Broadcast, Bytes{bytes}, measure::kEveryRoot, {}});
  }
  return calls;
}

/// The paper's own baseline on our transport: what is gained without knowing the machine.
Stack blind(const std::string& mpi) {
  return espalier_stack("blind", "binomial by rank", mpi, "binomial");
}
Stack blind_in_segments(const std::string& mpi) {
  return espalier_stack("segments", "the same in 4 KiB", mpi, "binomial 4 KiB");
}
Stack multilevel(const std::string& mpi) {
  return espalier_stack("multilevel", "multilevel", mpi, "multilevel flat/binomial");
}
Stack chosen(const std::string& mpi) {
  return espalier_stack("chosen", "Espalier's choice", mpi, "");
}
Stack two_level(const char* by, int depth, const std::string& mpi) {
  return espalier_stack(fmt::format("magpie_{}", by), fmt::format("two-level, {}", by), mpi,
                        fmt::format("two-level at depth {} flat/binomial", depth));
}

/// Some curves of what was measured.
Exhibit figure(std::string key, std::string title, const Bench& bench,
               const std::vector<std::string>& curves) {
  Exhibit exhibit;
  exhibit.key = std::move(key);
  exhibit.title = title;
  exhibit.table.columns = {{"size_bytes", "", Align::Right, false},
                           {"", "size", Align::Right, false},
                           {"bound_ms", "bound", Align::Right, false}};
  report::LineChart chart{std::move(title), {}, {}, {}, 760, 440};
  chart.x = {"message", report::Scale::Log, report::Unit::Bytes, false};
  chart.y = {"mean broadcast time over all roots", report::Scale::Log, report::Unit::Seconds,
             false};
  std::vector<std::size_t> shown;
  for (std::size_t s = 0; s < bench.stacks.size(); ++s) {
    if (std::find(curves.begin(), curves.end(), bench.stacks[s].key) == curves.end()) continue;
    shown.push_back(s);
    exhibit.table.columns.push_back(
        {bench.stacks[s].key + "_ms", bench.stacks[s].title, Align::Right, false});
    chart.series.push_back({bench.stacks[s].title, {}, false});
  }
  chart.series.push_back({"lower bound", {}, true});
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    const double bytes = static_cast<double>(bench.calls[c].size.value);
    std::vector<Cell> row{static_cast<std::int64_t>(bench.calls[c].size.value),
                          to_string(bench.calls[c].size),
                          Decimal{to_microseconds(bench.bounds[c]) / 1e3, 2}};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const measure::MeasuredTimes& m = bench.measured[shown[i]][c];
      row.push_back(time_cell(m, 1e3));
      const double gap = std::numeric_limits<double>::quiet_NaN();
      chart.series[i].points.push_back({bytes, m.wrong == 0 ? m.summary.median / 1e6 : gap});
    }
    chart.series.back().points.push_back({bytes, to_seconds(bench.bounds[c])});
    exhibit.table.rows.push_back(std::move(row));
  }
  exhibit.svg = report::line_chart(chart);
  return exhibit;
}

/// At how many sizes the first of these curves is below all others; wrong results have no time.
std::size_t sizes_won(const Bench& bench, const std::string& key,
                      const std::vector<std::string>& others) {
  const auto find = [&](const std::string& wanted) {
    const auto it = std::find_if(bench.stacks.begin(), bench.stacks.end(),
                                 [&](const Stack& s) { return s.key == wanted; });
    return static_cast<std::size_t>(it - bench.stacks.begin());
  };
  std::size_t won = 0;
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    const measure::MeasuredTimes& ours = bench.measured[find(key)][c];
    won += ours.wrong == 0 && std::all_of(others.begin(), others.end(), [&](const auto& other) {
             const measure::MeasuredTimes& theirs = bench.measured[find(other)][c];
             return theirs.wrong > 0 || ours.summary.median < theirs.summary.median;
           });
  }
  return won;
}

/// The geometric mean over all sizes of how many times as long one stack takes as another; over
/// those at which both computed rightly, NaN if there is none.
double times_as_long(const Bench& bench, const std::string& slow, const std::string& fast) {
  const auto of = [&](const std::string& key) -> const std::vector<measure::MeasuredTimes>& {
    const auto it = std::find_if(bench.stacks.begin(), bench.stacks.end(),
                                 [&](const Stack& s) { return s.key == key; });
    return bench.measured[static_cast<std::size_t>(it - bench.stacks.begin())];
  };
  double sum = 0;
  int right = 0;
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    if (of(slow)[c].wrong > 0 || of(fast)[c].wrong > 0) continue;
    sum += std::log(of(slow)[c].summary.median / of(fast)[c].summary.median);
    ++right;
  }
  return right == 0 ? std::numeric_limits<double>::quiet_NaN() : std::exp(sum / right);
}

/// What of the gain is the transport, what pipelining, what topology.
std::string shares_of_gain(const Bench& bench, const std::string& mpi, int repeats) {
  if (repeats == 1) {
    return fmt::format(
        "One round decides nothing: a moment in which this computer was busy looks like a slow "
        "algorithm. So no factors are told. There are two rounds without --quick and with at most "
        "{} ranks.",
        kManyLabRanks);
  }
  if (std::isnan(times_as_long(bench, "native", "blind") +
                 times_as_long(bench, "blind", "segments") +
                 times_as_long(bench, "blind", "multilevel") +
                 times_as_long(bench, "segments", "chosen"))) {
    return "What of the gain is topology cannot be told: some stack has no right result.";
  }
  return fmt::format(
      "Over all sizes (geometric means) {} itself takes {:.2f} times as long as the binomial tree "
      "by rank on our transport, which knows nothing of the machine. Of the rest, pipelining "
      "without topology is a factor of {:.2f} (by rank, whole over in segments), topology without "
      "pipelining {:.2f} (by rank over multilevel), topology on top of pipelining {:.2f} (by rank "
      "in "
      "segments over Espalier's choice).",
      title_of_mpi(mpi), times_as_long(bench, "native", "blind"),
      times_as_long(bench, "blind", "segments"), times_as_long(bench, "blind", "multilevel"),
      times_as_long(bench, "segments", "chosen"));
}

/// @param wide whether there are two sites
std::string setting(const LabStudyOptions& options, Rank processes, Rank ranks, bool wide,
                    int repeats) {
  return fmt::format(
      "Measured with {} in a lab of {} ranks, {} on each machine{}; ms. {}500 us and 1 Gbit/s "
      "between machines, this computer's memory inside one (the paper does not state its networks' "
      "figures). Each time: the mean over all processes as "
      "root, the median of {} round{}, {}.",
      title_of_mpi(options.mpi), ranks, processes,
      processes == kPaperProcesses ? std::string(", as in the paper")
      : options.processes
          ? std::string(" where the paper has 16, as asked for")
          : fmt::format(" where the paper has 16, since {} cores bear no more ({} ranks a core)",
                        options.cores, kRanksACore),
      wide ? "30 ms and 100 Mbit/s between the sites, " : "", repeats, repeats == 1 ? "" : "s",
      description_of(measure::Clocks::Shared));
}

}  // namespace

Rank processes_a_machine(unsigned cores) {
  const Rank bearable = cores * kRanksACore / kMachines;
  return std::clamp<Rank>(bearable, 4, kPaperProcesses);
}

std::string karonis_lab_takes_long(const LabStudyOptions& options) {
  const Rank ranks = kMachines * options.processes.value_or(processes_a_machine(options.cores));
  if (ranks <= kManyLabRanks) return "";
  return fmt::format(
      "all of {} ranks are the root in turn, which may take more than 15 minutes; --processes 4 "
      "and --quick take less",
      ranks);
}

Expected<std::vector<Exhibit>> karonis_on_lab(const LabStudyOptions& options,
                                              const MeasureOnLab& measure) {
  const Rank processes = options.processes.value_or(processes_a_machine(options.cores));
  const bool is_long = kMachines * processes > kManyLabRanks;
  const int repeats = options.quick || is_long ? 1 : 2;
  const std::vector<MeasuredCall> calls = broadcasts(options.quick);
  const std::vector<std::string> against{"native", "blind", "segments", "multilevel", "chosen"};
  const std::vector<std::string> all{"native",      "blind",      "segments", "magpie_machine",
                                     "magpie_site", "multilevel", "chosen"};
  std::vector<Exhibit> exhibits;
  const auto add = [&](Exhibit exhibit, const LabRequest& request, const Bench& bench,
                       const std::vector<std::string>& others) {
    exhibit.notes = {
        setting(options, processes, request.machine.size(), exhibit.key != "figure8", repeats),
        fmt::format("The paper measured multilevel as the lowest of its curves at every size. Here "
                    "it is the lowest of them at {} of {} sizes; Espalier's choice is below all of "
                    "them at {}.",
                    sizes_won(bench, "multilevel", others), bench.calls.size(),
                    sizes_won(bench, "chosen",
                              [&] {
                                auto peers = others;
                                peers.emplace_back("multilevel");
                                peers.emplace_back("segments");
                                return peers;
                              }())),
        shares_of_gain(bench, options.mpi, repeats)};
    exhibits.push_back(std::move(exhibit));
  };
  if (wants(options, "figure7") || wants(options, "figure9")) {
    LabRequest request{
        grid(processes, true),
        {native_stack(options.mpi), blind(options.mpi), blind_in_segments(options.mpi)},
        calls,
        repeats};
    if (wants(options, "figure9")) {
      request.stacks.push_back(two_level("machine", 2, options.mpi));
      request.stacks.push_back(two_level("site", 1, options.mpi));
    }
    request.stacks.push_back(multilevel(options.mpi));
    request.stacks.push_back(chosen(options.mpi));
    const auto bench = measure(request);
    if (!bench) return bench.error();
    if (wants(options, "figure7")) {
      add(figure("figure7", fmt::format("Figure 7: 3 x {} processes at two sites", processes),
                 *bench, against),
          request, *bench, {"native", "blind"});
    }
    if (wants(options, "figure9")) {
      add(figure("figure9",
                 fmt::format("Figure 9: 3 x {} processes at two sites, two-level trees and "
                             "multilevel",
                             processes),
                 *bench, all),
          request, *bench, {"native", "blind", "magpie_machine", "magpie_site"});
    }
  }
  if (wants(options, "figure8")) {
    const LabRequest request{
        grid(processes, false),
        {native_stack(options.mpi), blind(options.mpi), blind_in_segments(options.mpi),
         multilevel(options.mpi), chosen(options.mpi)},
        calls,
        repeats};
    const auto bench = measure(request);
    if (!bench) return bench.error();
    add(figure("figure8", fmt::format("Figure 8: 2 x {} processes at one site", processes), *bench,
               against),
        request, *bench, {"native", "blind"});
  }
  std::sort(exhibits.begin(), exhibits.end(),
            [](const Exhibit& a, const Exhibit& b) { return a.key < b.key; });
  return exhibits;
}

}  // namespace espalier::reproduce
