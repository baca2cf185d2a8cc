#include "cli/bench_smpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/candidate_forecasts.hpp"
#include "cli/example_machines.hpp"
#include "cli/measure_on_lab.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/scratch_folder.hpp"
#include "league/job.hpp"
#include "league/run_league.hpp"
#include "league/standings.hpp"
#include "league/tables.hpp"
#include "schedule/operation_names.hpp"
#include "topology/load_machine.hpp"

namespace espalier::cli {
namespace {

using schedule::Operation;

/// Splits at commas, except at those within brackets: "site:2(30ms,1Gbit/s) proc:8" is one part.
std::vector<std::string> split_outside_brackets(const std::string& list) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : list) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

/// Reads a machine of the standard set ("flat-64"), or any file or description of a machine.
Expected<topology::Machine> machine_called(const std::string& name) {
  auto loaded = topology::load_machine(file_of_machine(name));
  if (!loaded) return loaded.error();
  return std::move(loaded->machine);
}

Expected<std::vector<league::PlacedMachine>> machines_from(const SmpiOptions& options) {
  std::vector<std::string> names = split_outside_brackets(options.machines);
  if (names.empty())
    names.assign(league::kStandardMachines.begin(), league::kStandardMachines.end());
  std::vector<league::PlacedMachine> machines;
  for (const std::string& name : names) {
    auto machine = machine_called(name);
    if (!machine) return machine.error();
    const std::size_t first = machines.size();
    for (const std::string& placement : split_outside_brackets(options.placements)) {
      if (placement != "block" && placement != "cyclic") {
        return Error{"--placement", fmt::format("there is no placement \"{}\"", placement),
                     "block, cyclic"};
      }
      auto placed = with_placement(
          *machine, placement == "block" ? block_placement(*machine) : cyclic_placement(*machine));
      // On a machine with a single switch, block and cyclic placement are the same.
      if (machines.size() > first && machines.back().machine == placed) continue;
      machines.push_back({name, placement, std::move(placed)});
    }
  }
  return machines;
}

Expected<std::vector<Operation>> operations_from(const std::string& list) {
  std::vector<Operation> operations;
  for (const std::string& name : split_outside_brackets(list)) {
    const auto operation = schedule::operation_called(name);
    if (!operation) {
      return Error{"--operation", fmt::format("there is no operation \"{}\"", name),
                   operations_hint(name, false)};
    }
    operations.push_back(*operation);
  }
  for (int o = 0; list.empty() && o < schedule::kOperationCount; ++o) {
    operations.push_back(static_cast<Operation>(o));
  }
  return operations;
}

Expected<std::vector<std::uint64_t>> sizes_from(const std::string& list) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& text :
       split_outside_brackets(list.empty() ? "8,4KiB,64KiB,1MiB" : list)) {
    const auto size = parse_bytes(text);
    if (!size || size->value == 0 || size->value % 8 != 0 || size->value > (1ULL << 30U)) {
      return Error{"--size", fmt::format("{} is not a multiple of 8 bytes up to 1 GiB", text),
                   "write 8,64KiB,1MiB, say"};
    }
    sizes.push_back(size->value);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

Expected<league::LeagueTask> task_from(const SmpiOptions& options) {
  league::LeagueTask task;
  auto machines = machines_from(options);
  if (!machines) return machines.error();
  auto operations = operations_from(options.operations);
  if (!operations) return operations.error();
  auto sizes = sizes_from(options.sizes);
  if (!sizes) return sizes.error();
  auto selectors = league::selectors_called(options.peers);
  if (!selectors) return selectors.error();
  const auto memory = parse_bytes(options.memory);
  if (!memory) return Error{"--memory", memory.error().what, "such as 3GiB"};
  task.machines = *std::move(machines);
  task.operations = *std::move(operations);
  task.sizes = *std::move(sizes);
  task.memory = memory->value;
  task.contenders.push_back(league::ours());
  for (league::Contender& contender : *selectors) task.contenders.push_back(std::move(contender));
  if (options.single) {
    for (league::Contender& contender : league::single_algorithms())
      task.contenders.push_back(std::move(contender));
  }
  return task;
}

/// What --resume names: results that are known already, and where new ones are appended.
struct KeptResults {
  std::vector<league::Result> known;
  std::ofstream file;
};

Expected<KeptResults> kept_in(const std::string& resume) {
  KeptResults kept;
  if (resume.empty()) return kept;
  std::error_code failed;
  bool lacks_newline = false;
  const bool is_new = !std::filesystem::exists(resume, failed) && !failed;
  if (auto foreign = why_foreign(resume)) return *std::move(foreign);
  if (!is_new) {
    const auto text = read_named_file(resume);
    if (!text) return text.error();
    auto read = league::read_lines(*text, resume);
    if (!read) return read.error();
    kept.known = *std::move(read);
    // A run that was killed may have left a piece of a line.
    const std::size_t piece = league::piece_at_end(*text);
    if (piece > 0) {
      std::filesystem::resize_file(resume, std::filesystem::file_size(resume, failed) - piece,
                                   failed);
    }
    lacks_newline = piece == 0 && !text->empty() && text->back() != '\n';
  }
  kept.file.open(resume, std::ios::app);
  if (lacks_newline) kept.file << '\n';
  if (failed || !kept.file) return Error{resume, "it cannot be written", "name another file"};
  return kept;
}

Expected<std::vector<league::Result>> run_contenders(const league::LeagueTask& task,
                                                     league::LeagueSettings& settings,
                                                     KeptResults& kept) {
  settings.keep = [&kept](const league::Result& result) {
    if (kept.file.is_open()) kept.file << to_line(result) << std::endl;
  };
  auto results = run_league(task, settings, kept.known);
  if (!kept.file) {
    write_message(
        "espalier bench: note: --resume: not all results could be kept: is the disk full?\n");
  }
  return results;
}

Outcome write_results(const SmpiOptions& options, const league::LeagueTask& task,
                      const league::RunSettings& settings,
                      const std::vector<league::EventResults>& lines,
                      const report::Canvas& canvas) {
  if (!options.html.empty()) {
    if (auto bad = write_output(options.html, league::page(lines))) return bad;
  }
  const std::string json = league::to_json(lines, task, settings).dump(1) + "\n";
  if (!options.save.empty()) {
    if (auto bad = write_output(options.save, json)) return bad;
  }
  if (options.json) return write_output("-", json);
  if (options.csv) return write_output("-", to_csv(league::full_table(lines)));
  std::string text = to_text(league::event_table(lines), canvas);
  for (const report::Table& table :
       {league::fault_table(lines), league::standing_table(lines), league::criteria_table(lines)}) {
    if (!table.rows.empty()) text += "\n" + to_text(table, canvas);
  }
  return write_output("-", text);
}

}  // namespace

void add_smpi_options(App& app, SmpiOptions& o) {
  app.add_option("--machine", o.machines,
                 "smpi: of data/machines/, or any other. Default: the ten of the standard set.")
      .type_name("LIST");
  app.add_option("--placement", o.placements, "smpi: block, cyclic. Default: both.")
      .type_name("LIST");
  app.add_option("--peer", o.peers, "smpi: ompi, mpich, mvapich2, impi. Default: all.")
      .type_name("LIST");
  app.add_flag("--single", o.single, "smpi: every single algorithm of SMPI too.");
  app.add_flag("--candidates", o.candidates,
               "smpi: instead, every plan that is considered, from root 0: its time as predicted, "
               "as replayed and under SMPI.");
  app.add_option("--roots", o.roots, "smpi: so many, evenly spread. Default: 2.")
      .type_name("N")
      .whole_number(1, 1'000'000);
  app.add_option("-j,--jobs", o.at_once, "smpi: runs at a time. Default: one a core.")
      .type_name("N")
      .whole_number(1, 4096);
  app.add_option("--seconds", o.seconds,
                 "smpi: of processor time that one run may take. Default: 60.")
      .type_name("N")
      .whole_number(1, 1'000'000);
  app.add_option("--memory", o.memory, "smpi: buffers of a call over all ranks. Default: 3GiB.")
      .type_name("SIZE");
  app.add_option("--resume", o.resume, "smpi: keep results in FILE, play what is not there.")
      .type_name("FILE");
  app.add_option("--html", o.html, "smpi: also write the league's page to FILE.").type_name("FILE");
}

Outcome bench_on_smpi(const SmpiOptions& options, const Globals& globals) {
  const auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto task = task_from(options);
  if (!task) return Failure{task.error()};
  std::vector<league::PlanForecast> forecasts;
  if (options.candidates) {
    forecasts = forecasts_of(*task);
    task->contenders = contenders_of(forecasts);
  }
  auto kept = kept_in(options.resume);
  if (!kept) return Failure{kept.error()};
  const ScratchFolder scratch;
  if (scratch.path().empty())
    return Failure{{"bench", "there is no room for platforms",
                    "name a folder that you may write to with TMPDIR"}};
  league::LeagueSettings settings;
  settings.run = {own_path().parent_path().parent_path() / "smpi/smpi_times",
                  options.candidates ? 1 : options.roots, options.seconds};
  if (!std::filesystem::exists(settings.run.program)) {
    return Failure{
        {"bench", fmt::format("{} is not built", settings.run.program.string()),
         "it is built from the sources, with SimGrid (Debian: libsimgrid-dev): make check, "
         "then build/release/bin/espalier there"}};
  }
  settings.at_once = options.at_once > 0 ? static_cast<unsigned>(options.at_once)
                                         : std::thread::hardware_concurrency();
  auto library = read_named_file(settings.run.program.string(), {.takes_binary = true});
  if (!library) return Failure{library.error()};
  settings.library = *std::move(library);
  settings.folder = scratch.path();
  std::optional<Progress> progress;
  settings.progress = [&progress](const league::LeagueProgress& p) {
    if (!progress) progress.emplace("running", p.jobs);
    progress->reach(p.done);
  };
  auto results = run_contenders(*task, settings, *kept);
  progress.reset();
  if (!results) return Failure{results.error()};
  if (options.candidates) {
    const auto measured = with_times(std::move(forecasts), *results);
    if (options.csv) return write_output("-", to_csv(forecast_table(measured)));
    return write_output("-", to_text(forecast_table(measured), *canvas) + "\n" +
                                 to_text(agreement_table(measured), *canvas));
  }
  const std::vector<league::EventResults> lines =
      league::results_by_event(*results, task->contenders, [&](const league::LeagueEvent& event) {
        for (const league::PlacedMachine& placed : task->machines) {
          if (placed.name == event.machine && placed.placement == event.placement) {
            return league::bound_us(placed.machine, event, options.roots);
          }
        }
        return 0.0;
      });
  if (Outcome bad = write_results(options, *task, settings.run, lines, *canvas)) return bad;
  const bool all_failed =
      !results->empty() && std::all_of(results->begin(), results->end(), [](const auto& result) {
        return result.state == league::ResultState::Failed;
      });
  if (!all_failed) return {};
  return Failure{{"bench", "every run failed",
                  "espalier doctor says whether smpirun is there; --seconds gives a run more time"},
                 kExitInternal};
}

}  // namespace espalier::cli
