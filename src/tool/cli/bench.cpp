#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <sstream>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/bench_smpi.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/measure_on_lab.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "lab/ending.hpp"
#include "lab/lab.hpp"
#include "measure/bench_table.hpp"
#include "measure/measured.hpp"
#include "report/text.hpp"
#include "select/block_counts.hpp"

namespace espalier::cli {
namespace {

struct BenchOptions {
  std::string on;
  std::string state;
  std::string operations;
  std::string sizes;
  std::string roots = "0";
  std::string stacks;
  std::string clocks = "shared";
  std::string take = "median";
  std::string counts;
  int repeats = 7;
  bool json = false;
  bool csv = false;
  std::string svg;
  std::string save;
  SmpiOptions smpi;
};

constexpr const char* kLabSizes = "8,1KiB,16KiB,128KiB,1MiB";

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Error error_at(const char* where, Error error) {
  error.where = where;
  return error;
}

Expected<std::vector<measure::CallKind>> kinds_from(const BenchOptions& options,
                                                    measure::Clocks clocks) {
  std::string list = options.operations;
  if (list.empty()) {
    list = clocks == measure::Clocks::Shared ? "broadcast,reduce,allreduce,barrier" : "broadcast";
  }
  std::vector<measure::CallKind> kinds;
  for (const std::string& name : split_at_commas(list)) {
    const auto kind = measure::kind_named(name);
    if (!kind)
      return Error{"--operation", fmt::format("there is no operation \"{}\"", name),
                   operations_hint(name)};
    if (!can_measure(clocks, *kind)) {
      return Error{"--clocks", fmt::format("without a common clock {} cannot be timed", name),
                   "broadcast and scatter can, or take --clocks shared"};
    }
    kinds.push_back(*kind);
  }
  return kinds;
}

/// --counts: unequal lengths for scatterv and gatherv, of which --size is the mean.
std::optional<Error> take_counts(const BenchOptions& options, const topology::Machine& machine,
                                 std::vector<measure::MeasuredCall>& calls) {
  using schedule::Operation;
  if (options.counts.empty()) return std::nullopt;
  for (measure::MeasuredCall& call : calls) {
    const bool has_counts = call.kind.irregular && (call.kind.operation == Operation::Scatter ||
                                                    call.kind.operation == Operation::Gather);
    if (!has_counts) {
      return Error{"--counts", fmt::format("{} has no lengths of its own", name_of(call.kind)),
                   "--operation scatterv,gatherv"};
    }
    auto counts = select::counts_from(options.counts, machine, call.size);
    if (!counts) return error_at("--counts", counts.error());
    for (std::uint64_t& count : *counts) count = (count + 7) / 8;
    call.counts = *std::move(counts);
  }
  return std::nullopt;
}

Expected<std::vector<measure::MeasuredCall>> calls_from(const BenchOptions& options,
                                                        const topology::Machine& machine,
                                                        measure::Clocks clocks) {
  const Rank ranks = machine.size();
  auto kinds = kinds_from(options, clocks);
  if (!kinds) return kinds.error();
  std::vector<Bytes> sizes;
  for (const std::string& text :
       split_at_commas(options.sizes.empty() ? kLabSizes : options.sizes)) {
    auto size = parse_bytes(text);
    if (!size) return error_at("--size", size.error());
    if (size->value % 8 != 0 || size->value == 0 || size->value > (1ULL << 30U)) {
      return Error{"--size", fmt::format("{} is not a multiple of 8 bytes up to 1 GiB", text),
                   "write 8,64KiB,1MiB, say"};
    }
    sizes.push_back(*size);
  }
  std::vector<Rank> roots(ranks);
  std::iota(roots.begin(), roots.end(), Rank{0});
  if (options.roots != "all") {
    auto listed = parse_rank_list(options.roots, ranks);
    if (!listed) return error_at("--root", listed.error());
    roots = *listed;
  }
  std::vector<measure::MeasuredCall> calls = measure::all_calls(*kinds, sizes, roots);
  if (auto bad = take_counts(options, machine, calls)) return *bad;
  return calls;
}

/// Without a list: all whose library is there, and a note about the others.
Expected<std::vector<measure::Stack>> stacks_from(const BenchOptions& options) {
  if (!options.stacks.empty()) return measure::stacks_called(options.stacks);
  std::vector<measure::Stack> there;
  for (const measure::Stack& stack : measure::stacks()) {
    if (stack.only_if_asked) continue;
    if (is_built(stack)) {
      there.push_back(stack);
    } else {
      write_message(fmt::format("bench: note: {} is left out: {} is not built\n", stack.key,
                                library_path(stack).string()));
    }
  }
  return there;
}

Expected<measure::Bench> measure_all_stacks(const BenchOptions& options, const lab::OpenLab& lab) {
  auto clocks = measure::clocks_called(options.clocks);
  if (!clocks) return clocks.error();
  auto taken = measure::taken_called(options.take);
  if (!taken) return taken.error();
  auto calls = calls_from(options, lab.machine, *clocks);
  if (!calls) return calls.error();
  auto stacks = stacks_from(options);
  if (!stacks) return stacks.error();
  measure::Bench bench{*calls, {}, *stacks, {}, *clocks, *taken};
  for (const measure::MeasuredCall& c : bench.calls) {
    bench.bounds.push_back(measure::wire_bound(lab.machine, c));
  }
  Progress progress("measuring", bench.stacks.size());
  for (const measure::Stack& stack : bench.stacks) {
    if (progress_place() == ProgressPlace::Lines) {
      write_message(
          fmt::format("bench: {}, {}\n", stack.key, report::counted(bench.calls.size(), "call")));
    }
    progress.name(
        fmt::format("measuring {} of {}", report::counted(bench.calls.size(), "call"), stack.key));
    auto measured = measure_on_lab(lab, stack, bench.calls, *clocks, options.repeats);
    if (!measured) return measured.error();
    bench.measured.push_back(*std::move(measured));
    progress.step();
  }
  return bench;
}

Outcome write_drawings(const measure::Bench& bench, const std::string& prefix) {
  for (std::size_t c = 0; c < bench.calls.size(); ++c) {
    const measure::CallKind& kind = bench.calls[c].kind;
    if (c > 0 && bench.calls[c - 1].kind == kind) continue;
    const std::string svg = measure::to_svg(bench, kind);
    if (svg.empty()) continue;
    if (auto bad = write_output(fmt::format("{}{}.svg", prefix, name_of(kind)), svg)) return bad;
  }
  return std::nullopt;
}

/// Options of the other place are refused, not passed over.
std::optional<Error> of_other_place(const BenchOptions& options, const App& app) {
  const std::vector<const char*> of_lab{"--root", "--stack",  "--clocks",
                                        "--take", "--repeat", "--svg"};
  const std::vector<const char*> of_smpi{"--machine",    "--placement", "--peer", "--single",
                                         "--candidates", "--roots",     "--jobs", "--seconds",
                                         "--memory",     "--resume",    "--html"};
  const bool is_smpi = options.on == "smpi";
  for (const char* name : is_smpi ? of_lab : of_smpi) {
    if (!app.is_given(name)) continue;
    return Error{name, fmt::format("it is an option of bench --on {}", is_smpi ? "lab" : "smpi"),
                 "leave it out"};
  }
  for (const char* name : {"--json", "--save", "--html", "--peer", "--single", "--roots"}) {
    if (!options.smpi.candidates || !app.is_given(name)) continue;
    return Error{name, "it means nothing to --candidates", "leave it out"};
  }
  return std::nullopt;
}

Outcome run_bench(const BenchOptions& options, const Globals& globals, const App& app) {
  if (options.on != "lab" && options.on != "smpi") {
    return Failure{
        {"--on", fmt::format("\"{}\" is nowhere to measure", options.on), "--on lab or --on smpi"}};
  }
  if (auto wrong = of_other_place(options, app)) return Failure{*wrong};
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (auto wrong = why_not_writable("--save", options.save)) return Failure{*wrong};
  if (auto wrong = why_not_writable("--html", options.smpi.html)) return Failure{*wrong};
  if (options.on == "smpi") {
    if (!options.counts.empty()) {
      return Failure{{"--counts", "lengths are measured in a lab only", "leave it out"}};
    }
    SmpiOptions smpi = options.smpi;
    smpi.operations = options.operations;
    smpi.sizes = options.sizes;
    smpi.save = options.save;
    smpi.json = options.json;
    smpi.csv = options.csv;
    return bench_on_smpi(smpi, globals);
  }
  if (options.repeats < 5)
    return Failure{{"--repeat", "fewer than 5 give no median worth it", "give 5 or more"}};
  auto folder = lab::state_folder(options.state.empty() ? lab::kDefaultState : options.state);
  if (!folder) return Failure{folder.error()};
  auto lab = lab::open_lab(*folder);
  if (!lab) return Failure{lab.error()};
  if (!lab->is_whole()) {
    return Failure{{"bench", "the lab is broken: " + lab::why_broken(*lab),
                    "repair it: espalier lab up MACHINE"}};
  }
  auto bench = measure_all_stacks(options, *lab);
  if (!bench) return Failure{bench.error()};
  if (!options.svg.empty()) {
    if (auto bad = write_drawings(*bench, options.svg)) return bad;
  }
  const std::string json = to_json(*bench, lab->machine).dump(1) + "\n";
  if (!options.save.empty()) {
    if (auto bad = write_output(options.save, json)) return bad;
  }
  if (options.json) return write_output("-", json);
  if (options.csv) return write_output("-", to_csv(full_table(*bench)));
  const std::string times =
      fmt::format("times: {}{}", description_of(bench->clocks),
                  bench->taken == measure::Taken::Least ? "; the least of the repeated ones" : "");
  return write_output("-", fmt::format("{}\n{}\n{}", to_text(summary_table(*bench), *canvas), times,
                                       report::wrapped(about_summary(*bench), canvas->width, "")));
}

constexpr std::string_view kBenchDescription =
    "Measures collectives in the lab that is up, under several stacks of software: the MPIs as "
    "they are, Open MPI's hierarchical modules, and Espalier's library under each MPI where it is "
    "built. All ranks start a call at the same moment of one clock, and its time ends with the "
    "last rank; with --clocks ack only the root's clock is used: one receiver at a time "
    "acknowledges, and half a round trip is taken off, as banikazemi1998 does (broadcast and "
    "scatter only, and as many calls as there are receivers). The first call (connections, "
    "planning) is "
    "told apart, two more warm up, then the "
    "median of --repeat counts, or with --take least the least of them, as in that paper. Every "
    "result is checked.\n\n"
    "Beside each time stands its ratio to the bound: the machine's lower bound with the headers "
    "that TCP and Ethernet add. With several roots, times are means over them; --json and --csv "
    "have each root, confidence intervals of the medians and the first calls.\n\n"
    "With --on smpi the league is played: the real library inside a program under SimGrid's SMPI, "
    "on a standard set of machines, beside the algorithms that Open MPI, MPICH, MVAPICH2 and Intel "
    "MPI choose there. Simulated times are the same in every run. Results are checked; who has "
    "wrong data or aborts is left out of that event. --resume keeps results in a file and goes on "
    "after an interruption; what depends on our library is played again when that has changed.";

}  // namespace

Command bench_command() {
  Manual manual{.name = "bench",
                .tagline = "measure collectives in the lab or simulated, beside bounds",
                .synopsis =
                    "bench --on lab [--state DIR] [--operation LIST] [--size LIST] "
                    "[--root LIST|all] [--counts LENGTHS] [--stack LIST] [--clocks shared|ack] "
                    "[--take median|least] "
                    "[--repeat N] "
                    "[--json|--csv] [--save FILE] "
                    "[--svg PREFIX]\n"
                    "bench --on smpi [--machine LIST] [--placement LIST] [--operation LIST] "
                    "[--size LIST] [--peer LIST] [--single] [--roots N] [-j N] [--resume FILE] "
                    "[--json|--csv] [--save FILE] [--html FILE]",
                .description = std::string(kBenchDescription),
                .sections = {},
                .examples =
                    "espalier lab up \"site:2(10ms,100Mbit/s) machine:1|2(250us,1Gbit/s) proc:4\"\n"
                    "espalier bench --on lab\n"
                    "espalier bench --on lab --operation broadcast --root all --json\n"
                    "espalier bench --on lab --stack mpich,mpich+espalier --size 8,1MiB\n"
                    "espalier bench --on smpi --machine flat-64 --operation broadcast\n"
                    "espalier bench --on smpi --single --resume league.jsonl --html league.html"};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<BenchOptions>();
        app.add_option("--on", options->on, "Where: lab, or smpi.").type_name("PLACE").required();
        app.add_option("--state", options->state, "The lab's folder.")
            .type_name("DIR")
            .envname("ESPALIER_LAB");
        app.add_option("--operation", options->operations,
                       "Default: broadcast,reduce,allreduce,barrier; with --clocks ack broadcast; "
                       "on smpi all.")
            .type_name("LIST");
        app.add_option("--size", options->sizes,
                       "Of messages and blocks. Default: 8,1KiB,16KiB,128KiB,1MiB; on smpi "
                       "8,4KiB,64KiB,1MiB.")
            .type_name("LIST");
        app.add_option("--root", options->roots, "Such as 0,4-7, or all. Default: 0.")
            .type_name("LIST");
        app.add_option("--stack", options->stacks,
                       "mpich, openmpi, openmpi+han, openmpi+adapt, mpich+espalier, "
                       "openmpi+espalier, and mpich+discovered and openmpi+discovered, where the "
                       "library is not told the machine but finds it; mpich+blind, mpich+segments "
                       "and the same of openmpi, whose trees go by rank numbers, whole or in "
                       "segments. Default: all that are there but these six.")
            .type_name("LIST");
        app.add_option("--counts", options->counts,
                       "Unequal lengths in scatterv and gatherv, --size being their mean: "
                       "cpu-speed, uniform, giant, powerlaw, zeros, each with :SEED but the "
                       "first, or a file of bytes for each rank.")
            .type_name("LENGTHS");
        app.add_option("--clocks", options->clocks,
                       "shared: one for all ranks, as a lab has it (default). ack: the root's "
                       "alone.")
            .type_name("WHICH");
        app.add_option("--take", options->take,
                       "Which of the repeated times counts: median (default) or least.")
            .type_name("WHICH");
        app.add_option("--repeat", options->repeats, "At least 5. Default: 7.").type_name("N");
        const Option json = app.add_flag("--json", options->json, "Write JSON (espalier-bench-1).");
        app.add_flag("--csv", options->csv, "Write CSV, one row a call and stack.").excludes(json);
        app.add_option("--svg", options->svg, "Also draw PREFIXoperation.svg, times over sizes.")
            .type_name("PREFIX");
        app.add_option("--save", options->save, "Also write the JSON to FILE.").type_name("FILE");
        add_smpi_options(app, options->smpi);
        return [options, &globals, app] { return run_bench(*options, globals, app); };
      }};
}

}  // namespace espalier::cli
