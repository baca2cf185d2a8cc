#include "cli/plan_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "cli/plan_table.hpp"
#include "report/simulated_plan.hpp"
#include "report/table.hpp"
#include "select/shared_memory.hpp"

namespace espalier::cli {
namespace {

using report::Cell;
using report::Decimal;

constexpr std::string_view kHowShared =
    "predicted: in closed form; simulated: message by message, links shared max-min fairly";

/// Why the chosen plan is not the first of the table.
constexpr std::string_view kWhyNotFirst =
    "(chosen: the library takes one plan for all sizes near this one, in segments without a "
    "handshake)";

/// The fastest of the plans that were simulated; nullptr if none was.
const PlanRow* fastest_of(const PlanReport& report) {
  const auto first = std::find_if(report.rows.begin(), report.rows.end(),
                                  [](const PlanRow& row) { return row.finish.has_value(); });
  return first == report.rows.end() ? nullptr : &*first;
}

/// Whether a row above that of the chosen plan is faster.
bool is_another_first(const PlanReport& report) {
  const PlanRow* const fastest = fastest_of(report);
  const auto& chosen = report.chosen_row().finish;
  return fastest != nullptr && chosen && *fastest->finish < *chosen;
}

/// All plans, for programs.
report::Table table_of(const PlanReport& report) {
  report::Table table;
  table.columns = {{"plan", ""}, {"predicted_ps", ""}};
  const topology::Machine& machine = report.machine;
  if (fastest_of(report) != nullptr) {
    table.columns.push_back({"finish_ps", ""});
    table.columns.push_back({"ratio", ""});
    for (std::size_t l = 0; l < machine.levels().size(); ++l) {
      table.columns.push_back({fmt::format("messages_level_{}", l), ""});
      table.columns.push_back({fmt::format("bytes_level_{}", l), ""});
    }
  }
  for (const PlanRow& row : report.rows) {
    std::vector<Cell> cells{name_of(row.choice.plan, report.call), row.choice.predicted};
    if (row.finish) {
      const double best = to_microseconds(report.rows.front().time());
      cells.emplace_back(*row.finish);
      cells.emplace_back(Decimal{best > 0 ? to_microseconds(*row.finish) / best : 1, 3});
    }
    if (row.simulated) {
      for (std::size_t l = 0; l < machine.levels().size(); ++l) {
        cells.emplace_back(static_cast<std::int64_t>(row.simulated->levels[l].messages));
        cells.emplace_back(static_cast<std::int64_t>(row.simulated->levels[l].bytes.value));
      }
    }
    cells.resize(table.columns.size());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// " (scatter-ring, 30 ms of it for handshakes)": the algorithm that native is taken for.
std::string native_in_words(const PlanReport& report) {
  if (!report.native) return "";
  std::string text = name_of(report.native->plan, report.call);
  if (report.native->handshakes != Time{0}) {
    text += fmt::format(", {} of it for handshakes", rounded(report.native->handshakes));
  }
  // The library decides for a class of sizes, on many ranks by a few of them.
  const Time exact = report.native->predicted, decided = *report.runs.native_predicted;
  if (exact > lengthened(decided, 20) || decided > lengthened(exact, 20)) {
    text += fmt::format("; {} for this size and all ranks", rounded(exact));
  }
  return fmt::format(" ({})", text);
}

}  // namespace

std::string plan_choice(const schedule::Collective& call, const select::Choice& chosen) {
  return fmt::format("{}: {}, {} predicted", report::call_in_words(call),
                     name_of(chosen.plan, call), rounded(chosen.predicted));
}

std::string plan_choice_settled(const PlanReport& report) {
  const PlanRow& row = report.chosen_row();
  std::string text;
  if (row.finish) text += fmt::format(", {} simulated", rounded(*row.finish));
  text += fmt::format(", {}\n", report.verdict);
  if (report.mpi.empty()) return text;
  text += fmt::format("under {}: {} ({})", report.mpi, report.runs.name, report.runs.why);
  if (report.runs.native_predicted) {
    text += fmt::format(", native {} predicted{}", rounded(*report.runs.native_predicted),
                        native_in_words(report));
  }
  std::vector<std::string> names;
  for (const select::Alternative& one : report.tries) names.push_back(one.name);
  if (names.size() > 1) text += fmt::format("; trials compare {}", fmt::join(names, ", "));
  return text + "\n";
}

namespace {

/// A rooted call whose plan has very many messages at the root may owe its choice to figures that
/// are not there.
std::string free_messages(const PlanReport& report) {
  constexpr std::size_t kMany = 16;
  using schedule::Operation;
  const Operation operation = report.call.operation;
  const bool is_rooted = operation == Operation::Broadcast || operation == Operation::Reduce ||
                         operation == Operation::Gather || operation == Operation::Scatter;
  if (!is_rooted || report.root_peers <= kMany) return "";
  for (Rank rank = 0; rank < report.machine.size(); ++rank) {
    const topology::NodeCosts& costs = report.machine.costs(rank);
    if (costs.send != topology::Cost{} || costs.recv != topology::Cost{}) return "";
  }
  return fmt::format(
      "the root has messages with {} others, and messages cost processes nothing on this machine: "
      "its file may say what they do (send=, recv=; docs/machine.md)\n",
      report.root_peers);
}

/// How many plans have no simulated time, and why; nothing if all have one.
std::string not_simulated(const PlanReport& report) {
  using Refusal = select::SimulatedTimes::Refusal;
  const auto count = [&](Refusal refusal) {
    return std::count_if(report.rows.begin(), report.rows.end(),
                         [&](const PlanRow& row) { return row.refusal == refusal; });
  };
  std::vector<std::string> parts;
  if (const auto n = count(Refusal::Messages)) {
    parts.push_back(fmt::format("{} with too many messages", n));
  }
  if (const auto n = count(Refusal::Sharing)) {
    parts.push_back(fmt::format("{} with too many messages that share links at once", n));
  }
  std::string text;
  if (!parts.empty()) {
    text = fmt::format("not simulated: {} (--all simulates those of up to 2,097,152 messages)\n",
                       fmt::join(parts, ", "));
  }
  if (const auto n = count(Refusal::Interrupted)) {
    text += fmt::format("not simulated: {}, since Ctrl-C was pressed\n", n);
  }
  return text;
}

/// What each level does, and what crosses it.
std::string level_by_level(const PlanReport& report, const report::Canvas& canvas) {
  const PlanRow& row = report.chosen_row();
  const auto what = select::per_level(row.choice.plan, report.machine, report.call);
  std::string text;
  for (std::size_t l = 0; l < what.size(); ++l) {
    text += fmt::format("  {}: {}\n", select::symbol(report.machine, l), what[l]);
  }
  if (!text.empty()) text = "\nthe chosen plan, level by level\n" + text;
  if (row.simulated) {
    text += "\nwhat crosses each level\n" +
            report::to_text(report::level_use_table(*row.simulated, report.machine), canvas);
  }
  return text;
}

std::string why(const PlanReport& report) {
  std::string text = fmt::format("\npredicted: {}\n", to_string(report.formula, report.machine));
  for (const select::Limit& limit : report.limits) {
    text += fmt::format("with a latency of {} {} {}, {} would be predicted to be faster\n",
                        select::symbol(report.machine, 0), limit.below ? "below" : "above",
                        rounded(limit.latency), limit.then);
  }
  if (report.order_free) {
    const OrderFree& sum = *report.order_free;
    text += fmt::format("a sum needs no order on accumulators of {}: {}, {}\n",
                        to_string(sum.accumulator), sum.plan,
                        rounded(sum.simulated.value_or(sum.predicted)));
  }
  if (is_another_first(report)) {
    const PlanRow& fastest = *fastest_of(report);
    const Time chosen = *report.chosen_row().finish;
    const double more = 100 * (to_microseconds(chosen) / to_microseconds(*fastest.finish) - 1);
    if (more > kDefect) {
      text += fmt::format("simulated, {} is faster: the chosen one takes {:.1f} % longer. {}\n",
                          name_of(fastest.choice.plan, report.call), more,
                          report.mpi == "smpi"
                              ? "Under SMPI links are shared by latency, and the choice is made "
                                "for that"
                              : "This is a defect of the chooser; please report it with the "
                                "command line");
    }
  }
  return text;
}

double over_bound(const PlanReport& report) {
  if (report.least.value <= Time{0}) return 1;
  return to_microseconds(report.chosen_time()) / to_microseconds(report.least.value);
}

}  // namespace

Time PlanReport::chosen_time() const {
  const PlanRow& row = chosen_row();
  return row.finish.value_or(row.choice.predicted);
}

std::size_t peers_of(const schedule::Program& program) {
  std::set<Rank> peers;
  for (const schedule::Op& op : program.ops) {
    if (op.kind != schedule::OpKind::Send && op.kind != schedule::OpKind::Recv) continue;
    for_each_message(program, op, [&](Rank peer, const schedule::Region&) { peers.insert(peer); });
  }
  return peers.size();
}

std::string plan_text(const PlanReport& report, const report::Canvas& canvas, std::size_t shown) {
  const std::string table = "\n" + plan_table_text(report, canvas, shown);
  std::string notes;
  if (is_another_first(report)) notes += std::string(kWhyNotFirst) + "\n";
  notes += std::string(kHowShared) + "\n" + not_simulated(report);
  std::string text = why(report);
  if (report.in_memory) {
    text += fmt::format(
        "one node: {} is predicted to take {} (usual figures, not measured); the library compares "
        "it with native calls\n",
        select::kSharedMemory, rounded(*report.in_memory));
  }
  text += free_messages(report) +
          fmt::format(
              "no plan is faster than {}: {}; the chosen one takes {:.3f} times as "
              "long\n",
              rounded(report.least.value), describe(report.least.witness, report.machine),
              over_bound(report));
  return table + report::fitted(notes, canvas) + level_by_level(report, canvas) +
         report::fitted(text, canvas);
}

std::string plan_json(const PlanReport& report) {
  const schedule::Collective& call = report.call;
  Json limits = Json::array();
  for (const select::Limit& limit : report.limits) {
    limits.push_back({{"latency_ps", limit.latency.picoseconds},
                      {"chosen_is_best", limit.below ? "above" : "below"},
                      {"then", limit.then}});
  }
  Json tries = Json::array();
  for (const select::Alternative& one : report.tries) {
    tries.push_back({{"plan", one.name}});
    if (one.predicted) tries.back()["predicted_ps"] = one.predicted->picoseconds;
  }
  const PlanRow& chosen = report.chosen_row();
  Json json = {
      {"format", "espalier-plan-1"},
      {"machine", {{"name", report.machine.name()}, {"processes", report.machine.size()}}},
      {"operation", name_of(call.operation)},
      {"ranks", call.size},
      {"root", call.root},
      {"size_bytes", call.count * call.element.value},
      {"element_bytes", call.element.value},
      {"commutative", call.commutative},
      {"chosen", name_of(chosen.choice.plan, call)},
      {"mpi", report.mpi.empty() ? Json() : Json(report.mpi)},
      {"runs", report.runs.name},
      {"why", report.runs.why},
      {"native_predicted_ps",
       report.runs.native_predicted ? Json(report.runs.native_predicted->picoseconds) : Json()},
      {"native_exact_ps", report.native ? Json(report.native->predicted.picoseconds) : Json()},
      {"native_plan", report.native ? Json(name_of(report.native->plan, call)) : Json()},
      {"trials", tries},
      {"levels", select::per_level(chosen.choice.plan, report.machine, call)},
      {"predicted_ps", chosen.choice.predicted.picoseconds},
      {"finish_ps", report.chosen_time().picoseconds},
      {"simulated", chosen.finish.has_value()},
      {"links_shared", true},
      {"formula", to_string(report.formula, report.machine)},
      {"limits", limits},
      {"bound_ps", report.least.value.picoseconds},
      {"bound_because", describe(report.least.witness, report.machine)},
      {"ratio_to_bound", over_bound(report)},
      {"witness", to_json(report.least, report.machine)},
      {"verdict", report.verdict},
      {"hash", fmt::format("{:016x}", report.hash)},
      {"candidates", report::to_json(table_of(report))}};
  if (report.order_free) {
    const OrderFree& sum = *report.order_free;
    json["order_free"] = {{"accumulator_bytes", sum.accumulator.value},
                          {"plan", sum.plan},
                          {"predicted_ps", sum.predicted.picoseconds}};
    if (sum.simulated) json["order_free"]["finish_ps"] = sum.simulated->picoseconds;
  }
  if (report.in_memory) {
    json["shared_memory"] = {{"predicted_ps", report.in_memory->picoseconds}, {"measured", false}};
  }
  return json.dump(2) + "\n";
}

}  // namespace espalier::cli
