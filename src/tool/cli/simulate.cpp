#include "sim/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "cli/request.hpp"
#include "cli/schedule_files.hpp"
#include "report/simulated_plan.hpp"
#include "select/chooser.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Schedule;
using topology::Machine;

struct SimulateOptions : CallOptions {
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

sim::Sharing usual_sharing(const Machine& machine) {
  return machine.size() > kExactUpTo ? sim::Sharing::OneBottleneck : sim::Sharing::ExactMaxMin;
}

Expected<sim::SimOptions> conditions_from(const SimulateOptions& options, const Machine& machine) {
  sim::SimOptions conditions;
  conditions.trace = true;
  conditions.sharing = usual_sharing(machine);
  if (options.sharing == "exact" || options.sharing == "bottleneck") {
    conditions.sharing =
        options.sharing == "exact" ? sim::Sharing::ExactMaxMin : sim::Sharing::OneBottleneck;
  } else if (!options.sharing.empty()) {
    return Error{"--sharing",
                 fmt::format("\"{}\" is not one of exact, bottleneck", options.sharing),
                 "leave it out: exact up to 256 processes, bottleneck above"};
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
  const std::string near = nearest(name, known);
  return Error{"--algorithm",
               fmt::format("there is no plan \"{}\" for {}", name, report::call_in_words(call)),
               fmt::format("{}the plans are: {}",
                           near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near),
                           fmt::join(known, ", "))};
}

/// A schedule from a file, for as many ranks as the machine has.
Expected<Schedule> read_schedule(const SimulateOptions& options, const Machine& machine) {
  if (!options.operation.empty()) {
    return Error{"OPERATION", "there is a schedule to simulate already",
                 "give an operation, or --schedule FILE"};
  }
  auto file = schedule_from(options.schedule, "--schedule");
  if (!file) return file.error();
  Schedule& schedule = file->loaded.schedule;
  if (schedule.programs.size() == machine.size()) return std::move(schedule);
  return Error{
      "--machine",
      fmt::format("{} processes; the schedule is for {}", machine.size(), schedule.programs.size()),
      "take a machine of as many processes"};
}

/// The schedule that is asked for, all ranks' programs.
Expected<Schedule> make_schedule(const SimulateOptions& options, const Machine& machine) {
  if (options.operation.empty()) {
    return Error{"OPERATION", "nothing to simulate", "name an operation, or give --schedule FILE"};
  }
  if (machine.size() > kPlannedUpTo) {
    return Error{
        "--machine",
        fmt::format("{} processes; plans are simulated for up to {}", machine.size(), kPlannedUpTo),
        "simulate a smaller machine of the same shape"};
  }
  auto call = call_from(options, machine.size());
  if (!call) return call.error();
  const collective::Hierarchy hierarchy(machine);
  auto candidate = candidate_from(options.algorithm, hierarchy, *call);
  if (!candidate) return candidate.error();
  return schedule_of(*candidate, *call);
}

/// Simulates a schedule, wherever it comes from, and shows what happens.
Outcome show_simulation(const Schedule& schedule, const Machine& machine,
                        const sim::SimOptions& conditions, const SimulateOptions& options,
                        const report::Canvas& canvas) {
  const report::SimulatedPlan plan{schedule.algorithm, schedule.call,
                                   sim::simulate(schedule, machine, conditions), conditions.skew};
  const auto detail = options.all ? report::Detail::Everything : report::Detail::Folded;
  if (options.json) return write_output("-", report::simulation_json(plan, machine));
  if (!options.svg.empty()) {
    return write_output(options.svg, report::timeline_svg(plan, machine, detail));
  }
  return write_output("-", report::draw_timeline(plan, machine, canvas, detail));
}

Outcome simulate_call(const SimulateOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto machine = machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  auto conditions = conditions_from(options, *machine);
  if (!conditions) return Failure{conditions.error()};
  const bool from_file = !options.schedule.empty();
  auto schedule = from_file ? read_schedule(options, *machine) : make_schedule(options, *machine);
  if (!schedule) return Failure{schedule.error()};
  if (!from_file && machine->size() <= kVerifiedUpTo) {
    const verify::Verdict verdict = verify::verify(*schedule);
    if (!verdict.ok()) {
      return Failure{{"simulate", "the verifier refuses this plan: " + to_string(verdict),
                      "this is a bug in espalier; please report it with the command line"},
                     kExitInternal};
    }
  }
  return show_simulation(*schedule, *machine, *conditions, options, *canvas);
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
    "never ends is shown as that. espalier verify says why. "
    "docs/simulation.md says what is modelled.";

Section skew_section() {
  return {"LATE RANKS",
          "--skew says who enters the call late, and by how much. The plan stays the one that is "
          "chosen when nobody is late: nobody knows beforehand.\n\n"
          " 5ms@3              rank 3, by 5 ms\n"
          " 5ms@3,200us@8-11   several\n"
          " random:2ms:7       each rank by up to 2 ms, evenly spread, from seed 7\n"};
}

constexpr std::string_view kSimulateExamples =
    "espalier simulate broadcast --machine data/machines/three-machines.json --size 1MiB\n"
    "espalier simulate allreduce -m grid.json --algorithm ring --svg timeline.svg\n"
    "espalier simulate barrier -m grid.json --skew 5ms@3";

}  // namespace

Command simulate_command() {
  Manual manual{.name = "simulate",
                .tagline = "one plan for a collective over time, with its critical path",
                .synopsis =
                    "simulate OPERATION|--schedule FILE --machine MACHINE [--size BYTES] [--root "
                    "RANK] [--ordered] "
                    "[--element BYTES] [--algorithm NAME] [--skew LATE] "
                    "[--sharing exact|bottleneck] [--eager BYTES] [--all] [--json|--svg FILE]",
                .description = std::string(kSimulateDescription),
                .sections = {skew_section(), machines_section()},
                .examples = std::string(kSimulateExamples)};
  return {std::move(manual), [](App& app, const Globals& globals) {
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
            app.add_option("--sharing", options->sharing,
                           "How messages share links: exact (max-min fair) or bottleneck (one "
                           "after the other; faster). Default: exact up to 256 processes.")
                .type_name("RULE");
            app.add_option("--eager", options->eager,
                           "Messages of fewer bytes need no receiver to be sent. Default: 64KiB.")
                .type_name("BYTES");
            app.add_flag("--all", options->all, "Show every rank and every step.");
            const Option json = app.add_flag(
                "--json", options->json, "Write every message as JSON (espalier-simulation-1).");
            app.add_option("--svg", options->svg,
                           "Write a drawing of the time lines to FILE; - is standard output.")
                .type_name("FILE")
                .excludes(json);
            return [options, &globals] { return simulate_call(*options, globals); };
          }};
}

}  // namespace espalier::cli
