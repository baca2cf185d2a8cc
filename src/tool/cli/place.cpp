#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "base/progress.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/constraint_options.hpp"
#include "cli/example_machines.hpp"
#include "cli/forecast_links.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/place_report.hpp"
#include "map/replay.hpp"
#include "place/load_inventory.hpp"
#include "place/portfolio.hpp"
#include "place/write_hosts.hpp"
#include "profile/load.hpp"
#include "report/text.hpp"

namespace espalier::cli {
namespace {

struct PlaceOptions {
  std::string processes;
  std::string profile;
  std::string inventory;
  std::string weather;
  std::string policy = "ours";
  std::string without;
  ConstraintOptions constraints;
  std::string output;
  std::string form = "openmpi-rankfile";
  std::string svg;
  std::string effort;
  bool json = false;
};

/// Principles of a policy, less those that --without names.
Expected<place::Principles> principles_from(const PlaceOptions& options) {
  place::Principles p = options.policy == "none"     ? place::kNoPolicy
                        : options.policy == "sorted" ? place::kSortedList
                                                     : place::kFullSelection;
  const std::map<char, bool*> by_letter{{'A', &p.fewest_clusters},
                                        {'B', &p.nearest_clusters},
                                        {'C', &p.heavy_processes},
                                        {'D', &p.heavy_channels}};
  std::set<char> letters(options.without.begin(), options.without.end());
  letters.erase(',');
  letters.erase(' ');
  for (const char letter : letters) {
    const auto found = by_letter.find(letter);
    if (found == by_letter.end()) {
      return Error{
          "--without",
          fmt::format("there is no principle \"{}\"", report::printable(std::string(1, letter))),
          "A, B, C and D: see PRINCIPLES"};
    }
    if (!*found->second) {
      return Error{"--without",
                   fmt::format("the policy {} does not go by principle {}", options.policy, letter),
                   "leave it out, or give --policy full"};
    }
    *found->second = false;
  }
  if (letters.empty() && !options.without.empty()) {
    return Error{"--without", "no principle is named", "A, B, C and D: see PRINCIPLES"};
  }
  return p;
}

/// One policy alone, beside sequential placement.
place::Answer by_principles(const map::Problem& problem, const place::Principles& principles,
                            const std::string& name) {
  place::Answer answer;
  constexpr std::size_t kParts = 3;  // the mapping, and two replays
  Progress progress("placing", kParts, Progress::Told::ByTheClock);
  answer.paper = select_topology(problem, principles);
  progress.step();
  const map::ReadyTrace trace(*problem.profile, place::SearchOptions{}.trace_steps);
  answer.is_replayed = !trace.is_too_long();
  map::Replayer replayer(problem, trace, sharing_for(problem));
  for (auto& [label, placement] :
       {std::pair{std::string("sequential"), select_topology(problem, place::kNoPolicy).placement},
        std::pair{name, answer.paper.placement}}) {
    place::Candidate c{label, placement, {}, total_cost(problem, placement)};
    c.predicted = answer.is_replayed ? replayer.finish(placement) : c.traffic;
    answer.candidates.push_back(std::move(c));
    progress.step();
  }
  answer.chosen = 1;
  return answer;
}

Outcome write_placements(const PlaceOptions& options, const ShownPlacement& shown,
                         place::HostsForm form, const report::Canvas& canvas) {
  const map::Placement& placement = shown.answer.candidates[shown.chosen].placement;
  const std::string note = note_on_hosts(shown.problem, placement, form);
  if (!note.empty()) write_message(fmt::format("note: {}\n", note));
  if (!options.output.empty()) {
    if (Outcome bad = write_output(options.output, write_hosts(shown.problem, placement, form))) {
      return bad;
    }
  }
  if (!options.svg.empty()) {
    if (Outcome bad = write_output(options.svg, place_svg(shown))) return bad;
  }
  if (options.output == "-" || options.svg == "-") return {};
  return write_output("-", options.json ? place_json(shown) : place_text(shown, canvas));
}

Outcome place_now(const PlaceOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  const auto form = place::hosts_form_named(options.form);
  if (!form) {
    return Failure{{"--format", fmt::format("there is no format \"{}\"", options.form),
                    "openmpi-rankfile, openmpi-hostfile, mpich-machinefile or slurm-hostfile"}};
  }
  if (auto twice = written_twice("--output", options.output, "--svg", options.svg)) {
    return Failure{*twice};
  }
  if (options.json && (options.output == "-" || options.svg == "-")) {
    return Failure{{"--json", "two things would go to standard output", "name a file for one"}};
  }
  if (options.policy != "none" && options.policy != "sorted" && options.policy != "full" &&
      options.policy != "ours") {
    return Failure{{"--policy", fmt::format("there is no policy \"{}\"", options.policy),
                    "none, sorted, full or ours"}};
  }
  if (options.policy == "ours" && !options.without.empty()) {
    return Failure{
        {"--without", "ours compares everything there is", "give --policy full as well"}};
  }
  auto count = options.processes.empty() ? Expected<std::uint32_t>(16U)
                                         : count_from(options.processes, "--processes");
  if (!count) return Failure{count.error()};
  if (options.policy != "ours" && !options.effort.empty()) {
    return Failure{{"--effort", fmt::format("the policy {} does not search", options.policy),
                    "leave it out, or take --policy ours"}};
  }
  auto effort = count_from(given_or(options.effort, "1"), "--effort");
  if (!effort) return Failure{effort.error()};
  const auto profile = profile::load_profile(options.profile, *count);
  if (!profile) return Failure{profile.error()};
  if (!options.processes.empty() && profile->size() != *count) {
    return Failure{{"--processes",
                    fmt::format("the profile is of {} processes, not {}", profile->size(), *count),
                    "profile a run of as many as are to be placed, or leave it out"}};
  }
  const auto forecast = forecast_links_from(options.weather);
  if (!forecast) return Failure{forecast.error()};
  const auto inventory = place::load_inventory(file_of_machine(options.inventory), *forecast);
  if (!inventory) return Failure{inventory.error()};
  for (const std::string& note : inventory->notes) {
    write_message(fmt::format("{}: note: {}\n", options.inventory, report::printable(note)));
  }
  auto constraints = constraints_from(options.constraints);
  if (!constraints) return Failure{constraints.error()};
  if (auto wrong = map::why_too_much(*profile)) return Failure{*wrong};
  const auto problem = make_problem(*inventory, *profile, *constraints);
  if (!problem) return Failure{problem.error()};
  auto principles = principles_from(options);
  if (!principles) return Failure{principles.error()};
  place::SearchOptions search;
  search.search_steps *= *effort;
  const place::Answer answer = options.policy == "ours"
                                   ? place_processes(*problem, search)
                                   : by_principles(*problem, *principles, options.policy);
  const std::string file =
      options.output.empty() || options.output == "-" ? "FILE" : options.output;
  const ShownPlacement shown{
      *problem, answer, answer.chosen, options.policy,
      launch_line(*problem, answer.candidates[answer.chosen].placement, *form, file)};
  return write_placements(options, shown, *form, *canvas);
}

constexpr std::string_view kPlaceDescription =
    "Chooses which nodes a program runs on and which process goes where, from how it communicates "
    "(--profile) and what there is (--inventory). The policies none, sorted and full are those of "
    "park2004: nodes as listed; clusters near the others first, and as few as will do; besides, "
    "processes that communicate most on the best clusters and the ends of heavy channels in one. "
    "ours compares these with libscotch, TreeMatch-style groups and a greedy mapping by the time "
    "that a replay of the profile's trace on the machine predicts, with unequal speeds and shared "
    "links, and goes on from the best of them with a local search.";

constexpr std::string_view kPrinciples =
    " A  as few clusters as will do\n"
    " B  clusters with the lowest latencies to the others first\n"
    " C  processes that communicate most get the best clusters\n"
    " D  the two ends of a heavy channel go into one cluster\n";

constexpr std::string_view kInventories =
    "A file: espalier-inventory-1 (docs/formats.md), what sinfo --json or scontrol show topology "
    "printed, or a hostfile of Open MPI or MPICH; or a machine as other commands take it, with its "
    "processes as slots.";

constexpr std::string_view kPlaceExamples =
    "espalier place --profile lu.W:heavy=4 --inventory \"cluster:5(10ms,20Mbit/s) node:4(100us)\"\n"
    "espalier place -n 64 --profile app.profile --inventory hosts.json -o ranks\n"
    "espalier place --profile app.profile --inventory hosts.json --exclude n7 --pin 0=n1\n"
    "espalier place --profile app.profile --inventory hosts.json --policy full --without D\n"
    "espalier place --profile app.profile --inventory hosts -o h --format mpich-machinefile";

}  // namespace

Command place_command() {
  Manual manual{.name = "place",
                .tagline = "choose nodes, and which process goes where",
                .synopsis =
                    "place --profile PROFILE --inventory INVENTORY [--processes N] [--weather "
                    "HISTORY] [--policy POLICY] "
                    "[--exclude HOST]... [--pin RANK=HOST]... [--per-node K] [-o FILE] [--format "
                    "FORM] [--json|--svg FILE]",
                .description = std::string(kPlaceDescription),
                .sections = {{"PRINCIPLES", std::string(kPrinciples)},
                             {"INVENTORIES", std::string(kInventories)},
                             workloads_section(),
                             machines_section()},
                .examples = std::string(kPlaceExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<PlaceOptions>();
        const auto add = [&](const char* flag, std::string& value, const char* type,
                             const char* about) {
          return app.add_option(flag, value, about).type_name(type);
        };
        add("-n,--processes", options->processes, "N",
            "How many; that of the profile if it is a file.");
        add("--profile", options->profile, "PROFILE", "A file, or a workload: see WORKLOADS.")
            .required();
        add("-i,--inventory", options->inventory, "INVENTORY", "What there is: see INVENTORIES.")
            .required();
        add("--weather", options->weather, "HISTORY",
            "Links as espalier weather forecasts them, instead of the inventory's.");
        add("--policy", options->policy, "POLICY", "none, sorted, full or ours. Default: ours.");
        add("--without", options->without, "LETTERS",
            "Leave out principles of full: see PRINCIPLES.");
        declare_constraints(app, options->constraints);
        add("-o,--output", options->output, "FILE",
            "Write a file for the launcher; - is standard output.");
        add("--format", options->form, "FORM",
            "openmpi-rankfile, openmpi-hostfile, mpich-machinefile or slurm-hostfile. Default: the "
            "first.");
        add("--effort", options->effort, "N", "Search so many times as long. Default: 1.");
        const Option json =
            app.add_flag("--json", options->json, "Write JSON (espalier-placement-1).");
        add("--svg", options->svg, "FILE", "Draw the placement to FILE.").excludes(json);
        return [options, &globals] { return place_now(*options, globals); };
      }};
}

}  // namespace espalier::cli
