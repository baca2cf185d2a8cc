
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "base/contract.hpp"
#include "group/allgather_sort.hpp"
#include "group/blue_gene.hpp"
#include "report/plot.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/langer.hpp"

namespace espalier::reproduce {
namespace {

using group::Colour;
using group::Measurement;
using group::Scheme;
using report::Align;
using report::Cell;
using report::Decimal;

double milliseconds_of(Time time) { return 1e3 * to_seconds(time); }

/// What a formula of the paper's Table 2 gives for n processes, m = 0.6 n members and k = 3.
double stated_growth(std::string_view formula, Rank processes) {
  const double n = processes, m = 0.6 * n, log_n = std::log2(n);
  const std::pair<std::string_view, double> all[] = {{"1", 1},
                                                     {"n", n},
                                                     {"m", m},
                                                     {"log n", log_n},
                                                     {"log^2 n", log_n * log_n},
                                                     {"m + log n", m + log_n},
                                                     {"n + m log m", n + m * std::log2(m)},
                                                     {"n log n", n * log_n},
                                                     {"n + m", n + m},
                                                     {"n + 4 m + m/k", n + 4 * m + m / 3}};
  for (const auto& [known, value] : all) {
    if (known == formula) return value;
  }
  expects(false, "langer: a formula of Table 2 is not known");
  return 0;
}

/// The exponent of a power law through two measurements.
double exponent(double from, double to, double growth) {
  return std::log(to / from) / std::log(growth);
}

}  // namespace

Exhibit langer_table1(const PaperOptions& options) {
  const Rank processes = std::min<Rank>(32768, options.most_processes);
  struct Printed {
    Colour colours;
    double split, hashed;
  };
  const Printed printed[] = {
      {1, 134.968, 0.708}, {2, 106.573, 0.713}, {4, 96.989, 0.760}, {8, 93.536, 0.785}};
  std::vector<GroupRun> runs;
  for (Colour c = 1; c <= processes; c *= c < 8 ? 2 : 8) {
    runs.push_back(
        {Scheme::RankAndHashColours, paper_experiment(processes, 1'000'000, options.seed)});
    runs.back().experiment.colours = c;
  }
  const std::vector<Measurement> results = measure_all(runs);

  Exhibit exhibit;
  exhibit.key = "table1";
  exhibit.title = fmt::format("Table 1: splitting {} processes into c parts, ms", processes);
  exhibit.table.columns = {{"colours", "c", Align::Right, false},
                           {"paper_split_ms", "paper: split", Align::Right, false},
                           {"split_ms", "calibrated", Align::Right, false},
                           {"best_split_ms", "best allgather", Align::Right, false},
                           {"paper_rank_and_hash_ms", "paper: R&H", Align::Right, false},
                           {"rank_and_hash_ms", "R&H", Align::Right, false},
                           {"ratio", "x", Align::Right, false},
                           {"best_ratio", "x best", Align::Right, false},
                           {"peak_bytes", "bytes", Align::Right, false}};
  report::LineChart chart{exhibit.title, {}, {}, {}, 760, 440};
  chart.x = {"colours", report::Scale::Log, report::Unit::Number, false};
  chart.y = {"time", report::Scale::Log, report::Unit::Seconds, false};
  chart.series = {{"MPI_Comm_split, calibrated", {}, true},
                  {"best allgather and sort", {}, true},
                  {"rank-and-hash", {}, false}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Colour c = runs[i].experiment.colours;
    const Time split = group::calibrated_comm_split(processes, c);
    const Time best = group::best_comm_split(processes, c);
    const Time hashed = results[i].finish;
    const bool known = i < std::size(printed) && processes == 32768;
    exhibit.table.rows.push_back(
        {std::int64_t{c}, known ? Cell(Decimal{printed[i].split, 3}) : Cell(),
         Decimal{milliseconds_of(split), 3}, Decimal{milliseconds_of(best), 3},
         known ? Cell(Decimal{printed[i].hashed, 3}) : Cell(), Decimal{milliseconds_of(hashed), 3},
         Decimal{to_seconds(split) / to_seconds(hashed), 1},
         Decimal{to_seconds(best) / to_seconds(hashed), 1},
         static_cast<std::int64_t>(results[i].memory.peak)});
    const Time times[] = {split, best, hashed};
    for (std::size_t s = 0; s < 3; ++s) {
      chart.series[s].points.push_back({double(c), to_seconds(times[s])});
    }
  }
  exhibit.svg = report::line_chart(chart);
  exhibit.notes = {
      "calibrated: a ring allgather of n - 1 steps of 2.655 us and 95 ns (n/c) log2 (n/c) for the "
      "sort, "
      "fitted to the paper's four figures. best allgather: the same sort after Bruck's allgather "
      "of "
      "log2 n rounds.",
      "R&H: simulated; its parameters are fitted to the paper's first figure, the others follow. "
      "bytes: "
      "the most that one process holds.",
      "A real MPI_Comm_split is not among these figures: espalier reproduce langer --on here times "
      "it at the sizes that this computer bears."};
  add_notes(exhibit, langer_split_findings(exhibit.table));
  return exhibit;
}

Exhibit langer_table2(const PaperOptions& options) {
  struct Stated {
    Scheme scheme;
    const char *space, *time, *count, *size;
  };
  const Stated stated[] = {{Scheme::AllgatherSort, "n", "n + m log m", "n log n", "n"},
                           {Scheme::Centralized, "m", "m + log n", "n + m", "m"},
                           {Scheme::ShrinkAndBalance, "log n", "log^2 n", "n + m", "log n"},
                           {Scheme::RankAndHash, "1", "log n", "n + 4 m + m/k", "1"},
                           {Scheme::Chains, "1", "log n", "2 n log n", "1"},
                           {Scheme::ParallelSort, "sqrt n", "", "", "sqrt n"}};
  std::vector<GroupRun> runs;
  for (const Stated& row : stated) {
    // The allgather needs n^2 words for n processes, and can be no larger here.
    const bool quadratic = row.scheme == Scheme::AllgatherSort;
    const Rank from = quadratic ? 256 : 4096;
    const Rank to = quadratic ? 2048 : options.most_processes;
    for (const Rank n : {from, to})
      runs.push_back({row.scheme, paper_experiment(n, 600'000, options.seed)});
  }
  const std::vector<Measurement> results = measure_all(runs);
  Exhibit exhibit;
  exhibit.key = "table2";
  exhibit.title =
      "Table 2: growth from n to n', f = 0.6: exponents measured, beside what is stated";
  exhibit.table.columns = {{"scheme", "scheme", Align::Left, false},
                           {"from", "n", Align::Right, false},
                           {"to", "n'", Align::Right, false},
                           {"peak_bytes_from", "bytes", Align::Right, false},
                           {"peak_bytes_to", "bytes'", Align::Right, false},
                           {"space_exponent", "space", Align::Right, false},
                           {"space_stated", "stated", Align::Left, false},
                           {"time_exponent", "time", Align::Right, false},
                           {"time_stated", "stated", Align::Left, false},
                           {"count_exponent", "messages", Align::Right, false},
                           {"count_stated", "stated", Align::Left, false},
                           {"size_exponent", "largest", Align::Right, false},
                           {"size_stated", "stated", Align::Left, false}};
  for (std::size_t i = 0; i < std::size(stated); ++i) {
    const Measurement &small = results[2 * i], &large = results[2 * i + 1];
    const Rank from = runs[2 * i].experiment.processes, to = runs[2 * i + 1].experiment.processes;
    const double growth = double(to) / from;
    const auto of = [&](double a, double b) { return Decimal{exponent(a, b, growth), 2}; };
    // Chains and the parallel sort are of other papers, which this one cites.
    const bool is_of_paper =
        stated[i].scheme != Scheme::Chains && stated[i].scheme != Scheme::ParallelSort;
    const auto beside = [&](const char* what, const char* formula, double a, double b) {
      if (!is_of_paper) return;
      exhibit.stated.push_back(
          {fmt::format("{}: exponent of {}, stated O({})", name(stated[i].scheme), what, formula),
           exponent(a, b, growth),
           exponent(stated_growth(formula, from), stated_growth(formula, to), growth)});
    };
    beside("space", stated[i].space, double(small.memory.peak), double(large.memory.peak));
    beside("time", stated[i].time, to_seconds(small.made), to_seconds(large.made));
    beside("messages", stated[i].count, double(messages(small.traffic)),
           double(messages(large.traffic)));
    beside("the largest message", stated[i].size, double(small.traffic.largest_bytes),
           double(large.traffic.largest_bytes));
    exhibit.table.rows.push_back(
        {std::string(name(stated[i].scheme)), std::int64_t{from}, std::int64_t{to},
         static_cast<std::int64_t>(small.memory.peak), static_cast<std::int64_t>(large.memory.peak),
         of(double(small.memory.peak), double(large.memory.peak)), std::string(stated[i].space),
         of(to_seconds(small.made), to_seconds(large.made)), std::string(stated[i].time),
         of(double(messages(small.traffic)), double(messages(large.traffic))),
         std::string(stated[i].count),
         of(double(small.traffic.largest_bytes), double(large.traffic.largest_bytes)),
         std::string(stated[i].size)});
  }
  exhibit.notes = {
      "An exponent of 1 is growth with n, 0 none; log n over this range is 0.10 to 0.15, log^2 n "
      "0.2 to "
      "0.3. space: the most that any process holds at any time, counted, with the message at hand. "
      "time: until the last process is done, without the reduction."};
  return exhibit;
}

Exhibit langer_many(const PaperOptions& options) {
  const Rank processes = std::min(options.busy_processes, options.most_processes);
  const std::vector<std::uint32_t> counts{1, 2, 4, 8, 16};
  std::vector<GroupRun> runs;
  for (const std::uint32_t count : counts) {
    for (const Scheme scheme : paper_schemes()) {
      runs.push_back({scheme, paper_experiment(processes, 600'000, options.seed)});
      runs.back().experiment.groups = count;
    }
  }
  const std::vector<Measurement> results = measure_all(runs);
  Exhibit exhibit;
  exhibit.key = "many";
  exhibit.title =
      fmt::format("Many groups at once, {} processes, f = 0.6: ms until all are made", processes);
  exhibit.table.columns = {{"groups", "groups", Align::Right, false}};
  report::LineChart chart{exhibit.title, {}, {}, {}, 760, 440};
  chart.x = {"groups at once", report::Scale::Log, report::Unit::Number, false};
  chart.y = {"time", report::Scale::Log, report::Unit::Seconds, false};
  for (const Scheme scheme : paper_schemes()) {
    exhibit.table.columns.push_back(
        {key_of(scheme) + "_ms", std::string(name(scheme)), Align::Right, false});
    chart.series.push_back({std::string(name(scheme)), {}, false});
  }
  for (std::size_t i = 0; i < runs.size(); i += 3) {
    std::vector<Cell> row{std::int64_t{runs[i].experiment.groups}};
    for (std::size_t s = 0; s < 3; ++s) {
      row.emplace_back(Decimal{milliseconds_of(results[i + s].finish), 3});
      chart.series[s].points.push_back(
          {double(runs[i].experiment.groups), to_seconds(results[i + s].finish)});
    }
    exhibit.table.rows.push_back(std::move(row));
  }
  exhibit.svg = report::line_chart(chart);
  exhibit.notes = {
      "The paper expects an advantage of Shrink-and-Balance where many groups are made at a time, "
      "since "
      "it sends fewer messages. All groups here are made over the same tree, so the upper "
      "processes "
      "have the most to do in every scheme."};
  add_notes(exhibit, langer_fastest_findings(exhibit.table, "groups"));
  return exhibit;
}

Exhibit langer_traffic(const PaperOptions& options) {
  const Rank processes = std::min(options.busy_processes / 4, options.most_processes);
  std::vector<GroupRun> runs;
  const std::vector<std::uint32_t> loads{0, 20, 50, 80, 95};
  for (const std::uint32_t load : loads) {
    for (const Scheme scheme : paper_schemes()) {
      runs.push_back({scheme, paper_experiment(processes, 600'000, options.seed)});
      // A message of 1 KiB keeps processes for 20 us: 4.8 at either end, 2.7 of bytes, 7.7 of
      // words.
      runs.back().experiment.traffic = {load, milliseconds(2), Bytes{1024}};
    }
  }
  const std::vector<Measurement> results = measure_all(runs);
  Exhibit exhibit;
  exhibit.key = "traffic";
  exhibit.title = fmt::format(
      "Under other traffic, {} processes, f = 0.6: ms until the group is made", processes);
  exhibit.table.columns = {{"load_percent", "busy", Align::Right, false}};
  for (const Scheme scheme : paper_schemes()) {
    exhibit.table.columns.push_back(
        {key_of(scheme) + "_ms", std::string(name(scheme)), Align::Right, false});
  }
  for (std::size_t i = 0; i < runs.size(); i += 3) {
    const double busy = double(runs[i].experiment.traffic.per_process) * 20 / 2'000;
    std::vector<Cell> row{Decimal{100 * busy, 0}};
    for (std::size_t s = 0; s < 3; ++s) {
      row.emplace_back(Decimal{milliseconds_of(results[i + s].finish), 3});
    }
    exhibit.table.rows.push_back(std::move(row));
  }
  exhibit.notes = {
      "busy: how much of the time a process spends on messages of 1 KiB to and from random others, "
      "in "
      "per cent, for 2 ms from the beginning on. Links are not shared in this model: what costs "
      "time "
      "is waiting for a processor."};
  add_notes(exhibit, langer_fastest_findings(exhibit.table, "load_percent"));
  return exhibit;
}

}  // namespace espalier::reproduce
