#include "cli/reproduce_measured.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "base/progress.hpp"
#include "cli/measure_on_lab.hpp"
#include "cli/output.hpp"
#include "cli/scratch_folder.hpp"
#include "lab/lab.hpp"
#include "lab/own_lab.hpp"
#include "lab/run.hpp"
#include "launch/ask.hpp"
#include "launch/run_and_read.hpp"
#include "league/job.hpp"
#include "measure/measured.hpp"

namespace espalier::cli {
namespace {

constexpr const char* kOnlyWithSources =
    "it is built from the sources: make check, then build/release/bin/espalier there";

Expected<measure::Bench> measure_all(const lab::OpenLab& lab,
                                     const reproduce::LabRequest& request) {
  measure::Bench bench{request.calls, {}, request.stacks, {}, request.clocks};
  for (const measure::MeasuredCall& call : bench.calls) {
    bench.bounds.push_back(measure::wire_bound(lab.machine, call));
  }
  Progress progress("measuring", bench.stacks.size());
  for (const measure::Stack& stack : bench.stacks) {
    if (!is_built(stack)) {
      return Error{"reproduce", fmt::format("{} is not built", library_path(stack).string()),
                   "build it (make)"};
    }
    progress.announce(fmt::format("measuring {} calls on {} ranks, {}", bench.calls.size(),
                                  lab.machine.size(), stack.title));
    auto measured = measure_on_lab(lab, stack, bench.calls, bench.clocks, request.repeats);
    if (!measured) return measured.error();
    bench.measured.push_back(*std::move(measured));
    progress.step();
  }
  return bench;
}

Expected<std::vector<std::string>> run_programs(const lab::OpenLab& lab,
                                                const reproduce::LabRunRequest& request) {
  auto mpi = lab::mpi_called(request.mpi);
  if (!mpi) return mpi.error();
  std::vector<std::string> outputs;
  Progress progress("running", request.programs.size());
  for (const reproduce::LabProgram& program : request.programs) {
    const std::string path =
        (own_path().parent_path() / (program.name + "." + request.mpi)).string();
    if (!std::filesystem::exists(path)) {
      return Error{"reproduce", fmt::format("{} is not built", path), kOnlyWithSources};
    }
    lab::LaunchRequest launched;
    launched.mpi = *mpi;
    launched.ranks = program.ranks == 0 ? lab.machine.size() : program.ranks;
    launched.program = {path};
    launched.program.insert(launched.program.end(), program.arguments.begin(),
                            program.arguments.end());
    progress.announce(fmt::format("running {} on {} ranks", program.name, launched.ranks));
    auto output = output_on_lab(lab, std::move(launched), "reproduce: " + program.name);
    if (!output) return output.error();
    outputs.push_back(*std::move(output));
    progress.step();
  }
  return outputs;
}

/// Does something in a lab that is up only meanwhile.
template <typename Result, typename Work>
Expected<Result> in_own_lab(const topology::Machine& machine, const Work& work) {
  auto folder = lab::state_folder(fmt::format("/run/espalier-reproduce.{}", ::getpid()));
  if (!folder) return folder.error();
  std::optional<lab::HeldSignals> held(std::in_place);
  const auto watched = lab::TakenDownAfterUs::watch(*folder);
  if (!watched) return watched.error();
  const auto result = [&]() -> Expected<Result> {
    if (auto up = lab::up(*folder, machine, {}, own_path().string()); !up) return up.error();
    if (lab::signal_asked() != 0) return Error{"reproduce", "interrupted", ""};
    auto lab = lab::open_lab(*folder);
    if (!lab) return lab.error();
    return work(*lab);
  }();
  if (auto down = lab::down(*folder); !down) {
    write_message(
        fmt::format("{}\nreproduce: note: a lab is left in {}: espalier lab down --state {}\n",
                    to_string(down.error()), folder->path, folder->path));
  }
  held.reset();
  if (lab::signal_asked() != 0) (void)std::raise(lab::signal_asked());
  return result;
}

}  // namespace

Expected<measure::Bench> measure_in_own_lab(const reproduce::LabRequest& request) {
  return in_own_lab<measure::Bench>(
      request.machine, [&](const lab::OpenLab& lab) { return measure_all(lab, request); });
}

Expected<std::vector<std::string>> run_in_own_lab(const reproduce::LabRunRequest& request) {
  return in_own_lab<std::vector<std::string>>(
      request.machine, [&](const lab::OpenLab& lab) { return run_programs(lab, request); });
}

using reproduce::SplitRequest;
using reproduce::TimedSplit;

Expected<std::vector<TimedSplit>> read_splits(const std::string& output) {
  std::vector<TimedSplit> splits;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("split ")) continue;  // a line of the launcher
    std::istringstream words(line.substr(6));
    TimedSplit split;
    if (!(words >> split.ranks >> split.colours >> split.comm_split >> split.allgather >>
          split.group >> split.wrong) ||
        split.group <= 0) {
      return Error{"espalier-split", fmt::format("\"{}\" is not a line of its output", line), ""};
    }
    splits.push_back(split);
  }
  if (splits.empty()) return Error{"espalier-split", "it timed nothing", "see what it printed"};
  return splits;
}

Expected<std::string> run_program_here(const reproduce::HereProgram& program) {
  const std::string path = (own_path().parent_path() / (program.name + "." + program.mpi)).string();
  if (!std::filesystem::exists(path)) {
    return Error{"reproduce", fmt::format("{} is not built", path), kOnlyWithSources};
  }
  const std::string launcher = "mpiexec." + program.mpi;
  if (launch::find_program(launcher, ".", launch::environment("PATH")).empty()) {
    return Error{launcher, "there is no such program in PATH",
                 fmt::format("install it (Debian: {})",
                             program.mpi == "openmpi" ? "openmpi-bin" : program.mpi)};
  }
  std::vector<std::string> command{"env", fmt::format("ESPALIER_MACHINE=proc:{}", program.ranks),
                                   launcher};
  if (program.mpi == "openmpi") {  // more ranks than cores, and who waits gives way
    command.insert(command.end(),
                   {"--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  }
  command.insert(command.end(), {"-n", std::to_string(program.ranks), path});
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  write_message(
      fmt::format("reproduce: {} on {} ranks, {}\n", program.name, program.ranks, program.mpi));
  auto finished = launch::run_and_read(command);
  if (!finished) return finished.error();
  if (finished->exit_code != 0) {
    return Error{command[2], fmt::format("it ended with exit code {}", finished->exit_code),
                 "see what it printed above"};
  }
  return finished->output;
}

Expected<std::vector<TimedSplit>> time_splits_here(const SplitRequest& request) {
  const auto output = run_program_here(
      {request.mpi, "espalier-split", {std::to_string(request.repeats)}, request.ranks});
  if (!output) return output.error();
  return read_splits(*output);
}

Expected<std::string> run_groups_on_smpi(const reproduce::SmpiRun& run) {
  const auto program = own_path().parent_path().parent_path() / "smpi/smpi_groups";
  std::error_code failed;
  if (!std::filesystem::exists(program, failed)) {
    return Error{"reproduce", fmt::format("{} is not built", program.string()),
                 fmt::format("{}; it needs SimGrid (Debian: libsimgrid-dev)", kOnlyWithSources)};
  }
  const ScratchFolder folder;
  if (folder.path().empty()) {
    return Error{"reproduce", "there is no room for the platform",
                 "name a folder that you may write to with TMPDIR"};
  }
  const auto written = league::write_machine_files({"hosts", "block", run.machine}, folder.path());
  if (!written) return written.error();
  std::vector<std::string> line =
      league::smpirun_line(folder.path(), run.machine.size(), {"ESPALIER_DISABLE=1"});
  line.push_back(program.string());
  line.insert(line.end(), run.arguments.begin(), run.arguments.end());
  const auto finished = launch::run_and_read(line);
  if (!finished) return finished.error();
  if (finished->exit_code != 0) {
    return Error{"smpirun", fmt::format("it ended with exit code {}", finished->exit_code),
                 "see what it printed above"};
  }
  return finished->output;
}

}  // namespace espalier::cli
