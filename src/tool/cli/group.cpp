#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "base/nearest.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/group_report.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "group/along_topology.hpp"
#include "group/blue_gene.hpp"
#include "model/machine_models.hpp"

namespace espalier::cli {
namespace {

using group::Experiment;
using group::Scheme;

/// Each process of it holds a word of each other.
constexpr Rank kAllgatherUpTo = 4096;
constexpr std::uint64_t kMostProcesses = 4'194'304;

struct GroupOptions {
  std::string action;
  std::string processes = "4096";
  std::string fraction = "0.6";
  std::string degree = "3";
  std::string scheme = "all";
  std::string colours = "1";
  std::string groups = "1";
  std::string seed = "1";
  std::string machine;
  std::string svg;
  bool json = false;
};

Expected<std::uint64_t> number_from(const std::string& text, const std::string& where,
                                    std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || code != std::errc() || number < least || number > most) {
    return Error{where,
                 fmt::format("\"{}\" is not a whole number from {} to {}", text, least, most),
                 fmt::format("write {}, say", std::max<std::uint64_t>(least, 3))};
  }
  return number;
}

Expected<std::uint64_t> fraction_from(const std::string& text) {
  auto millionths = parse_millionths(text);
  if (millionths && *millionths <= 1'000'000) return *millionths;
  return Error{"--fraction", fmt::format("\"{}\" is not a number from 0 to 1", text),
               "write 0.6, say"};
}

Expected<std::vector<Scheme>> schemes_from(const std::string& text) {
  if (text == "all") return group::all_schemes();
  std::vector<Scheme> schemes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    auto scheme = group::parse_scheme(text.substr(at, comma - at));
    if (!scheme) {
      Error error = scheme.error();
      error.where = "--scheme";
      std::vector<std::string> known;
      for (const Scheme one : group::all_schemes()) known.emplace_back(name(one));
      error.hint = did_you_mean(text.substr(at, comma - at), known) + error.hint +
                   "; all, or several with commas between";
      return error;
    }
    schemes.push_back(*scheme);
    at = comma + 1;
  }
  return schemes;
}

Expected<Experiment> experiment_from(const GroupOptions& options) {
  Experiment experiment;
  auto processes = number_from(options.processes, "--processes", 1, kMostProcesses);
  if (!processes) return processes.error();
  auto millionths = fraction_from(options.fraction);
  if (!millionths) return millionths.error();
  auto degree = number_from(options.degree, "--degree", 2, 254);
  if (!degree) return degree.error();
  auto colours = number_from(options.colours, "--colours", 1, *processes);
  if (!colours) return colours.error();
  auto groups = number_from(options.groups, "--groups", 1, 1024);
  if (!groups) return groups.error();
  constexpr std::uint64_t kMostParts = std::uint64_t{1} << 23U;
  if (*processes * *groups > kMostParts) {
    return Error{"--groups",
                 fmt::format("{} groups among {} processes are {} parts; up to {} are simulated",
                             *groups, *processes, *processes * *groups, kMostParts),
                 "fewer groups at a time, or fewer processes"};
  }
  auto seed = number_from(options.seed, "--seed", 0, ~std::uint64_t{0});
  if (!seed) return seed.error();
  experiment.processes = static_cast<Rank>(*processes);
  experiment.millionths = *millionths;
  experiment.degree = static_cast<Rank>(*degree);
  experiment.colours = static_cast<group::Colour>(*colours);
  experiment.groups = static_cast<std::uint32_t>(*groups);
  experiment.seed = *seed;
  experiment.work_per_word = group::kBlueGeneWord;
  return experiment;
}

std::string why_not(Scheme scheme, const Experiment& experiment) {
  if (experiment.colours > 1 && !takes_colours(scheme)) return "it takes one colour";
  if (scheme == Scheme::AllgatherSort && experiment.processes > kAllgatherUpTo) {
    return fmt::format("every process would hold a word of every other; simulated for up to {}",
                       kAllgatherUpTo);
  }
  return "";
}

/// The error if every scheme would be left out.
std::optional<Error> all_left_out(const std::vector<Scheme>& schemes,
                                  const Experiment& experiment) {
  std::string why;
  for (const Scheme scheme : schemes) {
    const std::string one = why_not(scheme, experiment);
    if (one.empty()) return {};
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", name(scheme), one);
  }
  std::string fitting;
  for (const Scheme scheme : group::all_schemes()) {
    if (!why_not(scheme, experiment).empty()) continue;
    fitting += fmt::format("{}{}", fitting.empty() ? "" : ", ", name(scheme));
  }
  return Error{"--scheme", why, fmt::format("schemes for this experiment: {}", fitting)};
}

std::vector<GroupRow> run_all(const std::vector<Scheme>& schemes, const Experiment& experiment,
                              const model::CostModel& model) {
  Progress progress("simulating schemes", schemes.size(), Progress::Told::ByTheClock);
  std::vector<GroupRow> rows;
  for (const Scheme scheme : schemes) {
    GroupRow row{scheme, std::nullopt, why_not(scheme, experiment)};
    if (Interruptible::is_interrupted()) row.why = "ended by Ctrl-C before it was simulated";
    if (row.why.empty()) row.measured = group::measure(scheme, experiment, model);
    rows.push_back(std::move(row));
    progress.step();
  }
  return rows;
}

Outcome simulate_groups(const GroupOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (options.action != "simulate") {
    return Failure{
        {"ACTION", fmt::format("there is no \"{}\"", options.action),
         did_you_mean(options.action, std::vector<std::string>{"simulate"}) + "known: simulate"}};
  }
  GroupOptions read = options;
  std::unique_ptr<const topology::Machine> machine;
  if (!options.machine.empty()) {
    auto loaded = timed_machine_from(options.machine, "--machine");
    if (!loaded) return Failure{loaded.error()};
    machine = std::make_unique<topology::Machine>(std::move(*loaded));
    read.processes = std::to_string(machine->size());
  }
  auto experiment = experiment_from(read);
  if (!experiment) return Failure{experiment.error()};
  auto schemes = schemes_from(options.scheme);
  if (!schemes) return Failure{schemes.error()};
  if (auto error = all_left_out(*schemes, *experiment)) return Failure{*std::move(error)};
  std::unique_ptr<model::CostModel> model;
  if (machine) {
    model = std::make_unique<model::Levels>(*machine);
    experiment->path_of = [&](group::Id id) { return group::cluster_path(*machine, id); };
  } else {
    model = std::make_unique<model::LevelLogGP>(group::blue_gene(experiment->processes));
  }
  const Interruptible interruptible;
  const std::vector<GroupRow> rows = run_all(*schemes, *experiment, *model);
  const Outcome failed = options.json
                             ? write_output("-", group_json(rows, *experiment, model->name()))
                             : write_drawing(
                                   options.svg, [&] { return group_svg(rows, *experiment); },
                                   [&] { return group_text(rows, *canvas); });
  if (failed) return failed;
  return Interruptible::is_interrupted() ? Outcome(Failure{{}, kExitInterrupted}) : Outcome();
}

constexpr std::string_view kGroupDescription =
    "Makes system-ranked process groups (docs/groups.md) in a simulation: every process draws "
    "whether "
    "it becomes a member, then all of them split the world with one protocol after the other, "
    "message "
    "by message. Shown are the time, from a broadcast on the old tree to the end of a reduction on "
    "the "
    "new one; the messages, all and as the paper of these groups counts them, and by kind; and the "
    "memory of one process, counted: the most that one ever held, the mean of it, and what a group "
    "leaves behind. Without --machine the network is a BlueGene/P, fitted to that paper.";

constexpr std::string_view kGroupExamples =
    "espalier group simulate --processes 131072 --fraction 0.6 --degree 3 --scheme all\n"
    "espalier group simulate --processes 1048576 --scheme rank-and-hash --json\n"
    "espalier group simulate --machine \"site:2(10ms) node:64(5us) "
    "proc:16(500ns,send=1us,recv=1us)\"";

Section schemes_section() {
  std::string text;
  for (const Scheme scheme : group::all_schemes()) text += fmt::format(" {}\n", name(scheme));
  return {"SCHEMES", text};
}

}  // namespace

Command group_command() {
  Manual manual{
      .name = "group",
      .tagline = "make process groups in a simulation",
      .synopsis =
          "group simulate [--processes N] [--fraction F] [--degree K] [--scheme SCHEMES]\n"
          "group simulate ... --json\ngroup simulate ... --svg FILE",
      .description = std::string(kGroupDescription),
      .sections = {schemes_section(), machines_section()},
      .examples = std::string(kGroupExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<GroupOptions>();
        app.add_option("ACTION", options->action, "What to do: simulate.").required();
        const auto add = [&](const char* flag, std::string& value, const char* type,
                             const char* about) {
          return app.add_option(flag, value, about).type_name(type);
        };
        const Option processes = add("-n,--processes", options->processes, "N",
                                     "Processes in the world. Default: 4096.");
        add("-f,--fraction", options->fraction, "F",
            "What part of them become members. Default: 0.6.");
        add("-k,--degree", options->degree, "K", "Of the trees. Default: 3.");
        add("-s,--scheme", options->scheme, "SCHEMES",
            "all, or some of SCHEMES with commas between. Default: all.");
        add("--colours", options->colours, "C", "Groups that the members fall into. Default: 1.");
        add("--groups", options->groups, "N", "Constructions at the same time. Default: 1.");
        add("--seed", options->seed, "N", "Of the draws. Default: 1.");
        add("-m,--machine", options->machine, "MACHINE",
            "See MACHINES; one process a member of the world.")
            .excludes(processes);
        const Option json = app.add_flag("--json", options->json, "Write JSON (espalier-group-1).");
        add("--svg", options->svg, "FILE", "Draw the times to FILE; - is standard output.")
            .excludes(json);
        return [options, &globals] { return simulate_groups(*options, globals); };
      }};
}

}  // namespace espalier::cli
