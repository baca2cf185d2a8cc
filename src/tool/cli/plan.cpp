#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/irregular.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/plan_report.hpp"
#include "cli/request.hpp"
#include "cli/schedule_files.hpp"
#include "report/simulated_plan.hpp"
#include "report/svg.hpp"
#include "reproducible/binned.hpp"
#include "sim/simulate.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Schedule;
using topology::Machine;

struct PlanOptions : CallOptions {
  CountsOptions counts;
  std::string svg;
  std::string schedule;
  std::string schedule_format = "json";
  bool reproducible = false;
  bool all = false;
  bool json = false;
};

sim::SimOptions usual_conditions(const Machine& machine) {
  sim::SimOptions options;
  if (machine.size() > kExactUpTo) options.sharing = sim::Sharing::OneBottleneck;
  return options;
}

Error refused(const std::string& plan, const verify::Verdict& verdict) {
  return {"plan", fmt::format("the verifier refuses {}: {}", plan, to_string(verdict)),
          "this is a bug in espalier; please report it with the command line"};
}

/// All plans, sorted by predicted time. Up to kPlannedUpTo ranks all are simulated as well, and
/// sorted by simulated time. None is verified here: plan_call verifies the chosen one alone.
std::vector<PlanRow> rows_of(const std::vector<select::Choice>& ranked, const Hierarchy& hierarchy,
                             const Collective& call) {
  std::vector<PlanRow> rows;
  const Machine& machine = hierarchy.machine();
  rows.reserve(ranked.size());
  for (const select::Choice& choice : ranked) {
    PlanRow& row = rows.emplace_back(PlanRow{choice, std::nullopt});
    if (machine.size() <= kPlannedUpTo) {
      const select::Candidate candidate = candidate_of(row.choice.plan, hierarchy, call);
      row.simulated = sim::simulate(call, candidate.program_of, machine, usual_conditions(machine));
    }
  }
  if (machine.size() > kPlannedUpTo) return rows;
  std::stable_sort(rows.begin(), rows.end(), [](const PlanRow& a, const PlanRow& b) {
    return a.simulated->finish < b.simulated->finish;
  });
  return rows;
}

/// Numbers of 4 or 8 bytes are taken for floating-point ones, summed in bins.
Expected<std::optional<OrderFree>> order_free(const Hierarchy& hierarchy,
                                              const select::CostView& cost_view,
                                              const Collective& call) {
  const bool sums = call.operation == schedule::Operation::Reduce ||
                    call.operation == schedule::Operation::Allreduce ||
                    call.operation == schedule::Operation::ReduceScatter;
  if (!sums || (call.element.value != 4 && call.element.value != 8))
    return std::optional<OrderFree>{};
  Collective wide = call;
  wide.element = Bytes{call.element.value == 8 ? sizeof(reproducible::Binned<double>)
                                               : sizeof(reproducible::Binned<float>)};
  wide.commutative = true;
  const select::Choice best = ranking(hierarchy, cost_view, wide).front();
  OrderFree found{wide.element, name_of(best.plan, wide), best.predicted, std::nullopt};
  const Machine& machine = hierarchy.machine();
  if (machine.size() > kVerifiedUpTo) return std::optional(found);
  const Schedule schedule = schedule_of(candidate_of(best.plan, hierarchy, wide), wide);
  const verify::Verdict verdict = verify::verify(schedule);
  if (!verdict.ok()) return refused(found.plan, verdict);
  found.simulated = sim::simulate(schedule, machine, usual_conditions(machine)).finish;
  return std::optional(found);
}

/// Who sends to whom, and when.
std::string plan_svg(const Schedule& schedule, const Machine& machine) {
  sim::SimOptions traced = usual_conditions(machine);
  traced.trace = true;
  const report::SimulatedPlan plan{
      schedule.algorithm, schedule.call, sim::simulate(schedule, machine, traced), {}};
  return report::stack_svg({report::traffic_svg(plan, machine),
                            report::timeline_svg(plan, machine, report::Detail::Folded)});
}

Outcome plan_call(const PlanOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  const auto form = form_from(options.schedule_format, "--schedule-format");
  if (!form) return Failure{form.error()};
  if (options.counts.given()) {
    return plan_irregular(
        {{options.operation, options.machine, options.root, options.size, options.counts},
         options.json ? TableForm::Json : TableForm::Text,
         options.all,
         options.schedule,
         *form},
        *canvas);
  }
  auto machine = machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  auto call = call_from(options, machine->size());
  if (!call) return Failure{call.error()};
  const bool whole = !options.svg.empty() || !options.schedule.empty();
  if (whole && machine->size() > kPlannedUpTo) {
    return Failure{{"--machine",
                    fmt::format("{} processes; whole plans are written and drawn for up to {}",
                                machine->size(), kPlannedUpTo),
                    "leave out --svg and --schedule, or take a smaller machine"}};
  }

  const Hierarchy hierarchy(*machine);
  const select::CostView cost_view(*machine);
  const auto bits = options.reproducible ? select::Bits::Reference : select::Bits::Any;
  const std::vector<select::Choice> ranked = ranking(hierarchy, cost_view, *call, bits);
  const select::Plan chosen = ranked.front().plan;
  PlanReport report{*machine,
                    *call,
                    {},
                    0,
                    "not verified: more ranks than are verified whole",
                    0,
                    bound::lower_bound(*machine, *call),
                    formula(chosen, hierarchy, *call),
                    limits(ranked, hierarchy, *call),
                    {}};
  if (machine->size() <= kVerifiedUpTo || whole) {
    const Schedule schedule = schedule_of(candidate_of(chosen, hierarchy, *call), *call);
    report.hash = hash_of(schedule);
    if (machine->size() <= kVerifiedUpTo) {
      const verify::Verdict verdict = verify::verify(schedule);
      if (!verdict.ok()) {
        return Failure{refused(schedule.algorithm, verdict), kExitInternal};
      }
      report.verdict = "verified";
    }
    if (!options.schedule.empty()) {
      if (auto failed = write_schedule(schedule, *form, options.schedule)) return failed;
    }
    if (!options.svg.empty()) return write_output(options.svg, plan_svg(schedule, *machine));
  }
  if (options.reproducible) {
    auto sum = order_free(hierarchy, cost_view, *call);
    if (!sum) return Failure{sum.error(), kExitInternal};
    report.order_free = *sum;
  }
  report.rows = rows_of(ranked, hierarchy, *call);
  const auto mine = std::find_if(report.rows.begin(), report.rows.end(),
                                 [&](const PlanRow& row) { return row.choice.plan == chosen; });
  report.chosen = static_cast<std::size_t>(mine - report.rows.begin());
  if (options.json) return write_output("-", plan_json(report));
  constexpr std::size_t kShown = 12;
  return write_output("-", plan_text(report, *canvas, options.all ? report.rows.size() : kShown));
}

constexpr std::string_view kPlanDescription =
    "Plans a collective on a machine: takes every plan that Espalier knows for it (multilevel "
    "plans with several trees and segment sizes, plans with several leaders a cluster, two-level "
    "trees, trees blind to the topology, the classical algorithms), predicts the time of each in "
    "closed form, and chooses the fastest, as the library does at a call. The chosen plan is "
    "verified: every rank ends with the right data, nothing waits for ever, no step uses what is "
    "not there yet.\n\n"
    "For up to 2,048 processes all plans are also simulated, message by message with links "
    "shared, and shown in that order with what crosses each level. Below the table stand what "
    "each level does, the prediction as a formula (L: latency, m: message, B: bandwidth of a "
    "level) with the latencies at which another plan would win, and a time that no plan can beat "
    "on this machine, and why.\n\n"
    "--size is the message of broadcast, reduce, allreduce and scan, and each rank's block of the "
    "others.\n\n"
    "With --counts the blocks of a scatterv or gatherv differ: every tree that goes by their "
    "lengths is simulated, sending at once and one by one and in pieces, and the best is improved "
    "by local search.";

constexpr std::string_view kPlanExamples =
    "espalier plan broadcast --machine data/machines/three-machines.json --size 1MiB\n"
    "espalier plan allreduce -m \"site:3(20ms,1Gbit/s) proc:8(5us,10Gbit/s)\" --size 64KiB\n"
    "espalier plan reduce -m grid.json --size 1MiB --reproducible --svg plan.svg\n"
    "espalier plan scatterv -m grid.json --counts powerlaw:7 --size 100KB\n"
    "espalier plan barrier -m grid.json --json";

}  // namespace

Command plan_command() {
  Manual manual{
      .name = "plan",
      .tagline =
          "every plan for a collective, predicted and simulated; the chosen one "
          "verified",
      .synopsis =
          "plan OPERATION --machine MACHINE [--size BYTES] [--root RANK] [--ordered] "
          "[--element BYTES] [--counts FILE|DISTRIBUTION [--memory BYTES]] [--reproducible] "
          "[--schedule FILE [--schedule-format FORM]] "
          "[--all|--json|--svg FILE]",
      .description = std::string(kPlanDescription),
      .sections = {machines_section()},
      .examples = std::string(kPlanExamples)};
  return {std::move(manual), [](App& app, const Globals& globals) {
            const auto options = std::make_shared<PlanOptions>();
            declare(app, static_cast<CallOptions&>(*options));
            app.add_flag("--reproducible", options->reproducible,
                         "Reductions in the reference order of the ranks: the same bits on every "
                         "machine.");
            app.add_option("--schedule", options->schedule,
                           "Write the chosen plan, all ranks' programs, to FILE.")
                .type_name("FILE");
            app.add_option("--schedule-format", options->schedule_format,
                           "json, goal or msccl: see espalier convert. Default: json.")
                .type_name("FORM");
            const Option all = app.add_flag("--all", options->all, "Show every candidate.");
            const Option json = app.add_flag("--json", options->json,
                                             "Write all candidates as JSON (espalier-plan-1).")
                                    .excludes(all);
            app.add_option("--svg", options->svg,
                           "Draw the chosen plan to FILE: its time lines, and who sends to whom; "
                           "- is standard output.")
                .type_name("FILE")
                .excludes(json);
            declare(app, options->counts);
            return [options, &globals] { return plan_call(*options, globals); };
          }};
}

}  // namespace espalier::cli
