#include <fmt/format.h>

#include "reproduce/findings.hpp"
#include "reproduce/langer.hpp"

namespace espalier::reproduce {
namespace {

using group::Scheme;
using report::Align;
using report::Cell;
using report::Decimal;

/// One supposition about what messages cost.
struct Variant {
  std::string title;
  group::HandlerCosts costs;
  Time word = group::kBlueGeneWord;
  Scheme shrinking = Scheme::ShrinkAndBalance;
};

std::vector<Variant> variants() {
  const group::HandlerCosts fitted;
  return {{"as fitted", fitted},
          {"words cost nothing", fitted, Time{}},
          {"words cost 300 ns", fitted, nanoseconds(300)},
          {"words cost 1 us", fitted, microseconds(1)},
          {"words cost 3 us", fitted, microseconds(3)},
          {"messages cost half", {nanoseconds(2400), fitted.latency}},
          {"messages cost a tenth", {nanoseconds(480), fitted.latency}},
          {"latency x 10", {fitted.overhead, microseconds(30)}},
          {"fillers are children", fitted, group::kBlueGeneWord, Scheme::ShrinkByChildren}};
}

}  // namespace

Exhibit langer_cause(const PaperOptions& options) {
  const std::vector<std::uint64_t> fractions{1'000,   10'000,  100'000, 300'000,
                                             600'000, 900'000, 990'000};
  const Rank largest = std::min<Rank>(16'384, options.most_processes);
  std::vector<GroupRun> runs;
  for (const Variant& variant : variants()) {
    for (const std::uint64_t f : fractions) {
      for (Rank n = 4096; n <= largest; n *= 2) {
        for (const Scheme scheme : {variant.shrinking, Scheme::RankAndHash}) {
          runs.push_back({scheme, paper_experiment(n, f, options.seed), variant.costs});
          runs.back().experiment.work_per_word = variant.word;
        }
      }
    }
  }
  const std::vector<group::Measurement> results = measure_all(runs);
  Exhibit exhibit;
  exhibit.key = "cause";
  exhibit.title = fmt::format(
      "Figure 3 up to {} processes: cells in which Shrink-and-Balance is faster than "
      "Rank-and-Hash",
      largest);
  exhibit.table.columns = {{"variant", "variant", Align::Left, false},
                           {"faster", "faster", Align::Right, false},
                           {"cells", "of", Align::Right, false},
                           {"shrink_and_balance_ms", "S&B, f = 0.6, ms", Align::Right, false},
                           {"rank_and_hash_ms", "R&H, f = 0.6, ms", Align::Right, false}};
  const std::size_t runs_each = runs.size() / variants().size();
  for (std::size_t v = 0; v < variants().size(); ++v) {
    std::int64_t faster = 0;
    Time shrunk, hashed;  // at the largest size
    for (std::size_t i = v * runs_each; i < (v + 1) * runs_each; i += 2) {
      faster += results[i].finish < results[i + 1].finish ? 1 : 0;
      if (runs[i].experiment.millionths != 600'000) continue;
      shrunk = results[i].finish;
      hashed = results[i + 1].finish;
    }
    exhibit.table.rows.push_back(
        {variants()[v].title, faster, static_cast<std::int64_t>(runs_each / 2),
         Decimal{1e3 * to_seconds(shrunk), 3}, Decimal{1e3 * to_seconds(hashed), 3}});
  }
  exhibit.notes = {
      "The schemes as programs are the same in every row; what changes is what a message and each "
      "word of it costs a process. Rank-and-Hash has four message times more on its way, which "
      "come out of no list; Shrink-and-Balance hands lists of up to log n ids upwards and, where "
      "the shrunk tree is too tall, moves vertices one level at a time."};
  add_notes(exhibit, langer_cause_findings(exhibit.table));
  return exhibit;
}

}  // namespace espalier::reproduce
