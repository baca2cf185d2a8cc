#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "base/progress.hpp"
#include "cli/as_library.hpp"
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
#include "report/text.hpp"
#include "reproducible/binned.hpp"
#include "select/ranking.hpp"
#include "select/segments.hpp"
#include "select/shared_memory.hpp"
#include "select/simulated_times.hpp"
#include "sim/simulate.hpp"
#include "topology/views.hpp"
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
  std::string schedule_format;
  std::string mpi;
  bool reproducible = false;
  bool all = false;
  bool json = false;
};

Error refused(const std::string& plan, const verify::Verdict& verdict) {
  return {"plan", fmt::format("the verifier refuses {}: {}", plan, to_string(verdict)),
          "this is a bug in espalier; please report it with the command line"};
}

/// Work of simulations in all unless --all is given, in messages: a second or two.
constexpr std::uint64_t kUsualMessages = std::uint64_t{1} << 18U;
/// Messages of a plan that is written or drawn: what espalier verify reads again, within 200 MB.
constexpr std::uint64_t kWrittenMessages = std::uint64_t{1} << 18U;
/// Messages of one plan, above which a long pipeline is simulated by its steady state only, and
/// verified by its first segments.
constexpr std::uint64_t kWholeMessages = std::uint64_t{1} << 16U;
/// Up to so many messages in all the root's part is looked at, which has few of them.
constexpr std::uint64_t kMessagesOfRoot = std::uint64_t{1} << 22U;

/// Messages of one plan that --all simulates: half a minute, and below 1 GB.
constexpr std::uint64_t kMostOfOne = std::uint64_t{1} << 21U;

/// Simulates a plan whole, or by its steady state, or not at all.
PlanRow row_of(const select::Choice& choice, select::SimulatedTimes& times, bool all) {
  PlanRow row{choice, std::nullopt, std::nullopt};
  if (all && times.messages_of(choice.plan, kMostOfOne) > kMostOfOne) {
    row.refusal = select::SimulatedTimes::Refusal::Messages;
    return row;
  }
  if (all || times.messages_of(choice.plan, kWholeMessages) <= kWholeMessages) {
    row.simulated = times.whole(choice.plan);
    if (row.simulated) row.finish = row.simulated->finish;
  } else {
    row.finish = times.of(choice.plan);
  }
  if (!row.finish) row.refusal = times.refusal();
  return row;
}

/// All plans by their simulated times, where there is none by the predicted ones. Ctrl-C ends the
/// simulations. None is verified here: plan_call verifies the chosen one alone.
/// @param chosen the row of the chosen plan
/// @param ranked all plans, that one first
std::vector<PlanRow> rows_of(PlanRow chosen, const std::vector<select::Choice>& ranked,
                             select::SimulatedTimes& times, bool all) {
  Progress progress("simulating", ranked.size(), Progress::Told::ByTheClock);
  std::vector<PlanRow> rows{std::move(chosen)};
  rows.reserve(ranked.size());
  for (const select::Choice& choice : std::span(ranked).subspan(1)) {
    if (Interruptible::is_interrupted()) {
      rows.push_back({choice, std::nullopt, std::nullopt});
      rows.back().refusal = select::SimulatedTimes::Refusal::Interrupted;
    } else {
      rows.push_back(row_of(choice, times, all));
    }
    progress.step();
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PlanRow& a, const PlanRow& b) { return a.time() < b.time(); });
  return rows;
}

/// Verifies the plan, a long pipeline by its first segments. Returns what to say of it.
Expected<std::string> verified(const select::Plan& plan, const Hierarchy& hierarchy,
                               const Collective& call, std::uint64_t messages) {
  constexpr std::uint64_t kMostSegments = 64;
  const std::uint64_t segment = select::segments_of(plan, call).most;
  Collective verified = call;
  std::uint64_t segments = 0;
  if (messages > kWholeMessages && segment > 0) {
    const std::uint64_t all = std::max<std::uint64_t>(1, call.count / segment);
    const std::uint64_t of_one = messages / all + 1;
    segments = std::clamp<std::uint64_t>(verified_messages(call.operation) / (2 * of_one), 2,
                                         kMostSegments);
    verified.count = std::min(call.count, segments * segment);
    // Not all plans have fewer messages for fewer segments.
    messages = select::SimulatedTimes(hierarchy, verified, 0).messages_of(plan);
  }
  if (!is_verified(verified, messages)) return not_verified(call.operation);
  const Schedule schedule = schedule_of(candidate_of(plan, hierarchy, verified), verified);
  const verify::Verdict verdict = verify::verify(schedule);
  if (!verdict.ok()) return refused(schedule.algorithm, verdict);
  if (verified.count == call.count) return std::string("verified");
  return fmt::format("verified for its first {} segments", segments);
}

/// Plans of one name are one plan, though parameters that do not matter may differ.
void put_first(std::vector<select::Choice>& ranked, select::Choice chosen, const Collective& call) {
  const std::string name = name_of(chosen.plan, call);
  std::erase_if(ranked, [&](const select::Choice& choice) {
    return choice.plan == chosen.plan || name_of(choice.plan, call) == name;
  });
  ranked.insert(ranked.begin(), std::move(chosen));
}

/// Numbers of 4 or 8 bytes are taken for floating-point ones, summed in bins.
Expected<std::optional<OrderFree>> order_free(const Hierarchy& hierarchy, const Collective& call) {
  const bool sums = call.operation == schedule::Operation::Reduce ||
                    call.operation == schedule::Operation::Allreduce ||
                    call.operation == schedule::Operation::ReduceScatter;
  if (!sums || (call.element.value != 4 && call.element.value != 8))
    return std::optional<OrderFree>{};
  Collective wide = call;
  wide.element = Bytes{call.element.value == 8 ? sizeof(reproducible::Binned<double>)
                                               : sizeof(reproducible::Binned<float>)};
  wide.commutative = true;
  select::Chooser chooser(hierarchy);
  const select::Plan plan = *chooser.choose(wide, select::WhichPlan::Best).plan;
  OrderFree found{wide.element, name_of(plan, wide), chooser.predictor()(plan, wide), std::nullopt};
  const Machine& machine = hierarchy.machine();
  if (machine.size() > kAlwaysVerifiedUpTo) return std::optional(found);
  const Schedule schedule = schedule_of(candidate_of(plan, hierarchy, wide), wide);
  const verify::Verdict verdict = verify::verify(schedule);
  if (!verdict.ok()) return refused(found.plan, verdict);
  found.simulated = sim::simulate(schedule, machine).finish;
  return std::optional(found);
}

/// Who sends to whom, and when.
std::string plan_svg(const Schedule& schedule, const Machine& machine) {
  sim::SimOptions traced;
  traced.trace = true;
  const report::SimulatedPlan plan{
      schedule.algorithm, schedule.call, sim::simulate(schedule, machine, traced), {}};
  const std::string traffic = report::traffic_svg(plan, machine);
  return report::stack_svg({traffic, report::timeline_svg(plan, machine, report::Detail::Folded,
                                                          report::width_of_svg(traffic))});
}

/// The whole plan, written or drawn.
Outcome write_whole(const PlanOptions& options, formats::Form form, const Schedule& schedule,
                    const Machine& machine) {
  if (!options.schedule.empty()) {
    if (auto failed = write_schedule(schedule, form, options.schedule)) return failed;
  }
  if (options.svg.empty()) return {};
  return write_output(options.svg, plan_svg(schedule, machine));
}

Outcome plan_call(const PlanOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  const auto form = form_from(given_or(options.schedule_format, "json"), "--schedule-format");
  if (!form) return Failure{form.error()};
  if (auto twice = written_twice("--svg", options.svg, "--schedule", options.schedule)) {
    return Failure{*twice};
  }
  if (options.schedule == "-" && options.json) {
    return Failure{{"--schedule", "two things would go to standard output", "name a file for one"}};
  }
  if (options.counts.given()) {
    return plan_irregular(
        {{options.operation, options.machine, options.root, options.size, options.counts},
         options.json ? TableForm::Json : TableForm::Text,
         options.all,
         options.mpi,
         options.schedule,
         *form},
        *canvas);
  }
  if (auto wrong = why_no_operation(options.operation)) return Failure{*std::move(wrong)};
  auto machine = timed_machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  *machine = topology::as_planned(*machine);
  auto call = call_from(options, *machine);
  if (!call) return Failure{call.error()};
  if (options.reproducible && !reduces(call->operation)) {
    return Failure{{"--reproducible", fmt::format("{} combines nothing", name_of(call->operation)),
                    "leave it out"}};
  }
  const bool whole = !options.svg.empty() || !options.schedule.empty();
  if (whole && machine->size() > kPlannedUpTo) {
    return Failure{{"--machine",
                    fmt::format("{} processes; whole plans are written and drawn for up to {}",
                                machine->size(), kPlannedUpTo),
                    "leave out --svg and --schedule, or take a smaller machine"}};
  }

  auto rules = rules_under(options.mpi);
  if (!rules) return Failure{rules.error()};
  if (options.reproducible) rules->bits = select::Bits::Reference;
  const Hierarchy hierarchy(*machine);
  select::Chooser chooser(hierarchy, *rules);
  const bool has_mpi = !options.mpi.empty();
  const select::PlanChoice best = chooser.choose(*call, select::WhichPlan::Best);
  const select::Plan& chosen = *best.plan;
  const select::Choice choice{chosen, chooser.predictor()(chosen, *call)};
  // The choice is told at once, the rest of its line when it is known. What is written or drawn
  // comes before anything is printed: what cannot be written is told alone.
  // Behind --all simulations are long: their progress would be drawn over a line that is begun.
  const bool is_told = !whole && !options.json && !options.all;
  if (is_told) {
    if (auto failed = write_output("-", plan_choice(*call, choice))) return failed;
  }
  constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();
  select::SimulatedTimes times(hierarchy, *call, options.all ? kNoLimit : kUsualMessages);
  const std::uint64_t messages = times.messages_of(chosen);
  if (whole && messages > kWrittenMessages) {
    return Failure{
        {options.schedule.empty() ? "--svg" : "--schedule",
         fmt::format("{} has {} messages; up to {} are written or drawn", name_of(chosen, *call),
                     report::grouped(messages), report::grouped(kWrittenMessages)),
         "leave it out, or take a smaller --size or machine"}};
  }
  const Interruptible interruptible;
  std::optional<Progress> progress;
  if (options.all) progress.emplace("simulating", 1, Progress::Told::ByTheClock);
  auto verdict = verified(chosen, hierarchy, *call, messages);
  if (!verdict) {
    if (is_told) (void)write_output("-", "\n");
    return Failure{verdict.error(), kExitInternal};
  }
  PlanRow first = row_of(choice, times, options.all);
  progress.reset();
  PlanReport report{*machine,
                    *call,
                    {std::move(first)},
                    0,
                    has_mpi ? chooser.choose(*call) : best,
                    options.mpi,
                    has_mpi ? chooser.alternatives(*call) : std::vector<select::Alternative>{},
                    *verdict,
                    0,
                    {},
                    {},
                    {},
                    {},
                    {}};
  if (has_mpi && report.runs.native_predicted) {
    report.native = select::native_choice(rules->mpi, chooser.predictor(), *call);
  }
  if (whole || (machine->size() <= kAlwaysVerifiedUpTo && messages <= kWholeMessages)) {
    const Schedule schedule = schedule_of(candidate_of(chosen, hierarchy, *call), *call);
    report.hash = hash_of(schedule);
    if (auto failed = write_whole(options, *form, schedule, *machine)) return failed;
    if (options.svg == "-" || options.schedule == "-") return {};
  }
  if (messages <= kMessagesOfRoot) {
    report.root_peers = peers_of(candidate_of(chosen, hierarchy, *call).program_of(call->root));
  }
  if (!options.json) {
    const std::string begin = is_told ? "" : plan_choice(*call, choice);
    if (auto failed = write_output("-", begin + plan_choice_settled(report))) return failed;
  }
  report.least = bound::lower_bound(*machine, *call);
  std::vector<select::Choice> ranked =
      ranking(hierarchy, chooser.predictor().cost_view(), *call, rules->bits);
  put_first(ranked, choice, *call);
  report.formula = formula(chosen, hierarchy, *call);
  report.limits = limits(ranked, hierarchy, *call);
  if (options.reproducible) {
    auto sum = order_free(hierarchy, *call);
    if (!sum) return Failure{sum.error(), kExitInternal};
    report.order_free = *sum;
  }
  if (!options.reproducible) report.in_memory = select::predict_shared_memory(*machine, *call);
  report.rows = rows_of(std::move(report.rows.front()), ranked, times, options.all);
  const auto mine = std::find_if(report.rows.begin(), report.rows.end(),
                                 [&](const PlanRow& row) { return row.choice.plan == chosen; });
  report.chosen = static_cast<std::size_t>(mine - report.rows.begin());
  constexpr std::size_t kShown = 12;
  const std::string text = options.json
                               ? plan_json(report)
                               : plan_text(report, *canvas, options.all ? kEveryRow : kShown);
  if (auto failed = write_output("-", text)) return failed;
  if (Interruptible::is_interrupted()) return Failure{{}, kExitInterrupted};
  return {};
}

constexpr std::string_view kPlanDescription =
    "Plans a collective on a machine: takes every plan that Espalier knows for it (multilevel "
    "plans with several trees and segment sizes, plans with several leaders a cluster, two-level "
    "trees, trees blind to the topology, the classical algorithms), predicts the time of each in "
    "closed form, simulates those near the best, and chooses as the library does at a call: one "
    "plan for sizes that differ by less than a quarter, with segments that MPI sends without a "
    "handshake. The chosen plan is "
    "verified: every rank ends with the right data, nothing waits for ever, no step uses what is "
    "not there yet.\n\n"
    "--mpi says which MPI library a program would run under. Then the answer is what the library "
    "does there without trials: the plan, or native where no plan is predicted to gain; the "
    "algorithm that the native call is taken for, and its time with the handshakes of messages "
    "above the library's eager limit; and what trials would compare.\n\n"
    "Plans are also simulated, message by message with links shared fairly, and shown in that "
    "order with what crosses each level; long pipelines by their steady state. By default about "
    "260,000 messages are simulated in all, the best by prediction first. Messages that share "
    "links "
    "at once count for more, since each changes the speed of the others. --all simulates every "
    "plan of up to 2,097,152 messages, and may take long. Ctrl-C ends the simulations, and shows "
    "what is there. Below the "
    "table stand what "
    "each level does, the prediction as a formula (L: latency, m: message, B: bandwidth of a "
    "level) with the latencies at which another plan would win, and a time that no plan can beat "
    "on this machine, and why.\n\n"
    "--size is the message of broadcast, reduce, allreduce and scan, and each rank's block of the "
    "others.\n\n"
    "With --counts the blocks of a scatterv, gatherv, allgatherv or alltoallv differ. The choice "
    "is again what the library takes. For a scatterv or gatherv that is a tree by the lengths, "
    "which the root chooses quickly. For an allgatherv it is a plan by the lengths, made when "
    "such calls came often enough; before that it is one for equal blocks of a length near their "
    "mean (16 KiB for means from 4 KiB to 64 KiB, 256 KiB up to 1 MiB, and so on). For an "
    "alltoallv it is a plan for equal blocks of 1 KiB. With --mpi it says what the first calls "
    "run along if that is something else.\n\n"
    "The table has trees that go by the lengths. They are simulated sending at once, one by one "
    "and in pieces, and the best is improved by local search. \"3 blocks by themselves\": the 3 "
    "longest blocks go through the tree each in messages of its own, the others together. By "
    "default about 16,000 messages are simulated in all (260,000 of allgatherv and alltoallv), and "
    "the output says what was not; --all simulates every plan. espalier simulate with the same "
    "call draws one (--svg).";

constexpr std::string_view kPlanExamples =
    "espalier plan broadcast --machine three-machines --size 1MiB\n"
    "espalier plan allreduce -m \"site:3(20ms,1Gbit/s) proc:8(5us,10Gbit/s)\" --size 64KiB\n"
    "espalier plan reduce -m grid.json --size 1MiB --reproducible --svg plan.svg\n"
    "espalier plan scatterv -m grid.json --counts powerlaw:7 --size 100KB\n"
    "espalier plan barrier -m grid.json --json";

}  // namespace

Command plan_command() {
  Manual manual{.name = "plan",
                .tagline = "plans for a collective, predicted and simulated, one chosen",
                .synopsis =
                    "plan OPERATION --machine MACHINE [--size BYTES] [--root RANK] [--ordered] "
                    "[--element BYTES] [--mpi mpich|openmpi|smpi] [--reproducible] "
                    "[--schedule FILE [--schedule-format FORM]] "
                    "[--all|--json|--svg FILE]\n"
                    "plan OPERATION --machine MACHINE --counts FILE|DISTRIBUTION [--size BYTES] "
                    "[--root RANK] "
                    "[--memory BYTES] [--mpi mpich|openmpi|smpi|--model MODEL] "
                    "[--schedule FILE [--schedule-format FORM]] [--all|--json]",
                .description = std::string(kPlanDescription),
                .sections = {machines_section()},
                .examples = std::string(kPlanExamples)};
  return {std::move(manual), [](App& app, const Globals& globals) {
            const auto options = std::make_shared<PlanOptions>();
            declare(app, static_cast<CallOptions&>(*options));
            app.add_option("--mpi", options->mpi,
                           "The MPI library that a program would run under: mpich, openmpi or "
                           "smpi. Says whether the plan or the native call would run there.")
                .type_name("MPI");
            app.add_flag("--reproducible", options->reproducible,
                         "Reductions in the reference order of the ranks: the same bits on every "
                         "machine.");
            const Option schedule =
                app.add_option("--schedule", options->schedule,
                               "Write the chosen plan, all ranks' programs, to FILE; - is standard "
                               "output.")
                    .type_name("FILE");
            app.add_option("--schedule-format", options->schedule_format,
                           "json, goal or msccl: see espalier convert. Default: json.")
                .type_name("FORM")
                .needs(schedule);
            const Option all =
                app.add_flag("--all", options->all, "Simulate and show every candidate.");
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
