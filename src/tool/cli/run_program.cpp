// espalier run: starts a program under its launcher with our library preloaded in every process.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <tuple>

#include "base/file.hpp"
#include "base/mpi_names.hpp"
#include "cli/command.hpp"
#include "cli/example_machines.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "cli/run_placed.hpp"
#include "cli/run_watched.hpp"
#include "doctor/checks.hpp"
#include "launch/ask.hpp"
#include "launch/elf.hpp"
#include "launch/own_library.hpp"
#include "launch/start.hpp"

namespace espalier::cli {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string machine;
  std::string explain;
  std::string algorithm;
  std::string mpi;
  std::string library;
  std::string profile;
  std::string trace;
  PlacedRun placed;
  bool force = false;
  bool reproducible = false;
  bool disable = false;
  bool print = false;
};

/// Ours, and before it the recorder if one is asked for: it sees what the program calls.
Expected<std::string> find_libraries(const RunOptions& options, launch::Mpi mpi) {
  auto library = launch::find_library(launch::kLibrary, options.library);
  if (library && !options.library.empty()) {
    // The loader only complains of what is no library, and the program runs without it.
    const auto elf = launch::read_elf(*library);
    if (!elf) return elf.error();
    if (!*elf || !(*elf)->is_static() || (*elf)->needed.empty()) {
      return Error{"--library", fmt::format("{} is no shared library", *library),
                   fmt::format("leave it out: {} beside this tool is taken", launch::kLibrary)};
    }
    if (!(*elf)->soname.starts_with("libespalier")) {
      return Error{"--library", fmt::format("{} is no library of Espalier's", *library),
                   fmt::format("leave it out: {} beside this tool is taken", launch::kLibrary)};
    }
  }
  if (library && options.library.empty()) {
    // Without it the program would run natively, with a line that is easily overlooked. Where only
    // the standard's own interface was built, any program may be of that kind.
    const auto& variant = launch::variant_for(mpi);
    const auto is_there = [&](std::string_view file) {
      std::error_code error;
      return fs::exists(fs::path(*library).parent_path() / file, error);
    };
    if (!is_there(variant.file) && !is_there(launch::kVariants[2].file)) {
      return Error{(fs::path(*library).parent_path() / variant.file).string(),
                   fmt::format("there is no such library here, and it serves {}", variant.serves),
                   "build it (make)"};
    }
  }
  if (!library || options.profile.empty()) return library;
  auto recorder = launch::find_library(launch::kRecorder, "");
  if (!recorder) return recorder.error();
  return *recorder + ":" + *library;
}

/// A machine that can be read once only, such as a pipe, would be gone when the ranks read it.
std::optional<Error> check_read_again(const std::string& machine) {
  std::error_code error;
  const fs::file_status status = fs::status(machine, error);
  const bool is_read_again =
      !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
  if (machine != "-" && is_read_again) return std::nullopt;
  return Error{"--machine", "the processes have to read it too, and it can be read once only",
               "write it to a file, and name that"};
}

/// Whether a variable names where *this* host is: every host has its own value, but for the name of
/// a file that each has.
bool is_of_one_host(const std::string& name, const std::string& value) {
  return (name == "ESPALIER_CLUSTERS" || name == "ESPALIER_SITE" || name == "ESPALIER_LAN") &&
         !value.starts_with('@');
}

/// What MPICH's mpiexec and srun hand to all hosts, though each has its own.
void note_what_all_hosts_get(launch::Launcher kind) {
  if (kind == launch::Launcher::OpenMpi || kind == launch::Launcher::Prrte) return;
  for (const char* name : {"ESPALIER_CLUSTERS", "ESPALIER_SITE", "ESPALIER_LAN"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || !is_of_one_host(name, value)) continue;
    write_message(
        fmt::format("espalier run: note: {}: the launcher hands this host's value to all others; "
                    "name a file that each host has (@FILE), or begin with env -u {}\n",
                    name, name));
  }
}

/// What the ranks shall know: the options, and the ESPALIER_* of our own environment, which some
/// launchers do not take to other hosts.
/// @param has_launcher processes may start on other hosts than this
Expected<launch::Variables> variables(const RunOptions& options, bool has_launcher) {
  launch::Variables result;
  const auto set = [&result](const std::string& name, const std::string& value) {
    if (!value.empty()) result.emplace_back(name, value);
  };
  if (!options.machine.empty()) {
    if (auto wrong = check_read_again(options.machine)) return *wrong;
    auto machine = timed_machine_from(options.machine, "--machine");
    if (!machine) return machine.error();
    std::error_code error;
    const std::string named = file_of_machine(options.machine);
    set("ESPALIER_MACHINE", fs::exists(named, error) ? fs::absolute(named).string() : named);
  }
  if (!options.explain.empty() && options.explain != "1") {
    if (auto wrong = why_not_writable("--explain", options.explain)) return *wrong;
  }
  for (const auto& [option, file, other, there] :
       {std::tuple{"--trace", options.trace, "--profile", options.profile},
        std::tuple{"--explain", options.explain, "--trace", options.trace},
        std::tuple{"--explain", options.explain, "--profile", options.profile}}) {
    if (auto twice = written_twice(option, file, other, there)) return *twice;
  }
  set("ESPALIER_EXPLAIN", options.explain == "1" || options.explain.empty()
                              ? options.explain
                              : fs::absolute(options.explain).string());
  set("ESPALIER_ALGORITHM", options.algorithm);
  set("ESPALIER_FORCE", options.force ? "1" : "");
  set("ESPALIER_REPRODUCIBLE", options.reproducible ? "1" : "");
  set("ESPALIER_DISABLE", options.disable ? "1" : "");
  if (!options.profile.empty()) {
    if (auto wrong = why_not_writable("--profile", options.profile)) return *wrong;
    set("ESPALIER_PROFILE", fs::absolute(options.profile).string());
  }
  if (!options.trace.empty()) {
    if (auto wrong = why_not_writable("--trace", options.trace)) return *wrong;
    set("ESPALIER_TRACE", fs::absolute(options.trace).string());
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("ESPALIER_") || equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    const bool is_set = std::any_of(result.begin(), result.end(),
                                    [&](const auto& variable) { return variable.first == name; });
    const std::string value(text.substr(equals + 1));
    if (!is_set && !(has_launcher && is_of_one_host(name, value))) set(name, value);
  }
  return result;
}

/// The library would pass over such a name; here it can still be written another way.
std::optional<Error> check_algorithms(const RunOptions& options, const launch::Variables& set) {
  for (const auto& [name, value] : set) {
    if (name != "ESPALIER_ALGORITHM") continue;
    const doctor::Findings wrong = doctor::wrong_algorithms(value);
    if (wrong.empty()) return std::nullopt;
    return Error{options.algorithm.empty() ? name : "--algorithm", wrong.front().what,
                 wrong.front().cure};
  }
  return std::nullopt;
}

/// What is wrong with a program the doctor knows best, unless it would say the same.
Error with_doctor(Error error) {
  if (launch::find_program(error.where, ".", launch::environment("PATH")).empty()) return error;
  const doctor::Findings told = doctor::check_program(error.where, doctor::own_environment());
  const bool is_repeated = std::any_of(told.begin(), told.end(), [&](const auto& finding) {
    return finding.what.ends_with(error.what);
  });
  if (is_repeated) return error;
  error.hint += fmt::format("{}\"espalier doctor {}\" tells more", error.hint.empty() ? "" : "; ",
                            error.where);
  return error;
}

/// Options of --place without it would be passed over.
std::optional<Error> check_placed(const RunOptions& options) {
  const PlacedRun& placed = options.placed;
  if (placed.inventory.empty()) {
    const auto first = [](const std::vector<std::string>& given) {
      return given.empty() ? std::string() : given.front();
    };
    for (const auto& [name, value] : {std::pair{"--by", placed.profile},
                                      {"--weather", placed.weather},
                                      {"--exclude", first(placed.constraints.exclude)},
                                      {"--pin", first(placed.constraints.pins)},
                                      {"--per-node", placed.constraints.per_node},
                                      {"--hosts", placed.hosts}}) {
      if (!value.empty()) return Error{name, "nothing is placed", "--place INVENTORY as well"};
    }
  } else if (options.print && placed.hosts.empty()) {
    return Error{"--print", "the launcher's file would end with this command",
                 "name one: --hosts FILE"};
  }
  return std::nullopt;
}

/// What is started, and where the processes tell that they have the library, if we wait for that.
struct Ready {
  launch::Start start;
  std::optional<Sign> sign;
};

/// Whether to tell at the end that the library came into no process. From other hosts no sign
/// comes.
bool is_sign_awaited(const RunOptions& options, const launch::Chosen& chosen) {
  if (options.explain.empty() || options.explain == "0" || options.print) return false;
  const bool is_own_library = options.library.empty();  // another one may leave no sign
  return is_own_library && !is_started_by_launcher() &&
         !(chosen.line && launch::may_use_other_hosts(*chosen.line));
}

Expected<Ready> ready_to_start(const RunOptions& options, std::vector<std::string> words) {
  if (auto wrong = check_placed(options)) return *wrong;
  if (words.empty()) {
    return Error{"espalier run", "no command is given",
                 "write it after \"--\": espalier run -- mpiexec -n 4 ./program"};
  }
  const auto named = launch::mpi_named(options.mpi);
  if (!options.mpi.empty() && !named) {
    return Error{"--mpi", fmt::format("there is no MPI \"{}\"", options.mpi),
                 mpi_meant(options.mpi) + "mpich or openmpi"};
  }
  auto chosen = launch::choose_start(words, named);
  if (!chosen) return with_doctor(chosen.error());
  if (!options.placed.inventory.empty()) {
    auto placed = placed_command(options.placed, *chosen, words);
    if (!placed) return placed.error();
    words = *std::move(placed);
    chosen = launch::choose_start(words, named);
    if (!chosen) return with_doctor(chosen.error());
  }
  auto set = variables(options, chosen->line.has_value());
  if (!set) return set.error();
  if (auto wrong = check_algorithms(options, *set)) return *wrong;
  auto library = find_libraries(options, chosen->mpi);
  if (!library) return library.error();
  for (const auto& unknown : doctor::unknown_settings({set->begin(), set->end()})) {
    write_message(fmt::format("espalier run: note: {}: {}; {}\n", unknown.subject, unknown.what,
                              unknown.cure));
  }
  if (chosen->line) note_what_all_hosts_get(chosen->line->kind);
  for (const std::string& note : chosen->notes) {
    write_message(fmt::format("espalier run: note: {}\n", note));
  }
  std::optional<Sign> sign;
  if (is_sign_awaited(options, *chosen)) sign.emplace();
  if (sign && sign->name().empty()) sign.reset();
  if (sign) set->emplace_back("ESPALIER_SIGN", sign->name());
  auto start = launch::start_of(*chosen, words, *library, *set);
  if (!start) return start.error();
  return Ready{std::move(*start), std::move(sign)};
}

Outcome run_program(const RunOptions& options, const Globals& globals) {
  auto ready = ready_to_start(options, globals.other_command);
  if (!ready) return Failure{ready.error()};
  launch::Start& start = ready->start;
  if (options.print) return write_output("-", launch::to_text(start) + "\n");
  for (const std::string& name : start.unset) ::unsetenv(name.c_str());
  for (const auto& [name, value] : start.set) ::setenv(name.c_str(), value.c_str(), 1);
  restore_signals();
  if (ready->sign) return run_watched(start.words, *ready->sign);
  std::vector<char*> words;
  for (std::string& word : start.words) words.push_back(word.data());
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  return Failure{{words.front(), fmt::format("it cannot be started: {}", std::strerror(errno)),
                  "check that it is a program"}};
}

constexpr std::string_view kRunProgramDescription =
    "Runs an MPI program, unchanged, with Espalier's library preloaded in all its processes, so "
    "that its collectives run along plans made for the machine. COMMAND is what would be typed "
    "without Espalier: mpiexec of MPICH or Open MPI, its options, the program or several with "
    "\":\" between them; srun; sbatch with a script; a script that starts MPI programs; or the "
    "program alone, under a launcher that started espalier. There is one library for all MPIs; but "
    "how a launcher is told of it, and whether it can serve the program, is a matter of the MPI. "
    "To "
    "find that, run looks behind env, numactl, timeout and the like, "
    "into shell scripts, and at Python's mpi4py; where it cannot tell, the launcher's is taken, or "
    "--mpi says. Other libraries that LD_PRELOAD names stay, behind ours. The exit code is that of "
    "COMMAND. If a program is refused, espalier doctor PROGRAM tells more.";

constexpr std::string_view kSlurm =
    "srun and sbatch get the library through --export, to which what the command itself exports is "
    "added; mpiexec inside of a job hands it on. srun starts processes of MPICH with --mpi=pmi2 "
    "and those of Open MPI with --mpi=pmix.";

constexpr std::string_view kSettings =
    "All ESPALIER_* variables reach every process; the options set them: --machine is "
    "ESPALIER_MACHINE, --explain ESPALIER_EXPLAIN, and so on. Those that each host has its own "
    "value of (ESPALIER_SITE, ESPALIER_LAN, ESPALIER_CLUSTERS) are not told to other hosts; but "
    "MPICH's "
    "mpiexec and srun hand on the whole environment, and run says so. "
    "docs/reference/variables.md describes them.";

constexpr std::string_view kRunProgramExamples =
    "espalier run --machine grid.json --explain -- mpiexec -n 48 ./solver input\n"
    "espalier run -- mpiexec -n 1 ./master : -n 15 ./worker\n"
    "espalier run -- srun --mpi=pmix -n 16 ./solver\n"
    "espalier run -- sbatch job.sh\n"
    "espalier run -- mpiexec -n 4 python3 solver.py\n"
    "espalier run --profile solver.profile -- mpiexec -n 16 ./solver\n"
    "espalier run --place hosts.json --by solver.profile --weather w.db -- mpiexec -n 16 ./solver\n"
    "espalier run --trace solver.trace -- mpiexec -n 16 ./solver\n"
    "espalier run --machine \"site:2(10ms) proc:2\" --print -- mpiexec -n 4 ./a.out";

void declare_options(App& app, RunOptions& options) {
  app.add_option("--machine", options.machine, "The machine: see MACHINES.").type_name("MACHINE");
  app.add_option("--explain", options.explain,
                 "Say at the end how each kind of call ran, and why; into a file with "
                 "--explain=FILE.")
      .type_name("[FILE]")
      .optional_value("1");
  app.add_option(
         "--algorithm", options.algorithm,
         "Plans to use: operation=algorithm, with commas between them. \"native\" leaves an "
         "operation to MPI.")
      .type_name("LIST");
  const Option force =
      app.add_flag("--force", options.force, "Plan wherever it is legal, gain or not.");
  app.add_flag("--reproducible", options.reproducible,
               "Reductions give the same bits on every machine.");
  app.add_flag("--disable", options.disable, "Preload the library, but leave all calls to MPI.")
      .excludes(force);
  app.add_option("--trace", options.trace,
                 "Take down when each message of planned calls began and ended, for espalier trace "
                 "and espalier view.")
      .type_name("FILE");
  app.add_option("--profile", options.profile,
                 "Record how the program communicates, for espalier profile and espalier place.")
      .type_name("FILE");
  app.add_option(
         "--place", options.placed.inventory,
         "First choose which process runs where, of what there is (see espalier place), and "
         "tell the launcher.")
      .type_name("INVENTORY");
  app.add_option("--by", options.placed.profile,
                 "With --place: how the program communicates, a profile or a workload.")
      .type_name("PROFILE");
  app.add_option("--weather", options.placed.weather,
                 "With --place: links as espalier weather forecasts them.")
      .type_name("HISTORY");
  declare_constraints(app, options.placed.constraints, /*of_run=*/true);
  app.add_option("--hosts", options.placed.hosts,
                 "With --place: keep the launcher's file here; --print needs it. Default: it ends "
                 "with the run.")
      .type_name("FILE");
  app.add_option("--mpi", options.mpi,
                 "mpich or openmpi: what the launcher and the programs use; they are not looked "
                 "at then.")
      .type_name("MPI");
  app.add_option("--library", options.library, "The library to preload.").type_name("FILE");
  app.add_flag("--print", options.print, "Print the command that would run, and do not run it.");
}

}  // namespace

Command run_command() {
  Manual manual{.name = "run",
                .tagline = "run an MPI program along plans",
                .synopsis = "run [OPTIONS] -- COMMAND",
                .description = std::string(kRunProgramDescription),
                .sections = {{"SLURM", std::string(kSlurm)},
                             {"SETTINGS", std::string(kSettings)},
                             machines_section()},
                .examples = std::string(kRunProgramExamples)};
  return {std::move(manual),
          [](App& app, const Globals& globals) {
            const auto options = std::make_shared<RunOptions>();
            declare_options(app, *options);
            return [options, &globals] { return run_program(*options, globals); };
          },
          /*takes_other_command=*/true};
}

}  // namespace espalier::cli
