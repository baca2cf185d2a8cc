#include <fmt/format.h>

#include <memory>

#include "base/progress.hpp"
#include "cli/command.hpp"
#include "cli/irregular.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "report/comparison.hpp"
#include "report/text.hpp"
#include "tree/exact_optimum.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::cli {
namespace {

/// What no tree for this request can be faster than, if something is proven about it.
std::optional<report::Bound> bound_for(const TreePlanRequest& request) {
  if (request.operation != schedule::Operation::Broadcast) return {};
  const auto costs = tree::initiation_costs_of(*request.model, request.size, request.who);
  if (!costs) return {};
  const tree::ExactResult best = tree::exact_optimum(*costs, request.who);
  return report::Bound{best.lower_bound, best.proven(),
                       best.search_steps == 0
                           ? "proven without a search"
                           : fmt::format("branch and bound, {} steps", best.search_steps)};
}

struct CompareOptions {
  RequestOptions request;
  CountsOptions counts;
  std::string svg;
  bool json = false;
  bool csv = false;
};

report::Comparison compare_all(const TreePlanRequest& request) {
  report::Comparison comparison{.operation = request.operation,
                                .root = request.who.root,
                                .members = request.who.count(),
                                .size = request.size,
                                .model = request.model->name(),
                                .contenders = {},
                                .left_out = {},
                                .bound = bound_for(request)};
  Progress progress("planning", tree::algorithms().size(), Progress::Told::ByTheClock);
  for (const tree::Algorithm& algorithm : tree::algorithms()) {
    progress.step();
    if (Interruptible::is_interrupted()) {
      comparison.left_out.push_back({std::string(algorithm.name), "ended by Ctrl-C"});
      continue;
    }
    if (request.who.count() > algorithm.quick_up_to) {
      comparison.left_out.push_back(
          {std::string(algorithm.name),
           fmt::format(
               "with more than {} ranks it takes long; espalier tree --algorithm {} does it",
               report::grouped(algorithm.quick_up_to), algorithm.name)});
      continue;
    }
    const auto planned = plan(request, algorithm);
    if (!planned) {
      const Error& error = planned.error();
      comparison.left_out.push_back(
          {std::string(algorithm.name), fmt::format("{}; {}", error.what, error.hint)});
      continue;
    }
    comparison.contenders.push_back(report::contender(*planned, algorithm.title, request.machine));
  }
  report::rank_contenders(comparison.contenders);
  return comparison;
}

Outcome compare(const CompareOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (options.counts.given()) {
    const auto form = options.json  ? TableForm::Json
                      : options.csv ? TableForm::Csv
                                    : TableForm::Text;
    CountsOptions counts = options.counts;
    counts.model = options.request.model;
    return compare_irregular({options.request.operation, options.request.machine,
                              options.request.root, options.request.size, counts},
                             form, *canvas);
  }
  auto request = understand(options.request);
  if (!request) return Failure{request.error()};
  const report::Comparison comparison = compare_all(*request);
  const topology::Machine& machine = request->machine;
  if (options.json) return write_output("-", report::comparison_json(comparison, machine));
  if (options.csv) {
    return write_output("-", report::to_csv(report::comparison_table(comparison, machine)));
  }
  return write_drawing(
      options.svg, [&] { return report::comparison_svg(comparison, machine); },
      [&] { return report::comparison_text(comparison, machine, *canvas); });
}

/// The table has what was there when Ctrl-C came, and the exit code says that it is not all.
Outcome compare_unless_interrupted(const CompareOptions& options, const Globals& globals) {
  if (options.counts.given()) return compare(options, globals);
  const Interruptible interruptible;
  if (auto failed = compare(options, globals)) return failed;
  if (Interruptible::is_interrupted()) return Failure{{}, kExitInterrupted};
  return {};
}

constexpr std::string_view kCompareDescription =
    "Plans one broadcast, multicast (--to) or reduction with every algorithm and puts them into "
    "one table, the fastest first: when it is finished, how many times as long as the fastest it "
    "takes, when a rank is served on average (not for reductions), how high the tree is, and how "
    "many messages cross "
    "each level of the machine. The best are marked with *. Where an optimum or a lower bound is "
    "proven, it stands below the table.\n\n"
    "With --counts and --operation scatterv or gatherv: the trees that go by the lengths of the "
    "ranks' blocks, simulated.";

constexpr std::string_view kCompareExamples =
    "espalier compare --machine \"site:3(30ms,100Mbit/s) node:4(50us,1Gbit/s) proc:16(1us)\"\n"
    "espalier compare -m grid.json --root 7 --to 0-15 --size 1MiB --csv >figures.csv\n"
    "espalier compare -m grid.json --svg bars.svg";

}  // namespace

Command compare_command() {
  Manual manual{
      .name = "compare",
      .tagline = "all algorithms in one table, on one machine",
      .synopsis =
          "compare [OPERATION] --machine MACHINE [--root RANK] [--to LIST] [--size BYTES] "
          "[--model MODEL] [--arity K] "
          "[--counts FILE|DISTRIBUTION [--memory BYTES]] "
          "[--json|--csv|--svg FILE]",
      .description = std::string(kCompareDescription),
      .sections = {algorithms_section(), machines_section()},
      .examples = std::string(kCompareExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<CompareOptions>();
        declare(app, options->request);
        const Option json =
            app.add_flag("--json", options->json, "Write the table as JSON (espalier-compare-1).");
        const Option csv =
            app.add_flag("--csv", options->csv, "Write the table as CSV.").excludes(json);
        app.add_option("--svg", options->svg, "Write a bar chart to FILE; - is standard output.")
            .type_name("FILE")
            .excludes(json)
            .excludes(csv);
        declare(app, options->counts);
        return [options, &globals] { return compare_unless_interrupted(*options, globals); };
      }};
}

}  // namespace espalier::cli
