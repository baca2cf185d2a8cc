// espalier discover: starts a small program under the user's launcher that finds and measures the
// machine, and shows what it found.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/json.hpp"
#include "base/mpi_names.hpp"
#include "base/nearest.hpp"
#include "base/progress.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/launchers.hpp"
#include "launch/loader.hpp"
#include "launch/run_and_read.hpp"
#include "report/draw_machine.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::cli {
namespace {

namespace fs = std::filesystem;
using launch::Mpi;

struct DiscoverOptions {
  std::string output;
  std::string mpi;
  std::string seconds;
  bool json = false;
  bool fresh = false;
  bool no_cache = false;
  bool cpu_speed = false;
  bool print = false;
};

constexpr std::string_view kMark = "espalier-discovered ";

std::string path_variable() {
  const char* value = std::getenv("PATH");
  return value == nullptr ? "" : value;
}

Expected<std::vector<std::string>> program_for(Mpi mpi, const DiscoverOptions& options) {
  std::error_code failed;
  const fs::path tool = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (failed)
    return Error{"/proc", "is not mounted, so the tool does not know where it is", "mount it"};
  const fs::path program =
      tool / (mpi == Mpi::Mpich ? "espalier-discover.mpich" : "espalier-discover.openmpi");
  if (!fs::exists(program, failed)) {
    return Error{program.string(), fmt::format("no program for {} here", launch::name_of(mpi)),
                 "build it (make)"};
  }
  std::vector<std::string> words{program.string()};
  if (options.fresh) words.emplace_back("--fresh");
  if (options.no_cache) words.emplace_back("--no-cache");
  if (options.cpu_speed) words.emplace_back("--cpu-speed");
  if (progress_place() == ProgressPlace::Terminal) words.insert(words.end(), {"--progress", "0"});
  if (progress_place() == ProgressPlace::Lines) words.insert(words.end(), {"--progress", "10"});
  if (!options.seconds.empty()) words.insert(words.end(), {"--seconds", options.seconds});
  return words;
}

bool can_be_started(const std::string& word) {
  return !launch::find_program(word, ".", path_variable()).empty();
}

/// Our program in the place of every program that the line names, or at its end if it names none.
Expected<std::vector<std::string>> with_program(const std::vector<std::string>& words,
                                                std::size_t launcher, launch::Launcher kind,
                                                const std::vector<std::string>& program) {
  auto longer = launch::with_files_read(words, launcher, kind);
  if (!longer) return longer.error();
  longer->insert(longer->end(), program.begin(), program.end());
  auto line = launch::take_apart(*longer, kind, can_be_started);
  if (!line) return line.error();
  std::vector<std::string> result(
      line->words.begin(),
      line->words.begin() + static_cast<std::ptrdiff_t>(line->parts.front().first));
  for (std::size_t i = 0; i < line->parts.size(); ++i) {
    if (i > 0) result.emplace_back(":");
    for (std::size_t w = line->parts[i].first; w < line->parts[i].program; ++w) {
      result.push_back(line->words[w]);
    }
    result.insert(result.end(), program.begin(), program.end());
  }
  return result;
}

Error no_launcher(const std::string& name) {
  const std::vector<std::string> there = launch::launcher_names(path_variable());
  const std::string near = nearest(name, there);
  const std::string list = there.empty()
                               ? "no launcher of MPI programs is in PATH"
                               : fmt::format("in PATH there are {}", fmt::join(there, ", "));
  return {name, "there is no such program",
          near.empty() ? list : fmt::format("did you mean {}? {}", near, list)};
}

Expected<std::vector<std::string>> command_of(const DiscoverOptions& options,
                                              const std::vector<std::string>& words) {
  if (words.empty()) {
    return Error{"espalier discover", "no launcher is given",
                 "write it after \"--\": espalier discover -- mpiexec -n 12 -f hosts"};
  }
  if (!options.mpi.empty()) {
    const auto named = launch::mpi_named(options.mpi);
    if (!named) {
      return Error{"--mpi", fmt::format("there is no MPI \"{}\"", options.mpi),
                   mpi_meant(options.mpi) + "mpich or openmpi"};
    }
    auto program = program_for(*named, options);
    if (!program) return program.error();
    std::vector<std::string> command = words;
    command.insert(command.end(), program->begin(), program->end());
    return command;
  }
  const auto at = launch::find_launcher(words, can_be_started);
  const std::string& launcher = words[at.value_or(0)];
  const std::string file = launch::find_program(launcher, ".", path_variable());
  if (file.empty()) return no_launcher(launcher);
  if (!at) {
    return Error{launcher, "it is no launcher of MPI programs that is known",
                 "write mpiexec or another before it, or name the MPI with --mpi; the program is "
                 "then put at the end of the command"};
  }
  const std::string version = launch::version_of_launcher(file, path_variable());
  const auto mpi = launch::mpi_of_launcher(version);
  if (!mpi && !launch::is_in_path(file, path_variable())) {
    return Error{launcher,
                 "no MPI found: its file does not tell whose launcher it is, and launchers that "
                 "are not in PATH are not asked",
                 "put its folder into PATH, or name the MPI with --mpi; the program is then put at "
                 "the end of the command"};
  }
  if (!mpi) {
    return Error{launcher, "no MPI found: it is neither MPICH's mpiexec nor Open MPI's",
                 "name the MPI with --mpi; the program is then put at the end of the command"};
  }
  auto program = program_for(*mpi, options);
  if (!program) return program.error();
  return with_program(words, *at, launch::launcher_kind(*mpi, launcher, version), *program);
}

Expected<Json> ask_the_ranks(const std::vector<std::string>& command) {
  auto finished = launch::run_and_read(command);
  if (!finished) return finished.error();
  const std::size_t at = finished->output.find(kMark);
  if (at == std::string::npos) {
    return Error{command.front(),
                 fmt::format("it ended with exit code {} and found nothing", finished->exit_code),
                 "see what it printed above"};
  }
  const std::size_t begin = at + kMark.size();
  const std::string line =
      finished->output.substr(begin, finished->output.find('\n', begin) - begin);
  auto read = Json::read(line);
  if (!read || !read->is_object()) return Error{command.front(), "what it printed is broken", ""};
  if (read->contains("what")) {
    return Error{read->value("where", ""), read->value("what", ""), read->value("hint", "")};
  }
  return read;
}

std::string drawing(const topology::Machine& machine, const report::Canvas& canvas) {
  return report::draw_machine(machine, canvas, report::Detail::Folded) + "\n" +
         report::to_text(report::level_table(machine), canvas) + "\n";
}

/// Figures are what was asked for: they are cut for those who named a width or have a terminal, and
/// then it is said.
std::string drawing(const topology::Machine& machine, const report::Canvas& canvas,
                    const Globals& globals) {
  report::Canvas wide = canvas;
  wide.width = 1000;
  std::string whole = drawing(machine, wide);
  const Surroundings around = look_around();
  const bool is_bound = !globals.canvas.width.empty() || around.terminal_width || around.columns;
  const std::string cut = drawing(machine, canvas);
  if (!is_bound || cut == whole) return whole;
  return cut + fmt::format("(cut to {} columns; --width 200 shows more, -o FILE writes all)\n\n",
                           canvas.width);
}

Outcome discover(const DiscoverOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  if (auto wrong = why_not_writable("--output", options.output)) return Failure{*wrong};
  auto command = command_of(options, globals.other_command);
  if (!command) return Failure{command.error()};
  if (options.print) return write_output("-", launch::to_text(*command) + "\n");
  if (!globals.quiet) write_message("espalier discover: measuring\n");
  auto found = ask_the_ranks(*command);
  if (!found) return Failure{found.error(), kExitInternal};
  auto machine = topology::read_json(found->value("machine", ""), "discovery");
  if (!machine) return Failure{machine.error(), kExitInternal};
  const auto doubts = found->value("doubts", std::vector<std::string>{});
  const std::string json = topology::write_json(*machine, doubts);
  for (const auto& note : found->value("notes", std::vector<std::string>{})) {
    write_message(fmt::format("espalier discover: note: {}\n", note));
  }
  if (!options.output.empty()) {
    if (auto failed = write_output(options.output, json)) return failed;
  }
  if (options.json) return write_output("-", json);
  if (options.output == "-") return {};
  std::string text =
      report::machine_headline(*machine) + "\n\n" + drawing(*machine, *canvas, globals);
  for (const auto& sentence : found->value("words", std::vector<std::string>{})) {
    text += sentence + "\n";
  }
  for (const std::string& doubt : doubts) text += report::wrapped(doubt, canvas->width, "");
  if (found->value("cached", false)) text += "known from before, and still so\n";
  text += fmt::format("took {:.0f} ms\n", 1e3 * found->value("seconds", 0.0));
  return write_output("-", text);
}

constexpr std::string_view kDiscoverDescription =
    "Finds the machine that MPI programs would run on under this launcher, and measures it: who "
    "shares a node, which nodes are near each other and on how many levels, latencies, bandwidths, "
    "the cap of a single flow, and what a message costs each node itself. One process a node "
    "measures, the others sleep. LAUNCHER is what would stand in front of a program; a program "
    "that stands there is not run.";

constexpr std::string_view kCache =
    "What was measured is kept for a week in $XDG_CACHE_HOME/espalier (or ~/.cache/espalier) of "
    "the first host, by hosts, processes, MPI and links, and used again if a few probes agree. "
    "--fresh measures in any case, --no-cache neither reads nor writes it.";

constexpr std::string_view kDiscoverExamples =
    "espalier discover -- mpiexec -n 48 -f hosts\n"
    "espalier discover -o grid.json -- mpiexec -n 12 --hostfile hosts ./solver\n"
    "espalier discover --mpi mpich -- srun -n 48\n"
    "espalier discover --cpu-speed -o grid.json -- mpiexec -n 12 --hostfile hosts";

}  // namespace

Command discover_command() {
  Manual manual{.name = "discover",
                .tagline = "find and measure the machine",
                .synopsis = "discover [OPTIONS] -- LAUNCHER",
                .description = std::string(kDiscoverDescription),
                .sections = {{"CACHE", std::string(kCache)}},
                .examples = std::string(kDiscoverExamples)};
  return {std::move(manual),
          [](App& app, const Globals& globals) {
            const auto options = std::make_shared<DiscoverOptions>();
            app.add_option("-o,--output", options->output,
                           "Write the machine as JSON to FILE; - is standard output.")
                .type_name("FILE");
            app.add_flag("--json", options->json, "Print the machine as JSON, nothing else.");
            app.add_option("--mpi", options->mpi,
                           "mpich or openmpi; the launcher is then not looked at, and the program "
                           "stands at the end of its line.")
                .type_name("MPI");
            app.add_option(
                   "--seconds", options->seconds,
                   "Time for measuring, 1 to 3600, if that is more than 20 round trips of the "
                   "slowest link; 1 unless told.")
                .type_name("N")
                .whole_number(1, 3600);
            app.add_flag("--fresh", options->fresh, "Measure, whatever is known from before.");
            app.add_flag("--no-cache", options->no_cache, "Neither read nor keep anything.");
            app.add_flag("--cpu-speed", options->cpu_speed,
                         "Measure also how fast each process computes while all others do, for "
                         "0.3 s: the machine then has the speeds that --counts cpu-speed goes by.");
            app.add_flag("--print", options->print,
                         "Print the command that would run, and do not run it.");
            return [options, &globals] { return discover(*options, globals); };
          },
          /*takes_other_command=*/true};
}

}  // namespace espalier::cli
