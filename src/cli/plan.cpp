#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "bound/witness_json.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "report/simulated_plan.hpp"
#include "report/stack_svg.hpp"
#include "report/table.hpp"
#include "select/score.hpp"
#include "sim/simulate.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;

struct PlanOptions : CallOptions {
  std::string svg;
  bool all = false;
  bool json = false;
};

report::Table table_of(const std::vector<select::Scored>& scored, const topology::Machine& machine,
                       std::size_t rows) {
  report::Table table;
  table.columns = {{"plan", "plan", Align::Left, 16},
                   {"finish_ps", "simulated", Align::Right, false},
                   {"ratio", "x best", Align::Right, false}};
  for (std::size_t l = 0; l < machine.levels().size(); ++l) {
    const auto& level = machine.levels()[l];
    const std::string name = !level.channel.empty() ? level.channel : fmt::format("level {}", l);
    table.columns.push_back({fmt::format("messages_level_{}", l), name, Align::Right, false});
    table.columns.push_back({fmt::format("bytes_level_{}", l), "bytes", Align::Right, false});
  }
  const double best = to_microseconds(scored.front().result.finish);
  for (std::size_t i = 0; i < std::min(rows, scored.size()); ++i) {
    const auto& [candidate, result] = scored[i];
    std::vector<Cell> row{candidate.name, result.finish,
                          Decimal{best > 0 ? to_microseconds(result.finish) / best : 1, 3}};
    for (std::size_t l = 0; l < machine.levels().size(); ++l) {
      row.emplace_back(static_cast<std::int64_t>(result.levels[l].messages));
      row.emplace_back(static_cast<std::int64_t>(result.levels[l].bytes.value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Who sends to whom, and when.
std::string plan_svg(const report::SimulatedPlan& plan, const topology::Machine& machine) {
  return report::stack_svg({report::traffic_svg(plan, machine),
                            report::timeline_svg(plan, machine, report::Detail::Folded)});
}

Outcome plan_call(const PlanOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto machine = machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  if (machine->size() > kPlannedUpTo) {
    return Failure{{"--machine",
                    fmt::format("{} processes; all plans are simulated for up to {}",
                                machine->size(), kPlannedUpTo),
                    "plan on a smaller machine of the same shape"}};
  }
  auto call = call_from(options, machine->size());
  if (!call) return Failure{call.error()};
  const collective::Hierarchy hierarchy(*machine);
  sim::SimOptions simulated;
  if (machine->size() > kExactUpTo) simulated.sharing = sim::Sharing::OneBottleneck;
  const auto scored =
      select::score(select::candidates(hierarchy, *call), *call, *machine, simulated);
  const select::Scored& chosen = scored.front();
  const bound::LowerBound least = bound::lower_bound(*machine, *call);
  const double over = least.value > Time{0}
                          ? to_microseconds(chosen.result.finish) / to_microseconds(least.value)
                          : 1;

  std::string verdict = "not verified: more ranks than are verified whole";
  std::uint64_t hash = 0;
  if (machine->size() <= kVerifiedUpTo) {
    const schedule::Schedule schedule = schedule_of(chosen.candidate, *call);
    const verify::Verdict result = verify::verify(schedule);
    hash = hash_of(schedule);
    if (!result.ok()) {
      return Failure{{"plan", "the verifier refuses the fastest plan: " + to_string(result),
                      "this is a bug in espalier; please report it with the command line"},
                     kExitInternal};
    }
    verdict = "verified";
  }
  if (!options.svg.empty()) {
    simulated.trace = true;
    const report::SimulatedPlan drawn{
        chosen.candidate.name,
        *call,
        sim::simulate(*call, chosen.candidate.program_of, *machine, simulated),
        {}};
    return write_output(options.svg, plan_svg(drawn, *machine));
  }
  const std::size_t rows = options.all || options.json ? scored.size() : 12;
  const report::Table table = table_of(scored, *machine, rows);
  if (options.json) {
    nlohmann::ordered_json json = {{"format", "espalier-plan-1"},
                                   {"operation", name_of(call->operation)},
                                   {"ranks", call->size},
                                   {"root", call->root},
                                   {"size_bytes", call->count * call->element.value},
                                   {"element_bytes", call->element.value},
                                   {"commutative", call->commutative},
                                   {"chosen", chosen.candidate.name},
                                   {"finish_ps", chosen.result.finish.picoseconds},
                                   {"bound_ps", least.value.picoseconds},
                                   {"bound_because", describe(least.witness, *machine)},
                                   {"witness", to_json(least, *machine)},
                                   {"verdict", verdict},
                                   {"hash", fmt::format("{:016x}", hash)},
                                   {"candidates", report::to_json(table)}};
    return write_output("-", json.dump(2) + "\n");
  }
  std::string text =
      fmt::format("{} of {} among {} processes: {}, {} simulated, {}\n\n", name_of(call->operation),
                  to_string(Bytes{call->count * call->element.value}), call->size,
                  chosen.candidate.name, rounded(chosen.result.finish), verdict);
  text += report::to_text(table, *canvas);
  const std::string bound_line =
      fmt::format("\nno plan is faster than {}: {}; the fastest here takes {:.3f} times as long\n",
                  rounded(least.value), describe(least.witness, *machine), over);
  if (rows < scored.size())
    text += fmt::format("({} more; --all shows them)\n", scored.size() - rows);
  text += "\nthe fastest, level by level\n" +
          report::to_text(report::level_use_table(chosen.result, *machine), *canvas);
  return write_output("-", text + bound_line);
}

constexpr std::string_view kDescription =
    "Plans a collective on a machine: builds every plan that Espalier knows for it (multilevel "
    "plans "
    "with several trees and segment sizes, trees blind to the topology, the classical algorithms), "
    "simulates each with its links shared, and shows them, the fastest first, with the messages "
    "and "
    "bytes that cross each level. The fastest is verified: every rank ends with the right data, "
    "nothing waits for ever, no step uses what is not there yet. Below the table stands a time "
    "that "
    "no plan can beat on this machine, and why.\n\n"
    "--size is the message of broadcast, reduce, allreduce and scan, and each rank's block of the "
    "others.";

constexpr std::string_view kExamples =
    "espalier plan broadcast --machine data/machines/three-machines.json --size 1MiB\n"
    "espalier plan allreduce -m \"site:3(20ms,1Gbit/s) proc:8(5us,10Gbit/s)\" --size 64KiB\n"
    "espalier plan barrier -m grid.json --json";

}  // namespace

Command plan_command() {
  Manual manual{.name = "plan",
                .tagline = "every plan for a collective, simulated; the fastest verified",
                .synopsis =
                    "plan OPERATION --machine MACHINE [--size BYTES] [--root RANK] [--ordered] "
                    "[--element BYTES] [--all|--json|--svg FILE]",
                .description = std::string(kDescription),
                .sections = {machines_section()},
                .examples = std::string(kExamples)};
  return {std::move(manual), [](CLI::App& app, const Globals& globals) {
            const auto options = std::make_shared<PlanOptions>();
            declare(app, *options);
            CLI::Option* all = app.add_flag("--all", options->all, "Show every candidate.");
            CLI::Option* json = app.add_flag("--json", options->json,
                                             "Write all candidates as JSON (espalier-plan-1).")
                                    ->excludes(all);
            app.add_option("--svg", options->svg,
                           "Draw the fastest plan to FILE: its time lines, and who sends to whom; "
                           "- is standard output.")
                ->type_name("FILE")
                ->excludes(json);
            return [options, &globals] { return plan_call(*options, globals); };
          }};
}

}  // namespace espalier::cli
