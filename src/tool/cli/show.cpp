#include <memory>

#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "report/draw_machine.hpp"
#include "topology/writers.hpp"

namespace espalier::cli {
namespace {

struct ShowOptions {
  std::string machine;
  std::string svg;
  std::string simgrid;
  bool json = false;
  bool all = false;
  bool ranks = false;
};

Outcome show_machine(const ShowOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto machine = machine_from(options.machine, "MACHINE");
  if (!machine) return Failure{machine.error()};
  if (options.json) return write_output("-", topology::write_json(*machine));
  if (!options.simgrid.empty()) {
    return write_output(options.simgrid, topology::write_simgrid(*machine));
  }
  const auto detail = options.all ? report::Detail::Everything : report::Detail::Folded;
  return write_drawing(
      options.svg, [&] { return report::machine_svg(*machine, detail); },
      [&] {
        std::string text = report::machine_headline(*machine) + "\n\n" +
                           report::draw_machine(*machine, *canvas, detail) + "\n" +
                           report::to_text(report::level_table(*machine), *canvas);
        const report::Table pairs = report::pair_table(*machine, detail);
        if (!pairs.rows.empty()) text += "\n" + report::to_text(pairs, *canvas);
        if (options.ranks) text += "\n" + report::to_text(report::rank_table(*machine), *canvas);
        return text;
      });
}

constexpr std::string_view kShowDescription =
    "Draws a machine as a tree: the whole machine on top, below it its sites, machines, nodes and "
    "processes, whatever its levels are called, each with its ranks, the latency of the channel "
    "between its members, the capacity of its uplink, and what a message costs its processes. "
    "Equal neighbours share a line (\"4 x node, 16 processes each\"), so that 131,072 processes "
    "fit on a screen. A table below it gives each level's figures, another one those of pairs of "
    "members that "
    "have a latency of their own (12 of them; --all: all).";

constexpr std::string_view kShowExamples =
    "espalier show \"site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)\"\n"
    "espalier show grid.json --ranks\n"
    "espalier show platform.xml --json >grid.json\n"
    "espalier show grid.json --svg grid.svg";

}  // namespace

Command show_command() {
  Manual manual{.name = "show",
                .tagline = "draw a machine",
                .synopsis =
                    "show MACHINE [--all] [--ranks]\nshow MACHINE --json\n"
                    "show MACHINE --svg FILE\nshow MACHINE --simgrid FILE",
                .description = std::string(kShowDescription),
                .sections = {machines_section()},
                .examples = std::string(kShowExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<ShowOptions>();
        app.add_option("MACHINE", options->machine, "The machine: see MACHINES.");
        const Option json = app.add_flag("--json", options->json,
                                         "Write the machine as JSON, in the form that is read "
                                         "back exactly.");
        const Option svg =
            app.add_option("--svg", options->svg, "Write a drawing to FILE; - is standard output.")
                .type_name("FILE")
                .excludes(json);
        const Option simgrid =
            app.add_option("--simgrid", options->simgrid,
                           "Write a SimGrid platform with one host for each process to FILE; - "
                           "is standard output.")
                .type_name("FILE")
                .excludes(json)
                .excludes(svg);
        app.add_flag("--all", options->all, "Draw every part and list every pair; fold nothing.")
            .excludes(json)
            .excludes(simgrid);
        app.add_flag("--ranks", options->ranks,
                     "Add a table of all ranks: place, depth, and which site, node, process it "
                     "is in, each "
                     "counted over the whole machine.")
            .excludes(json)
            .excludes(simgrid);
        return [options, &globals] { return show_machine(*options, globals); };
      }};
}

}  // namespace espalier::cli
