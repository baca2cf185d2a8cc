
#include <fmt/format.h>

#include "report/plot.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/langer.hpp"

namespace espalier::reproduce {
namespace {

using group::Kind;
using group::Measurement;
using group::Scheme;
using report::Align;
using report::Cell;
using report::Decimal;

double fraction(std::uint64_t millionths) { return double(millionths) / 1e6; }

/// Messages that section 6 states at n = 131,072 and f = 0.6.
struct StatedMessages {
  Scheme scheme;
  double count;
};
constexpr Rank kStatedProcesses = 131'072;
constexpr StatedMessages kStatedMessages[] = {
    {Scheme::Centralized, 2.1e5}, {Scheme::ShrinkAndBalance, 2.6e5}, {Scheme::RankAndHash, 4.9e5}};

}  // namespace

Exhibit langer_figure3(const PaperOptions& options) {
  const std::vector<std::uint64_t> fractions{1'000,   10'000,  100'000, 300'000,
                                             600'000, 900'000, 990'000};
  std::vector<GroupRun> runs;
  for (const std::uint64_t f : fractions) {
    for (Rank n = 4096; n <= options.most_processes; n *= 2) {
      for (const Scheme scheme : paper_schemes()) {
        runs.push_back({scheme, paper_experiment(n, f, options.seed)});
      }
    }
  }
  const std::vector<Measurement> results = measure_all(runs);

  Exhibit exhibit;
  exhibit.key = "figure3";
  exhibit.title = "Figure 3: time to make a group, ms, over processes and the fraction of members";
  exhibit.table.columns = {{"fraction", "f", Align::Right, false},
                           {"processes", "processes", Align::Right, false},
                           {"members", "members", Align::Right, false}};
  report::LineChart chart{exhibit.title, {}, {}, {}, 760, 440};
  chart.x = {"processes", report::Scale::Log, report::Unit::Number, false};
  chart.y = {"time", report::Scale::Log, report::Unit::Seconds, false};
  for (const Scheme scheme : paper_schemes()) {
    const std::string title(name(scheme));
    exhibit.table.columns.push_back({key_of(scheme) + "_ms", title, Align::Right, false});
  }
  exhibit.table.columns.push_back({"fastest", "fastest", Align::Left, false});
  const std::size_t schemes = paper_schemes().size();
  for (std::size_t i = 0; i < runs.size(); i += schemes) {
    const auto& experiment = runs[i].experiment;
    std::vector<Cell> row{Decimal{fraction(experiment.millionths), 3},
                          std::int64_t{experiment.processes}, std::int64_t{results[i].members}};
    std::size_t best = i;
    for (std::size_t s = i; s < i + schemes; ++s) {
      row.emplace_back(Decimal{1e3 * to_seconds(results[s].finish), 3});
      if (results[s].finish < results[best].finish) best = s;
    }
    row.emplace_back(std::string(name(runs[best].scheme)));
    exhibit.table.rows.push_back(std::move(row));
    // Three fractions are enough for one picture.
    const bool drawn = experiment.millionths == 10'000 || experiment.millionths == 600'000 ||
                       experiment.millionths == 990'000;
    for (std::size_t s = 0; s < schemes && drawn; ++s) {
      if (experiment.processes == 4096) {
        chart.series.push_back(
            {fmt::format("{}, f = {}", name(paper_schemes()[s]), fraction(experiment.millionths)),
             {},
             s == 0});
      }
      const std::size_t at = chart.series.size() - schemes + s;
      if (experiment.processes > 4096) {
        chart.series[at].points.push_back(
            {double(experiment.processes), to_seconds(results[i + s].finish)});
      }
    }
    if (drawn && experiment.processes == 4096) {
      for (std::size_t s = 0; s < schemes; ++s) {
        chart.series[chart.series.size() - schemes + s].points.push_back(
            {4096.0, to_seconds(results[i + s].finish)});
      }
    }
  }
  exhibit.svg = report::line_chart(chart);
  exhibit.notes = {
      "From the beginning of a broadcast on the old tree to the end of a reduction on the new one, "
      "as in "
      "the paper. Simulated: LogGP with o = 4.8 us, L = 3 us, 375 MB/s (0.5 us and 1 GB/s in a "
      "node "
      "of "
      "4), fitted to Table 1's 0.708 ms, and 30 ns for each word of a message, which is a guess."};
  add_notes(exhibit, langer_time_findings(exhibit.table));
  return exhibit;
}

Exhibit langer_figure4(const PaperOptions& options) {
  const std::vector<std::uint64_t> fractions{10'000,  100'000, 200'000, 300'000, 400'000,
                                             500'000, 550'000, 600'000, 650'000, 675'000,
                                             710'000, 800'000, 900'000, 990'000};
  std::vector<GroupRun> runs;
  for (const std::uint64_t f : fractions) {
    for (const Scheme scheme : paper_schemes()) {
      runs.push_back({scheme, paper_experiment(options.most_processes, f, options.seed)});
    }
  }
  const std::vector<Measurement> results = measure_all(runs);

  Exhibit exhibit;
  exhibit.key = "figure4";
  exhibit.title = fmt::format("Figure 4: messages over those of the centralized scheme, n = {}",
                              options.most_processes);
  exhibit.table.columns = {{"fraction", "f", Align::Right, false},
                           {"centralized_messages", "centralized", Align::Right, false},
                           {"shrink_and_balance_ratio", "shrink-and-balance", Align::Right, false},
                           {"rank_and_hash_ratio", "rank-and-hash", Align::Right, false},
                           {"rank_and_hash_all_ratio", "with all notes", Align::Right, false},
                           {"fills", "fills", Align::Right, false},
                           {"moves", "moves", Align::Right, false},
                           {"most_ids", "most ids", Align::Right, false}};
  report::LineChart chart{exhibit.title, {}, {}, {}, 760, 440};
  chart.x = {"fraction of members", report::Scale::Linear, report::Unit::Number, true};
  chart.y = {"messages / centralized", report::Scale::Linear, report::Unit::Number, true};
  chart.series = {{"shrink-and-balance", {}, false},
                  {"rank-and-hash", {}, false},
                  {"rank-and-hash, all notes", {}, true}};
  for (std::size_t i = 0; i < runs.size(); i += 3) {
    const double f = fraction(runs[i].experiment.millionths);
    const double base = double(messages_as_in_paper(results[i].traffic));
    const group::Traffic& shrunk = results[i + 1].traffic;
    const double ratios[] = {double(messages(shrunk)) / base,
                             double(messages_as_in_paper(results[i + 2].traffic)) / base,
                             double(messages(results[i + 2].traffic)) / base};
    exhibit.table.rows.push_back(
        {Decimal{f, 3}, static_cast<std::int64_t>(base), Decimal{ratios[0], 2},
         Decimal{ratios[1], 2}, Decimal{ratios[2], 2},
         static_cast<std::int64_t>(shrunk.of(Kind::Fill)),
         static_cast<std::int64_t>(shrunk.of(Kind::Adopt)), std::int64_t{shrunk.most_ids}});
    for (std::size_t s = 0; s < 3; ++s) chart.series[s].points.push_back({f, ratios[s]});
    if (options.most_processes != kStatedProcesses || fractions[i / 3] != 600'000) continue;
    for (std::size_t s = 1; s < 3; ++s) {
      exhibit.stated.push_back(
          {fmt::format("f = 0.6: messages of {} over those of {}", name(kStatedMessages[s].scheme),
                       name(kStatedMessages[0].scheme)),
           ratios[s - 1], kStatedMessages[s].count / kStatedMessages[0].count});
    }
  }
  exhibit.svg = report::line_chart(chart);
  exhibit.notes = {
      "\"with all notes\" counts also the messages into sub-trees without members: who serves "
      "there "
      "as an intermediary must learn whether it has to. The paper does not count them.",
      "Shrink-and-Balance is counted with everything that is sent, also how suppliers and "
      "consumers find each other."};
  add_notes(exhibit, langer_count_findings(exhibit.table));
  return exhibit;
}

Exhibit langer_messages(const PaperOptions& options) {
  std::vector<GroupRun> runs;
  for (const Scheme scheme : {Scheme::Centralized, Scheme::ShrinkAndBalance,
                              Scheme::ShrinkByChildren, Scheme::RankAndHash}) {
    runs.push_back({scheme, paper_experiment(options.most_processes, 600'000, options.seed)});
  }
  const std::vector<Measurement> results = measure_all(runs);
  Exhibit exhibit;
  exhibit.key = "messages";
  exhibit.title =
      fmt::format("Section 6: messages at n = {}, k = 3, f = 0.6, by kind", options.most_processes);
  exhibit.table.columns = {{"kind", "kind", Align::Left, false}};
  for (const GroupRun& run : runs) {
    const std::string title(name(run.scheme));
    exhibit.table.columns.push_back({key_of(run.scheme), title, Align::Right, false});
  }
  const auto add = [&](const std::string& title, auto count) {
    std::vector<Cell> row{title};
    bool any = false;
    for (const Measurement& result : results) {
      const std::optional<std::uint64_t> value = count(result);
      row.emplace_back(value ? Cell(static_cast<std::int64_t>(*value)) : Cell());
      any = any || value.value_or(0) > 0;
    }
    if (any) exhibit.table.rows.push_back(std::move(row));
  };
  using Count = std::optional<std::uint64_t>;
  for (std::size_t k = 0; k < group::kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (kind == Kind::Begin || kind == Kind::Finish) continue;
    add(std::string(name(kind)), [&](const Measurement& m) -> Count {
      return m.traffic.of(kind) > 0 ? Count(m.traffic.of(kind)) : Count();
    });
  }
  add("all", [](const Measurement& m) -> Count { return messages(m.traffic); });
  add("as the paper counts",
      [](const Measurement& m) -> Count { return messages_as_in_paper(m.traffic); });
  if (options.most_processes == kStatedProcesses) {
    std::size_t column = 0;
    add("the paper", [&](const Measurement&) -> Count {
      const Scheme scheme = runs[column++].scheme;
      for (const StatedMessages& one : kStatedMessages) {
        if (one.scheme == scheme) return static_cast<std::uint64_t>(one.count);
      }
      return {};
    });
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (const StatedMessages& one : kStatedMessages) {
        if (one.scheme != runs[r].scheme) continue;
        exhibit.stated.push_back({fmt::format("messages, {}", name(one.scheme)),
                                  double(messages_as_in_paper(results[r].traffic)), one.count});
      }
    }
  }
  add("largest message, bytes",
      [](const Measurement& m) -> Count { return m.traffic.largest_bytes; });
  add("most ids in a message", [](const Measurement& m) -> Count { return m.traffic.most_ids; });
  exhibit.notes = {
      "down_empty: into sub-trees without members; list: all members, to the root of the new "
      "group; "
      "neither is in the paper's counts.",
      "shrink-by-children fills holes with immediate children: shorter messages, more of them."};
  const group::Traffic& shrunk = results[1].traffic;
  exhibit.notes.push_back(langer_formula_finding(options.most_processes, results[1].members,
                                                 shrunk.of(Kind::Fill), shrunk.of(Kind::Adopt),
                                                 messages(shrunk)));
  return exhibit;
}

}  // namespace espalier::reproduce
