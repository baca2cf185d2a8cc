#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/irregular.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "report/draw_tree.hpp"

namespace espalier::cli {
namespace {

struct TreeOptions {
  RequestOptions request;
  CountsOptions counts;
  std::string algorithm;
  std::string svg;
  bool json = false;
  bool dot = false;
  bool all = false;
};

Outcome draw_timed_tree(const TreeOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (options.counts.given()) {
    CountsOptions counts = options.counts;
    counts.model = options.request.model;
    return draw_irregular({options.request.operation, options.request.machine, options.request.root,
                           options.request.size, counts},
                          options.algorithm, options.json ? TableForm::Json : TableForm::Text,
                          *canvas);
  }
  auto algorithm = algorithm_from(options.algorithm);
  if (!algorithm) return Failure{algorithm.error()};
  const bool has_arity = (*algorithm)->name == "knomial" || (*algorithm)->name == "kary";
  if (!options.request.arity.empty() && !has_arity) {
    return Failure{{"--arity", fmt::format("{} trees have no arity", (*algorithm)->name),
                    "leave it out; kary and knomial take one"}};
  }
  auto request = understand(options.request);
  if (!request) return Failure{request.error()};
  const auto planned = plan(*request, **algorithm);
  if (!planned) return Failure{planned.error()};
  const report::TimedTree& timed = *planned;
  const topology::Machine& machine = request->machine;
  const auto detail = options.all ? report::Detail::Everything : report::Detail::Folded;
  if (options.json) return write_output("-", report::tree_json(timed, machine));
  if (options.dot) return write_output("-", report::tree_dot(timed, machine));
  return write_drawing(
      options.svg, [&] { return report::tree_svg(timed, machine, detail); },
      [&] { return report::draw_tree(timed, machine, *canvas, detail); });
}

constexpr std::string_view kTreeDescription =
    "Plans one broadcast, multicast (--to) or reduction along the tree of one algorithm, and draws "
    "it: who sends to whom and in which order, over which channel, when each rank has the message, "
    "and a time line for each. Ranks marked * are on the way to the one that is served last.\n\n"
    "With --counts and --operation scatterv or gatherv: the tree of an algorithm that goes by the "
    "lengths of the ranks' blocks (docs/irregular.md), who holds how much and when.";

constexpr std::string_view kTreeExamples =
    "espalier tree --algorithm fnf --machine \"proc:8(send=100us|300us*7)\"\n"
    "espalier tree -a binomial -m grid.json --root 5 --size 64KiB\n"
    "espalier tree -a fnf -m grid.json --to 1,3,5-7 --json\n"
    "espalier tree -a fnf -m grid.json --dot | dot -Tpdf -o tree.pdf\n"
    "espalier tree -a minimum-first -m grid.json -o scatterv --counts cpu-speed --size 100KB\n"
    "espalier tree -a fnf -m grid.json --svg tree.svg";

}  // namespace

Command tree_command() {
  Manual manual{.name = "tree",
                .tagline = "draw the communication tree of one algorithm, with its times",
                .synopsis =
                    "tree [OPERATION] --algorithm NAME --machine MACHINE [--root RANK] [--to LIST] "
                    "[--size BYTES] [--model MODEL] [--arity K] "
                    "[--counts FILE|DISTRIBUTION [--memory BYTES]] [--json|--dot|--svg FILE]",
                .description = std::string(kTreeDescription),
                .sections = {algorithms_section(), machines_section()},
                .examples = std::string(kTreeExamples)};
  return {std::move(manual), [](App& app, const Globals& globals) {
            const auto options = std::make_shared<TreeOptions>();
            app.add_option("-a,--algorithm", options->algorithm, "The algorithm: see ALGORITHMS.")
                .type_name("NAME");
            declare(app, options->request);
            const Option json =
                app.add_flag("--json", options->json, "Write the tree as JSON (espalier-tree-1).");
            const Option dot =
                app.add_flag("--dot", options->dot, "Write the tree for Graphviz.").excludes(json);
            app.add_option("--svg", options->svg,
                           "Write a drawing over time to FILE; - is standard output.")
                .type_name("FILE")
                .excludes(json)
                .excludes(dot);
            app.add_flag("--all", options->all, "Draw every rank of a large tree.")
                .excludes(json)
                .excludes(dot);
            declare(app, options->counts);
            return [options, &globals] { return draw_timed_tree(*options, globals); };
          }};
}

}  // namespace espalier::cli
