#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/nearest.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/irregular.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "cli/request.hpp"
#include "cli/schedule_files.hpp"
#include "report/simulated_plan.hpp"
#include "report/text.hpp"
#include "select/chooser.hpp"
#include "select/predict.hpp"
#include "select/segments.hpp"
#include "select/simulated_times.hpp"
#include "sim/simulate_within.hpp"
#include "topology/views.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Schedule;
using topology::Machine;

struct SimulateOptions : CallOptions {
  CountsOptions counts;
  std::string algorithm;
  std::string schedule;
  std::string skew;
  std::string sharing;
  std::string eager = "64KiB";
  std::string svg;
  bool all = false;
  bool json = false;
};

Error at_option(std::string where, Error error) {
  if (error.where.empty()) error.where = std::move(where);
  return error;
}

Expected<sim::SimOptions> conditions_from(const SimulateOptions& options, const Machine& machine) {
  sim::SimOptions conditions;
  conditions.trace = true;
  if (options.sharing == "exact" || options.sharing == "bottleneck") {
    conditions.sharing =
        options.sharing == "exact" ? sim::Sharing::ExactMaxMin : sim::Sharing::OneBottleneck;
  } else if (!options.sharing.empty()) {
    return Error{"--sharing",
                 fmt::format("\"{}\" is not one of exact, bottleneck", options.sharing),
                 "leave it out: exact, as espalier plan simulates, unless that takes long"};
  }
  auto eager = parse_bytes(options.eager);
  if (!eager) return at_option("--eager", eager.error());
  conditions.eager_limit = *eager;
  auto skew = parse_skew(options.skew, machine.size());
  if (!skew) return at_option("--skew", skew.error());
  conditions.skew = std::move(*skew);
  return conditions;
}

/// The candidate of this name, or the one that `plan` chooses: without late ranks.
Expected<select::Candidate> candidate_from(const std::string& name,
                                           const collective::Hierarchy& hierarchy,
                                           const Collective& call) {
  if (name.empty()) {
    select::Chooser chooser(hierarchy);
    return candidate_of(*chooser.choose(call, select::WhichPlan::Best).plan, hierarchy, call);
  }
  if (auto named = select::candidate_called(name, hierarchy, call)) return *std::move(named);
  std::vector<std::string> known;
  for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
    known.push_back(candidate.name);
  }
  return Error{
      "--algorithm",
      fmt::format("there is no plan \"{}\" for {}", name, report::call_in_words(call)),
      fmt::format("{}the plans are: {}; \"espalier plan\" with --all and the same call lists "
                  "them",
                  did_you_mean(name, known), some_names(name, known))};
}

/// Messages that are simulated and drawn: a second or two, and some 100 MB.
constexpr std::uint64_t kDrawnMessages = std::uint64_t{1} << 17U;

/// Messages that are simulated without being drawn: some ten seconds.
constexpr std::uint64_t kCountedMessages = std::uint64_t{1} << 21U;

/// Links are shared exactly, as in the table of espalier plan, if that is as much work as so many
/// messages, some two seconds, or if it was asked for.
sim::Budget budget_of(const SimulateOptions& options) {
  constexpr std::uint64_t kSharedExactly = std::uint64_t{1} << 20U;
  return options.sharing == "exact" ? sim::Budget::unlimited() : sim::Budget(kSharedExactly);
}

/// Tells that links are not shared exactly, unless that was asked for.
void tell_rough_sharing(sim::Sharing wanted, sim::Sharing done) {
  if (wanted == done) return;
  write_message(
      "note: so many messages share links at once that exact sharing would take long: links serve "
      "one after the other here, so times may differ from those of espalier plan (--sharing exact "
      "shares exactly, however long it takes)\n");
}

/// What is simulated, and what to say of it if it is not all that was asked for.
struct Shown {
  Schedule schedule;
  std::string note;
  /// Set if there are too many messages to be drawn: then there is no schedule.
  std::optional<sim::SimResult> summary;
};

/// A schedule from a file, for as many ranks as the machine has.
Expected<Schedule> read_schedule(const SimulateOptions& options, const Machine& machine) {
  if (!options.operation.empty()) {
    return Error{"OPERATION", "there is a schedule to simulate already",
                 "give an operation, or --schedule FILE"};
  }
  const auto given = {std::pair{"--algorithm", &options.algorithm},
                      std::pair{"--root", &options.root}, std::pair{"--size", &options.size},
                      std::pair{"--element", &options.element},
                      std::pair{"--counts", &options.counts.counts}};
  for (const auto& [name, value] : given) {
    if (!value->empty()) return Error{name, "the schedule has its own", "leave it out"};
  }
  if (options.ordered) return Error{"--ordered", "the schedule has its own", "leave it out"};
  auto file = simulable_schedule_from(options.schedule, "--schedule");
  if (!file) return file.error();
  Schedule& schedule = file->loaded.schedule;
  if (schedule.programs.size() == machine.size()) return std::move(schedule);
  return Error{
      "--machine",
      fmt::format("{} processes; the schedule is for {}", machine.size(), schedule.programs.size()),
      "take a machine of as many processes"};
}

/// The call with as many of its first segments as may be drawn; the call itself if it has few
/// messages; nothing if even one segment has too many.
std::optional<Collective> drawn_part(const select::Plan& plan,
                                     const collective::Hierarchy& hierarchy,
                                     const Collective& call) {
  const auto messages_of = [&](const Collective& part) {
    return select::SimulatedTimes(hierarchy, part, 0).messages_of(plan);
  };
  if (messages_of(call) <= kDrawnMessages) return call;
  const std::uint64_t segment = select::segments_of(plan, call).most;
  Collective part = call;
  for (std::uint64_t segments = 64; segment > 0 && segments > 0; segments /= 2) {
    part.count = std::min(call.count, segments * segment);
    if (messages_of(part) <= kDrawnMessages) return part;
  }
  return std::nullopt;
}

/// A plan with too many messages to be drawn: what it comes to, as long as that can be simulated.
/// @param conditions if links cannot be shared exactly, they say so afterwards
Expected<Shown> summary_of(const SimulateOptions& options, const select::Plan& plan,
                           const collective::Hierarchy& hierarchy, const Collective& call,
                           sim::SimOptions& conditions) {
  const select::SimulatedTimes times(hierarchy, call, 0);
  const std::string messages = report::grouped(times.messages_of(plan));
  const Time predicted =
      select::predict(plan, select::CostView(hierarchy.machine()), hierarchy, call);
  const std::string takes = rounded(predicted);
  if (times.messages_of(plan) > kCountedMessages) {
    return Error{
        "--machine",
        fmt::format("{} has {} messages; up to {} are simulated", name_of(plan, call), messages,
                    report::grouped(kCountedMessages)),
        fmt::format("it is predicted to take {}; take a smaller machine of the same shape", takes)};
  }
  write_message(
      fmt::format("note: {} messages of {} are simulated, too many to be drawn; it is "
                  "predicted to take {}\n",
                  messages, name_of(plan, call), takes));
  Schedule named;
  named.algorithm = name_of(plan, call);
  named.call = call;
  conditions.trace = false;
  const sim::Sharing wanted = conditions.sharing;
  Shown shown{std::move(named), "", {}};
  {
    Progress progress("simulating messages", times.messages_of(plan), Progress::Told::ByTheClock);
    progress.listen();
    shown.summary = sim::simulate_as_exactly_as(budget_of(options), call,
                                                candidate_of(plan, hierarchy, call).program_of,
                                                hierarchy.machine(), conditions);
  }
  tell_rough_sharing(wanted, conditions.sharing);
  return shown;
}

/// The plan that is asked for, all ranks' programs.
Expected<Shown> make_schedule(const SimulateOptions& options, const Machine& machine,
                              sim::SimOptions& conditions) {
  if (options.operation.empty()) {
    return Error{"OPERATION", "nothing to simulate", "name an operation, or give --schedule FILE"};
  }
  auto call = call_from(options, machine);
  if (!call) return call.error();
  const collective::Hierarchy hierarchy(machine);
  auto candidate = candidate_from(options.algorithm, hierarchy, *call);
  if (!candidate) return candidate.error();
  const auto part = drawn_part(candidate->plan, hierarchy, *call);
  if (!part && (options.json || !options.svg.empty())) {
    return Error{
        options.json ? "--json" : "--svg",
        fmt::format("up to {} messages are written or drawn", report::grouped(kDrawnMessages)),
        "leave it out, or take a smaller machine of the same shape"};
  }
  if (!part) return summary_of(options, candidate->plan, hierarchy, *call, conditions);
  if (part->count == call->count) return Shown{schedule_of(*candidate, *call), "", {}};
  const std::uint64_t segment = select::segments_of(candidate->plan, *call).most;
  std::string note =
      fmt::format("Shown are the first {} of {} segments.", report::grouped(part->count / segment),
                  report::grouped((call->count + segment - 1) / segment));
  select::SimulatedTimes times(hierarchy, *call, kCountedMessages, conditions);
  if (const auto whole = times.of(candidate->plan)) {
    note += fmt::format(" All of {} takes {}, by its steady state.", report::call_in_words(*call),
                        rounded(*whole));
  } else {
    const select::CostView costs(hierarchy.machine());
    note += fmt::format(" All of {} is predicted to take {}.", report::call_in_words(*call),
                        rounded(select::predict(candidate->plan, costs, hierarchy, *call)));
  }
  return Shown{
      schedule_of(candidate_of(candidate->plan, hierarchy, *part), *part), std::move(note), {}};
}

std::string_view sharing_in_words(const sim::SimOptions& conditions) {
  if (conditions.sharing != sim::Sharing::ExactMaxMin) {
    return "Links serve one message after the other (--sharing bottleneck).";
  }
  return conditions.shares_by_latency
             ? "Links are shared as under SimGrid, near messages get more (--sharing exact)."
             : "Links are shared max-min fairly (--sharing exact).";
}

/// Simulates a schedule, wherever it comes from, and shows what happens.
Outcome show_simulation(const Shown& shown, const Machine& machine, sim::SimOptions conditions,
                        const SimulateOptions& options, const report::Canvas& canvas) {
  const Schedule& schedule = shown.schedule;
  if (shown.summary) {
    return write_output(
        "-",
        fmt::format("{}: {}, done after {}\n\nwhat crosses each level\n{}\n{}The plan is {}.\n",
                    report::call_in_words(schedule.call), schedule.algorithm,
                    rounded(shown.summary->finish),
                    report::to_text(report::level_use_table(*shown.summary, machine), canvas),
                    report::wrapped(sharing_in_words(conditions), canvas.width, ""),
                    not_verified(schedule.call.operation)));
  }
  const sim::Sharing wanted = conditions.sharing;
  const report::SimulatedPlan plan{
      schedule.algorithm, schedule.call,
      sim::simulate_as_exactly_as(budget_of(options), schedule, machine, conditions),
      conditions.skew};
  tell_rough_sharing(wanted, conditions.sharing);
  const auto detail = options.all ? report::Detail::Everything : report::Detail::Folded;
  if (!shown.note.empty()) write_message(fmt::format("note: {}\n", shown.note));
  if (options.json) return write_output("-", report::simulation_json(plan, machine));
  return write_drawing(
      options.svg, [&] { return report::timeline_svg(plan, machine, detail); },
      [&] {
        return report::draw_timeline(plan, machine, canvas, detail) + "\n" +
               report::wrapped(sharing_in_words(conditions), canvas.width, "") +
               (is_verified(schedule)
                    ? ""
                    : "The plan is " + not_verified(schedule.call.operation) + ".\n");
      });
}

/// Verifies a plan of ours, if it has not too many messages for that.
Outcome verify_plan(const Schedule& schedule) {
  if (!is_verified(schedule)) return {};
  const verify::Verdict verdict = verify::verify(schedule);
  if (verdict.ok()) return {};
  return Failure{{"simulate", "the verifier refuses this plan: " + to_string(verdict),
                  "this is a bug in espalier; please report it with the command line"},
                 kExitInternal};
}

Outcome simulate_call(const SimulateOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (!options.operation.empty() && !options.counts.given()) {
    if (auto wrong = why_no_operation(options.operation)) return Failure{*std::move(wrong)};
  }
  auto machine = timed_machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  auto conditions = conditions_from(options, *machine);
  if (!conditions) return Failure{conditions.error()};
  if (!options.schedule.empty()) {
    auto schedule = read_schedule(options, *machine);
    if (!schedule) return Failure{schedule.error()};
    return show_simulation({*std::move(schedule), "", {}}, *machine, *conditions, options, *canvas);
  }
  *machine = topology::as_planned(*machine);
  Expected<Shown> shown = Error{};
  if (options.counts.given()) {
    const sim::Sharing wanted = conditions->sharing;
    auto schedule = irregular_schedule(
        {options.operation, options.machine, options.root, options.size, options.counts}, *machine,
        options.algorithm, *conditions);
    if (!options.sharing.empty()) conditions->sharing = wanted;
    shown = schedule ? Expected<Shown>(Shown{*std::move(schedule), "", {}}) : schedule.error();
  } else {
    shown = make_schedule(options, *machine, *conditions);
  }
  if (!shown) return Failure{shown.error()};
  if (!shown->summary) {
    if (Outcome wrong = verify_plan(shown->schedule)) return wrong;
  }
  return show_simulation(*shown, *machine, *conditions, options, *canvas);
}

constexpr std::string_view kSimulateDescription =
    "Simulates one plan for a collective, message by message, and shows what happens: a time line "
    "for each rank (of more than 24: for those on the critical path, and in each cluster those "
    "that "
    "have most to do with the slowest channels), the critical path as a list (what must become "
    "faster before the "
    "whole does), messages and bytes of each level, and the busiest resource.\n\n"
    "The plan is the one that espalier plan chooses, any other of its table, by name, or a "
    "schedule from a file (JSON, GOAL, MSCCL-XML: see espalier convert), which may be wrong: what "
    "never ends is shown as that. espalier verify says why. Calls whose blocks differ must keep "
    "within their buffers. "
    "docs/simulation.md says what is modelled.\n\n"
    "Of a long pipeline on many ranks the first segments are shown, and the time of all of it. "
    "With --counts the blocks of a scatterv, gatherv, allgatherv or alltoallv differ.";

Section skew_section() {
  return {"LATE RANKS",
          "--skew says who enters the call late, and by how much. The plan stays the one that is "
          "chosen when nobody is late: nobody knows beforehand.\n\n"
          " 5ms@3              rank 3, by 5 ms\n"
          " 5ms@3,200us@8-11   several\n"
          " random:2ms:7       each rank by up to 2 ms, evenly spread, from seed 7\n"};
}

constexpr std::string_view kSimulateExamples =
    "espalier simulate broadcast --machine three-machines --size 1MiB\n"
    "espalier simulate allreduce -m grid.json --algorithm ring --svg timeline.svg\n"
    "espalier simulate barrier -m grid.json --skew 5ms@3";

}  // namespace

Command simulate_command() {
  Manual manual{
      .name = "simulate",
      .tagline = "one plan of a collective over time, its critical path",
      .synopsis =
          "simulate OPERATION|--schedule FILE --machine MACHINE [--size BYTES] [--root "
          "RANK] [--ordered] "
          "[--element BYTES] [--counts FILE|DISTRIBUTION [--memory BYTES] [--model MODEL]] "
          "[--algorithm NAME] [--skew LATE] "
          "[--sharing exact|bottleneck] [--eager BYTES] [--all] [--json|--svg FILE]",
      .description = std::string(kSimulateDescription),
      .sections = {skew_section(), machines_section()},
      .examples = std::string(kSimulateExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<SimulateOptions>();
        declare(app, *options, false);
        app.add_option("--schedule", options->schedule,
                       "Simulate the schedule of this file instead of a plan of ours.")
            .type_name("FILE");
        app.add_option("-a,--algorithm", options->algorithm,
                       "A plan as the table of espalier plan --all names it. Default: the "
                       "chosen one.")
            .type_name("NAME");
        app.add_option("--skew", options->skew, "Who enters late: see LATE RANKS.")
            .type_name("LATE");
        app.add_option(
               "--sharing", options->sharing,
               "How messages share links: exact (all at once, max-min fairly; with --counts as "
               "under SimGrid, where near messages get more) or bottleneck (one after the other; "
               "faster). Default: exact, unless that takes long; a note says so.")
            .type_name("RULE");
        app.add_option("--eager", options->eager,
                       "Messages of fewer bytes need no receiver to be sent. Default: 64KiB.")
            .type_name("BYTES");
        const Option all = app.add_flag("--all", options->all, "Show every rank and every step.");
        const Option json = app.add_flag("--json", options->json,
                                         "Write every message as JSON (espalier-simulation-1).")
                                .excludes(all);
        app.add_option("--svg", options->svg,
                       "Write a drawing of the time lines to FILE; - is standard output.")
            .type_name("FILE")
            .excludes(json);
        declare(app, options->counts);
        return [options, &globals] { return simulate_call(*options, globals); };
      }};
}

}  // namespace espalier::cli
