// espalier run: starts a program under its launcher with our library preloaded in every process.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/program.hpp"

namespace espalier::cli {
namespace {

namespace fs = std::filesystem;
using launch::Mpi;

struct RunOptions {
  std::string machine;
  std::string explain;
  std::string algorithm;
  std::string mpi;
  std::string library;
  std::string profile;
  bool force = false;
  bool reproducible = false;
  bool disable = false;
  bool print = false;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error where_to_find(const std::string& program) {
  return {program, "there is no such program",
          program.find('/') == std::string::npos
              ? "write ./" + program + " if it is in this folder"
              : "check its name; a program that is on other hosts only needs --mpi"};
}

/// The MPI of the launcher, by what it says of itself.
Expected<Mpi> launcher_mpi(const std::string& launcher) {
  if (launch::find_program(launcher, ".", environment("PATH")).empty()) {
    return where_to_find(launcher);
  }
  if (const auto mpi = launch::mpi_of_launcher(launch::output_of({launcher, "--version"}))) {
    return *mpi;
  }
  return Error{
      launcher, "no MPI found: it is neither MPICH's mpiexec nor Open MPI's",
      "put the launcher behind \"--\", such as mpiexec -n 4 ./program; for another one set "
      "LD_PRELOAD yourself (docs/runtime.md)"};
}

/// Nothing if all programs of the line can take the launcher's library.
std::optional<Error> check_programs(const launch::CommandLine& line) {
  for (const auto& part : line.parts) {
    const std::string& name = line.words[part.program];
    const std::string file = launch::find_program(
        name, part.directory.empty() ? "." : part.directory, environment("PATH"));
    if (file.empty()) return where_to_find(name);
    auto mpi = launch::mpi_of_program(file);
    if (!mpi) return mpi.error();
    if (*mpi && **mpi != line.mpi) {
      return Error{name,
                   fmt::format("it is linked with {}, but {} is {}'s", launch::name_of(**mpi),
                               line.words[line.launcher], launch::name_of(line.mpi)),
                   fmt::format("start it with {}'s mpiexec", launch::name_of(**mpi))};
    }
  }
  return std::nullopt;
}

/// Beside the tool, as it was built or installed.
/// @param given the library itself, or empty
Expected<std::string> find_library(const std::string& name, const std::string& given, Mpi mpi) {
  std::error_code error;
  std::vector<fs::path> places;
  if (!given.empty()) {
    places = {given};
  } else {
    const fs::path tool = fs::read_symlink("/proc/self/exe", error).parent_path();
    places = {tool / "../lib" / name, tool / "../lib/espalier" / name, tool / name};
  }
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return fs::canonical(place, error).string();
  }
  return Error{places.front().string(), fmt::format("no library for {} here", launch::name_of(mpi)),
               "build it (make), or name it with --library"};
}

/// Ours, and before it the recorder if one is asked for: it sees what the program calls.
Expected<std::string> find_libraries(const RunOptions& options, Mpi mpi) {
  auto library = find_library(std::string(launch::library_of(mpi)), options.library, mpi);
  if (!library || options.profile.empty()) return library;
  auto recorder = find_library(std::string(launch::recorder_of(mpi)), "", mpi);
  if (!recorder) return recorder.error();
  return *recorder + ":" + *library;
}

/// A profile is written at the end: better to be told now that it cannot be.
std::optional<Error> check_profile(const std::string& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  std::error_code error;
  if (fs::is_directory(file, error)) {
    return Error{"--profile", fmt::format("\"{}\" is a folder", file), "name a file"};
  }
  if (!fs::is_directory(folder, error)) {
    return Error{"--profile", fmt::format("there is no folder \"{}\"", folder.string()),
                 "make it, or name another file"};
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return Error{"--profile", fmt::format("\"{}\" cannot be written to", folder.string()),
                 "name a file in another folder"};
  }
  return std::nullopt;
}

/// What the ranks shall know: the options, and all ESPALIER_* of our own environment, which some
/// launchers do not take to other hosts.
Expected<launch::Variables> variables(const RunOptions& options) {
  launch::Variables result;
  const auto set = [&result](const std::string& name, const std::string& value) {
    if (!value.empty()) result.emplace_back(name, value);
  };
  if (!options.machine.empty()) {
    auto machine = machine_from(options.machine, "--machine");
    if (!machine) return machine.error();
    std::error_code error;
    const bool is_file = fs::exists(options.machine, error);
    set("ESPALIER_MACHINE", is_file ? fs::absolute(options.machine).string() : options.machine);
  }
  set("ESPALIER_EXPLAIN", options.explain == "1" || options.explain.empty()
                              ? options.explain
                              : fs::absolute(options.explain).string());
  set("ESPALIER_ALGORITHM", options.algorithm);
  set("ESPALIER_FORCE", options.force ? "1" : "");
  set("ESPALIER_REPRODUCIBLE", options.reproducible ? "1" : "");
  set("ESPALIER_DISABLE", options.disable ? "1" : "");
  if (!options.profile.empty()) {
    if (auto wrong = check_profile(options.profile)) return *wrong;
    set("ESPALIER_PROFILE", fs::absolute(options.profile).string());
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("ESPALIER_") || equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    const bool is_set = std::any_of(result.begin(), result.end(),
                                    [&](const auto& variable) { return variable.first == name; });
    if (!is_set) set(name, std::string(text.substr(equals + 1)));
  }
  return result;
}

Expected<std::vector<std::string>> command_of(const RunOptions& options,
                                              const std::vector<std::string>& words) {
  if (words.empty()) {
    return Error{"espalier run", "no command is given",
                 "write it after \"--\": espalier run -- mpiexec -n 4 ./program"};
  }
  const auto named = launch::mpi_named(options.mpi);
  if (!options.mpi.empty() && !named) {
    return Error{"--mpi", fmt::format("there is no MPI \"{}\"", options.mpi), "mpich or openmpi"};
  }
  auto mpi = named ? Expected<Mpi>(*named) : launcher_mpi(words[launch::launcher_among(words)]);
  if (!mpi) return mpi.error();
  auto line = launch::take_apart(words, *mpi, [](const std::string& word) {
    return !launch::find_program(word, ".", environment("PATH")).empty();
  });
  if (!line) return line.error();
  if (!named) {
    if (auto wrong = check_programs(*line)) return *wrong;
  }
  auto library = find_libraries(options, *mpi);
  if (!library) return library.error();
  auto set = variables(options);
  if (!set) return set.error();
  return with_preload(*line, *library, environment("LD_PRELOAD"), *set);
}

Outcome run_program(const RunOptions& options, const Globals& globals) {
  auto command = command_of(options, globals.other_command);
  if (!command) return Failure{command.error()};
  if (options.print) return write_output("-", launch::to_text(*command) + "\n");
  std::vector<char*> words;
  for (std::string& word : *command) words.push_back(word.data());
  words.push_back(nullptr);
  restore_signals();
  execvp(words.front(), words.data());
  return Failure{{command->front(), fmt::format("it cannot be started: {}", std::strerror(errno)),
                  "check that it is a program"}};
}

constexpr std::string_view kDescription =
    "Runs an MPI program, unchanged, with Espalier's library preloaded in all its processes, so "
    "that its collectives run along plans made for the machine. COMMAND is what would be typed "
    "without Espalier: mpiexec of MPICH or Open MPI, its options, the program or several with "
    "\":\" between them. The library is that of the MPI which the program is linked with; for "
    "scripts and Python it is the launcher's. Other libraries that LD_PRELOAD names stay, behind "
    "ours. The exit code is that of COMMAND.";

constexpr std::string_view kSettings =
    "All ESPALIER_* variables reach every process; the options set them: --machine is "
    "ESPALIER_MACHINE, --explain ESPALIER_EXPLAIN, and so on. docs/runtime.md describes them.";

constexpr std::string_view kExamples =
    "espalier run --machine grid.json --explain -- mpiexec -n 48 ./solver input\n"
    "espalier run -- mpiexec -n 1 ./master : -n 15 ./worker\n"
    "espalier run --profile solver.profile -- mpiexec -n 16 ./solver\n"
    "espalier run --machine \"site:2(10ms) proc:2\" --print -- mpiexec -n 4 ./a.out";

void declare_options(CLI::App& app, RunOptions& options) {
  app.add_option("--machine", options.machine, "The machine: see MACHINES.")->type_name("MACHINE");
  app.add_option("--explain", options.explain,
                 "Say at the end how each kind of call ran, and why; into a file with "
                 "--explain=FILE.")
      ->type_name("[FILE]")
      ->expected(0, 1)
      ->default_str("1");
  app.add_option("--algorithm", options.algorithm,
                 "Plans to use: operation=algorithm, with commas between them.")
      ->type_name("LIST");
  app.add_flag("--force", options.force, "Plan wherever it is legal, gain or not.");
  app.add_flag("--reproducible", options.reproducible,
               "Reductions give the same bits on every machine.");
  app.add_flag("--disable", options.disable, "Preload the library, but leave all calls to MPI.");
  app.add_option("--profile", options.profile,
                 "Record how the program communicates, for espalier profile and espalier place.")
      ->type_name("FILE");
  app.add_option("--mpi", options.mpi,
                 "mpich or openmpi: what the launcher and the programs use; they are not looked "
                 "at then.")
      ->type_name("MPI");
  app.add_option("--library", options.library, "The library to preload.")->type_name("FILE");
  app.add_flag("--print", options.print, "Print the command that would run, and do not run it.");
}

}  // namespace

Command run_command() {
  Manual manual{.name = "run",
                .tagline = "run an MPI program along plans",
                .synopsis = "run [OPTIONS] -- COMMAND",
                .description = std::string(kDescription),
                .sections = {{"SETTINGS", std::string(kSettings)}, machines_section()},
                .examples = std::string(kExamples)};
  return {std::move(manual),
          [](CLI::App& app, const Globals& globals) {
            const auto options = std::make_shared<RunOptions>();
            declare_options(app, *options);
            return [options, &globals] { return run_program(*options, globals); };
          },
          /*takes_other_command=*/true};
}

}  // namespace espalier::cli
