#include "cli/irregular_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/text.hpp"

namespace espalier::cli {
namespace {

using select::WhichPlan;

/// "trees by counts (told as multilevel flat)": ESPALIER_EXPLAIN names trials by the chooser's
/// plan.
std::string tried_in_words(const select::Alternative& one, const IrregularRuns& runs) {
  if (!one.which || !runs.has_trees) return one.name;
  return fmt::format("trees by counts (told as {})", one.name);
}

}  // namespace

namespace {

/// From which call on an allgatherv is planned by its lengths; absent: never.
std::optional<std::uint64_t> by_lengths_from(const IrregularCall& asked) {
  if (!select::is_chosen_by_counts(asked.call)) return std::nullopt;
  return select::planned_from(asked.machine, asked.call);
}

/// The call as the library chooses for it in the end.
schedule::Collective known_call(const IrregularCall& asked) {
  return by_lengths_from(asked) ? asked.call : select::with_assumed_blocks(asked.call);
}

}  // namespace

select::ExchangeChoice chosen_exchange(const IrregularCall& asked, select::Chooser& chooser) {
  const select::PlanChoice best = chooser.choose(known_call(asked), WhichPlan::Best);
  select::ExchangeChoice chosen = exchange_choice(chooser.hierarchy(), asked.call, *best.plan);
  if (by_lengths_from(asked)) chosen.predicted = *best.predicted;
  return chosen;
}

IrregularRuns runs_of(const IrregularCall& asked, select::Chooser& chooser,
                      const std::string& mpi) {
  const schedule::Collective known = known_call(asked);
  const schedule::Collective assumed = select::with_assumed_blocks(asked.call);
  const WhichPlan which = mpi.empty() ? WhichPlan::Best : WhichPlan::ByPrediction;
  const std::uint64_t from = by_lengths_from(asked).value_or(1);
  IrregularRuns runs;
  runs.mpi = mpi;
  runs.assumed_block = Bytes{assumed.count};
  runs.by_lengths = by_lengths_from(asked).has_value();
  runs.runs = chooser.choose(known, which);
  if (from > 1) {
    runs.first_calls = from - 1;
    runs.first_row = chooser.choose(assumed, which).name;
    runs.first = runs.first_row;
  }
  if (mpi.empty()) return runs;
  runs.tries = chooser.alternatives(known);
  if (runs.runs.native_predicted) {
    const select::PlanChoice best = chooser.choose(known, WhichPlan::Best);
    runs.compared = best.name;
    runs.compared_predicted = best.predicted;
  }
  return runs;
}

IrregularRuns runs_of(const select::CountedRuns& counted, const IrregularCall& asked,
                      select::Chooser& chooser, const std::string& mpi) {
  IrregularRuns runs = runs_of(asked, chooser, mpi);
  runs.has_trees = true;
  if (!runs.runs.planned()) return runs;
  runs.first_calls = counted.first_calls;
  if (counted.first) {
    runs.first_row = counted.first->algorithm;
    runs.first = select::name_by_counts(runs.first_row);
  } else if (counted.first_calls > 0) {
    runs.first = runs.runs.name;
  }
  runs.runs.name = select::name_by_counts(counted.plan.algorithm);
  runs.runs.why = select::kWhyByCounts;
  return runs;
}

std::string runs_text(const IrregularRuns& runs) {
  if (runs.mpi.empty()) return "";
  std::string text = fmt::format("under {}: {} ({})", runs.mpi, runs.runs.name, runs.runs.why);
  if (runs.runs.native_predicted) {
    text += runs.by_lengths ? std::string("; predicted: ")
                            : fmt::format("; predicted for equal blocks of {}: ",
                                          to_string(runs.assumed_block));
    if (runs.compared_predicted) {
      text += fmt::format("{} {}, ", runs.compared, rounded(*runs.compared_predicted));
    }
    text += fmt::format("native {}", rounded(*runs.runs.native_predicted));
    if (!runs.by_lengths) text += "; native is not predicted for these lengths";
  }
  if (runs.first_calls == 1) {
    text += fmt::format("; the first call: {}", runs.first);
  } else if (runs.first_calls > 1) {
    text += fmt::format("; the first {} calls: {}", report::grouped(runs.first_calls), runs.first);
  }
  std::vector<std::string> names;
  for (const select::Alternative& one : runs.tries) names.push_back(tried_in_words(one, runs));
  if (names.size() > 1) text += fmt::format("; trials compare {}", fmt::join(names, ", "));
  return text + "\n";
}

void add_runs(Json& document, const IrregularRuns& runs) {
  Json tries = Json::array();
  for (const select::Alternative& one : runs.tries) {
    tries.push_back({{"plan", one.name}});
    if (one.predicted) tries.back()["predicted_ps"] = one.predicted->picoseconds;
  }
  const auto& native = runs.runs.native_predicted;
  document["mpi"] = runs.mpi.empty() ? Json() : Json(runs.mpi);
  document["runs"] = runs.runs.name;
  document["why"] = runs.runs.why;
  document["first_runs"] = runs.first_calls == 0 ? Json() : Json(runs.first);
  document["first_calls"] = runs.first_calls;
  document["native_predicted_ps"] = native ? Json(native->picoseconds) : Json();
  document["assumed_block_bytes"] = runs.assumed_block.value;
  document["trials"] = std::move(tries);
}

}  // namespace espalier::cli
