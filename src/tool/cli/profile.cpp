#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "profile/json.hpp"
#include "profile/load.hpp"
#include "report/heat_map.hpp"
#include "report/table.hpp"

namespace espalier::cli {
namespace {

struct ProfileOptions {
  std::string action;
  std::string profile;
  std::string processes;
  std::string svg;
  std::string html;
  bool json = false;
  bool pairs = false;
};

report::HeatMap heat_of(const profile::Profile& profile) {
  report::HeatMap map;
  std::uint64_t messages = 0, most = 0;
  for (const profile::Pair& pair : profile::all_pairs(profile)) {
    most = std::max(most, pair.bytes);
    map.cells.push_back({pair.from, pair.to, pair.bytes});
    messages += pair.messages;
  }
  map.size = profile.size();
  map.title = fmt::format("{}: bytes between {} processes", profile.name, profile.size());
  map.subtitle =
      fmt::format("{} messages on {} channels; at most {} bytes", report::grouped(messages),
                  report::grouped(map.cells.size()), report::grouped(most));
  return map;
}

report::Table traffic_table(const profile::Profile& profile) {
  struct TrafficSum {
    std::int64_t partners = 0, messages = 0, bytes = 0;
  };
  std::vector<TrafficSum> sums(profile.size());
  for (const profile::Pair& pair : profile::all_pairs(profile)) {
    TrafficSum& sum = sums[pair.from];
    ++sum.partners;
    sum.messages += static_cast<std::int64_t>(pair.messages);
    sum.bytes += static_cast<std::int64_t>(pair.bytes);
  }
  using report::Align;
  report::Table table{{{"rank", "rank", Align::Right},
                       {"partners", "partners", Align::Right},
                       {"messages", "messages", Align::Right},
                       {"bytes", "bytes", Align::Right},
                       {"in_mpi_ps", "in MPI", Align::Right}},
                      {}};
  for (Rank r = 0; r < profile.size(); ++r) {
    const Time in_mpi = profile.processes[r].in_mpi;
    table.rows.push_back({std::int64_t{r}, sums[r].partners, sums[r].messages, sums[r].bytes,
                          in_mpi == Time{} ? report::Cell{} : report::Cell{in_mpi}});
  }
  return table;
}

/// One picture, or both.
Outcome draw_traffic(const report::HeatMap& map, const ProfileOptions& options) {
  if (options.svg == "-" && options.html == "-") {
    return Failure{{"--html", "both drawings would go to standard output", "name a file for one"}};
  }
  if (!options.svg.empty()) {
    Outcome drawn = write_output(options.svg, report::heat_svg(map));
    if (options.html.empty() || drawn) return drawn;
  }
  return write_output(options.html, report::heat_html(map));
}

Outcome show_profile(const ProfileOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (options.action != "show") {
    const std::string& profile = options.profile.empty() ? options.action : options.profile;
    return Failure{{"ACTION", fmt::format("there is no \"{}\"", options.action),
                    fmt::format("write: espalier profile show {}", profile)}};
  }
  if (options.profile.empty()) {
    return Failure{{"PROFILE", "no profile is named",
                    "name a file that espalier run --profile wrote, or a workload such as lu.W"}};
  }
  auto processes =
      parse_rank(given_or(options.processes, "16"), profile::kMaxProfiledProcesses + 1);
  if (!processes || *processes == 0) {
    return Failure{{"--processes", fmt::format("\"{}\" is no number from 1 on", options.processes),
                    "write 16, say"}};
  }
  const auto profile = profile::load_profile(options.profile, *processes);
  if (!profile) return Failure{profile.error()};
  if (!options.processes.empty() && profile->size() != *processes) {
    return Failure{
        {"--processes",
         fmt::format("the profile is of {} processes, not {}", profile->size(), *processes),
         "leave it out: a file has its own number"}};
  }
  if (options.json) return write_output("-", profile::write_json(*profile));
  const report::HeatMap map = heat_of(*profile);
  if (!options.svg.empty() || !options.html.empty()) {
    Outcome drawn = draw_traffic(map, options);
    if (drawn || options.svg == "-" || options.html == "-") return drawn;
  }
  std::string text = report::heat_text(map, *canvas);
  if (options.pairs || profile->size() <= 64) {
    text += "\n" + report::to_text(traffic_table(*profile), *canvas);
  }
  return write_output("-", text);
}

constexpr std::string_view kProfileDescription =
    "Shows how a program communicates: a heat map of the bytes between its processes (rows send to "
    "columns, collectives counted message by message), and what each of them has to say. PROFILE "
    "is a file: Espalier's own (docs/formats.md), the matrices that Open MPI's monitoring writes "
    "(all processes' files, one behind the other), or CSV; or one of the built-in workloads with "
    "its class, such as lu.C.";

constexpr std::string_view kProfileExamples =
    "espalier profile show app.profile\n"
    "espalier profile show lu.W --processes 16 --svg lu.svg\n"
    "cat monitoring.*.prof >app.prof; espalier profile show app.prof --html app.html\n"
    "espalier profile show mg.A --processes 64 --json >mg.profile";

}  // namespace

Section workloads_section() {
  return {"WORKLOADS",
          "The communication of NAS parallel benchmarks, without their numbers; classes S, W, A, B "
          "and C.\n\n"
          " lu  wavefronts on a 2-D grid; lu.C:heavy=8 with park2004's heavy channels\n"
          " mg  faces between neighbours of a hypercube, on all levels of a multigrid\n"
          " is  allreduce and alltoall of keys\n"
          " ep  three reductions at the end\n"
          " cg  sums along rows of a 2-D grid, exchange with the transposed process\n"
          " ft  alltoall\n"};
}

Command profile_command() {
  Manual manual{
      .name = "profile",
      .tagline = "show how a program communicates",
      .synopsis = "profile show PROFILE [--processes N] [--json|[--svg FILE] [--html FILE]]",
      .description = std::string(kProfileDescription),
      .sections = {workloads_section()},
      .examples = std::string(kProfileExamples)};
  return {std::move(manual), [](App& app, const Globals& globals) {
            const auto options = std::make_shared<ProfileOptions>();
            app.add_option("ACTION", options->action, "What to do: show.").required();
            app.add_option("PROFILE", options->profile, "A file, or a workload: see WORKLOADS.");
            app.add_option("-n,--processes", options->processes,
                           "Of a workload. A file has its own number. Default: 16.")
                .type_name("N");
            const Option json = app.add_flag("--json", options->json,
                                             "Write the profile itself (espalier-profile-1).");
            app.add_option("--svg", options->svg, "Draw to FILE; - is standard output.")
                .type_name("FILE")
                .excludes(json);
            app.add_option("--html", options->html, "The same as a page with a table.")
                .type_name("FILE")
                .excludes(json);
            app.add_flag("--all", options->pairs, "A line for each process, however many.")
                .excludes(json);
            return [options, &globals] { return show_profile(*options, globals); };
          }};
}

}  // namespace espalier::cli
