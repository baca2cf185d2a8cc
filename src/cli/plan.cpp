#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/nearest.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "cli/request.hpp"
#include "cli/schedule_files.hpp"
#include "report/table.hpp"
#include "select/score.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;
using schedule::Collective;
using schedule::Operation;

struct PlanOptions {
  std::string operation;
  std::string machine;
  std::string root = "0";
  std::string size = "1KiB";
  std::string element = "8";
  std::string schedule;
  std::string schedule_format = "json";
  bool ordered = false;
  bool all = false;
  bool json = false;
};

/// Above that a plan is not verified whole here: see docs/verification.md.
constexpr Rank kVerifiedUpTo = 256;
/// Above that links are shared by the simulator's faster rule.
constexpr Rank kExactUpTo = 256;
/// All candidates of a larger machine would take minutes to simulate.
constexpr Rank kPlannedUpTo = 2048;

Error at(std::string where, Error error) {
  if (error.where.empty()) error.where = std::move(where);
  return error;
}

Expected<Operation> operation_from(const std::string& text) {
  if (const auto operation = schedule::operation_named(text)) return *operation;
  std::vector<std::string> known;
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    known.emplace_back(name_of(static_cast<Operation>(o)));
  }
  const std::string near = nearest(text, known);
  return Error{"OPERATION", fmt::format("there is no operation \"{}\"", text),
               fmt::format("{}the operations are: {}",
                           near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near),
                           fmt::join(known, ", "))};
}

/// In elements for reductions, in bytes for all else.
Expected<Collective> call_from(const PlanOptions& options, Rank ranks) {
  auto operation = operation_from(options.operation);
  if (!operation) return operation.error();
  auto root = parse_rank(options.root, ranks);
  if (!root) return at("--root", root.error());
  auto size = parse_bytes(options.size);
  if (!size) return at("--size", size.error());
  auto element = parse_bytes(options.element);
  if (!element) return at("--element", element.error());
  const bool reduces = *operation == Operation::Reduce || *operation == Operation::Allreduce ||
                       *operation == Operation::ReduceScatter || *operation == Operation::Scan ||
                       *operation == Operation::Exscan;
  if (!reduces) element = Bytes{1};
  if (*operation == Operation::Barrier) size = Bytes{0};
  if (element->value == 0 || size->value % element->value != 0) {
    return Error{"--size",
                 fmt::format("{} is not a whole number of elements of {}", to_string(*size),
                             to_string(*element)),
                 "give a multiple of --element"};
  }
  return Collective{*operation,       ranks, *root, size->value / element->value, *element,
                    !options.ordered, {}};
}

report::Table table_of(const std::vector<select::Scored>& scored, const topology::Machine& machine,
                       std::size_t rows) {
  report::Table table;
  table.columns = {{"plan", "plan", Align::Left, 16},
                   {"finish_ps", "simulated", Align::Right, false},
                   {"ratio", "x best", Align::Right, false}};
  for (std::size_t l = 0; l < machine.levels().size(); ++l) {
    const auto& level = machine.levels()[l];
    const std::string name = !level.channel.empty() ? level.channel : fmt::format("level {}", l);
    table.columns.push_back({fmt::format("messages_level_{}", l), name, Align::Right, false});
    table.columns.push_back({fmt::format("bytes_level_{}", l), "bytes", Align::Right, false});
  }
  const double best = to_microseconds(scored.front().result.finish);
  for (std::size_t i = 0; i < std::min(rows, scored.size()); ++i) {
    const auto& [candidate, result] = scored[i];
    std::vector<Cell> row{candidate.name, result.finish,
                          Decimal{best > 0 ? to_microseconds(result.finish) / best : 1, 3}};
    for (std::size_t l = 0; l < machine.levels().size(); ++l) {
      row.emplace_back(static_cast<std::int64_t>(result.levels[l].messages));
      row.emplace_back(static_cast<std::int64_t>(result.levels[l].bytes.value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Outcome plan_call(const PlanOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto machine = machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  if (machine->size() > kPlannedUpTo) {
    return Failure{{"--machine",
                    fmt::format("{} processes; all plans are simulated for up to {}",
                                machine->size(), kPlannedUpTo),
                    "plan on a smaller machine of the same shape"}};
  }
  const auto form = form_from(options.schedule_format, "--schedule-format");
  if (!form) return Failure{form.error()};
  auto call = call_from(options, machine->size());
  if (!call) return Failure{call.error()};
  const collective::Hierarchy hierarchy(*machine);
  sim::SimOptions simulated;
  if (machine->size() > kExactUpTo) simulated.sharing = sim::Sharing::OneBottleneck;
  const auto scored =
      select::score(select::candidates(hierarchy, *call), *call, *machine, simulated);
  const select::Scored& chosen = scored.front();
  const bound::LowerBound least = bound::lower_bound(*machine, *call);
  const double over = least.value > Time{0}
                          ? to_microseconds(chosen.result.finish) / to_microseconds(least.value)
                          : 1;

  std::string verdict = "not verified: more ranks than are verified whole";
  std::uint64_t hash = 0;
  if (machine->size() <= kVerifiedUpTo) {
    const schedule::Schedule schedule = schedule_of(chosen.candidate, *call);
    const verify::Verdict result = verify::verify(schedule);
    hash = hash_of(schedule);
    if (!result.ok()) {
      return Failure{{"plan", "the verifier refuses the fastest plan: " + to_string(result),
                      "this is a bug in espalier; please report it with the command line"},
                     kExitInternal};
    }
    verdict = "verified";
  }
  if (!options.schedule.empty()) {
    const schedule::Schedule schedule = schedule_of(chosen.candidate, *call);
    if (auto failed = write_schedule(schedule, *form, options.schedule)) return failed;
  }
  const std::size_t rows = options.all || options.json ? scored.size() : 12;
  const report::Table table = table_of(scored, *machine, rows);
  if (options.json) {
    nlohmann::ordered_json json = {{"format", "espalier-plan-1"},
                                   {"operation", name_of(call->operation)},
                                   {"ranks", call->size},
                                   {"root", call->root},
                                   {"size_bytes", call->count * call->element.value},
                                   {"commutative", call->commutative},
                                   {"chosen", chosen.candidate.name},
                                   {"finish_ps", chosen.result.finish.picoseconds},
                                   {"bound_ps", least.value.picoseconds},
                                   {"bound_because", describe(least.witness, *machine)},
                                   {"verdict", verdict},
                                   {"hash", fmt::format("{:016x}", hash)},
                                   {"candidates", report::to_json(table)}};
    return write_output("-", json.dump(2) + "\n");
  }
  std::string text =
      fmt::format("{} of {} among {} processes: {}, {} simulated, {}\n\n", name_of(call->operation),
                  to_string(Bytes{call->count * call->element.value}), call->size,
                  chosen.candidate.name, rounded(chosen.result.finish), verdict);
  text += report::to_text(table, *canvas);
  const std::string bound_line =
      fmt::format("\nno plan is faster than {}: {}; the fastest here takes {:.3f} times as long\n",
                  rounded(least.value), describe(least.witness, *machine), over);
  if (rows < scored.size())
    text += fmt::format("({} more; --all shows them)\n", scored.size() - rows);
  return write_output("-", text + bound_line);
}

constexpr std::string_view kDescription =
    "Plans a collective on a machine: builds every plan that Espalier knows for it (multilevel "
    "plans "
    "with several trees and segment sizes, trees blind to the topology, the classical algorithms), "
    "simulates each with its links shared, and shows them, the fastest first, with the messages "
    "and "
    "bytes that cross each level. The fastest is verified: every rank ends with the right data, "
    "nothing waits for ever, no step uses what is not there yet. Below the table stands a time "
    "that "
    "no plan can beat on this machine, and why.\n\n"
    "--size is the message of broadcast, reduce, allreduce and scan, and each rank's block of the "
    "others.";

constexpr std::string_view kExamples =
    "espalier plan broadcast --machine data/machines/three-machines.json --size 1MiB\n"
    "espalier plan allreduce -m \"site:3(20ms,1Gbit/s) proc:8(5us,10Gbit/s)\" --size 64KiB\n"
    "espalier plan barrier -m grid.json --json";

}  // namespace

Command plan_command() {
  Manual manual{.name = "plan",
                .tagline = "every plan for a collective, simulated; the fastest verified",
                .synopsis =
                    "plan OPERATION --machine MACHINE [--size BYTES] [--root RANK] [--ordered] "
                    "[--element BYTES] [--schedule FILE [--schedule-format FORM]] [--all|--json]",
                .description = std::string(kDescription),
                .sections = {machines_section()},
                .examples = std::string(kExamples)};
  return {std::move(manual), [](CLI::App& app, const Globals& globals) {
            const auto options = std::make_shared<PlanOptions>();
            app.add_option("OPERATION", options->operation,
                           "broadcast, reduce, allreduce, barrier, gather, scatter, allgather, "
                           "alltoall, reduce-scatter, scan or exscan.")
                ->required();
            app.add_option("-m,--machine", options->machine, "The machine: see MACHINES.")
                ->type_name("MACHINE");
            app.add_option("-r,--root", options->root, "Of operations with a root. Default: 0.")
                ->type_name("RANK");
            app.add_option("-s,--size", options->size, "Of the message or block. Default: 1KiB.")
                ->type_name("BYTES");
            app.add_option("--element", options->element, "Of reductions. Default: 8.")
                ->type_name("BYTES");
            app.add_flag("--ordered", options->ordered,
                         "The reduction does not commute: ranks are combined in order.");
            app.add_option("--schedule", options->schedule,
                           "Write the fastest plan, all ranks' programs, to FILE.")
                ->type_name("FILE");
            app.add_option("--schedule-format", options->schedule_format,
                           "json, goal or msccl: see espalier convert. Default: json.")
                ->type_name("FORM");
            CLI::Option* all = app.add_flag("--all", options->all, "Show every candidate.");
            app.add_flag("--json", options->json, "Write all candidates as JSON (espalier-plan-1).")
                ->excludes(all);
            return [options, &globals] { return plan_call(*options, globals); };
          }};
}

}  // namespace espalier::cli
