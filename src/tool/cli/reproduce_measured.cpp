#include "cli/reproduce_measured.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "cli/measure_on_lab.hpp"
#include "cli/output.hpp"
#include "lab/lab.hpp"
#include "launch/run_and_read.hpp"
#include "measure/measured.hpp"

namespace espalier::cli {
namespace {

Expected<measure::Bench> measure_all(const lab::StateFolder& folder,
                                     const reproduce::LabRequest& request) {
  if (auto up = lab::up(folder, request.machine, {}, own_path().string()); !up) {
    return up.error();
  }
  auto lab = lab::open_lab(folder);
  if (!lab) return lab.error();
  measure::Bench bench{request.calls, {}, request.stacks, {}, measure::Clocks::Shared};
  for (const measure::MeasuredCall& call : bench.calls) {
    bench.bounds.push_back(measure::wire_bound(lab->machine, call));
  }
  for (const measure::Stack& stack : bench.stacks) {
    if (!is_built(stack)) {
      return Error{"reproduce", fmt::format("{} is not built", library_path(stack).string()), ""};
    }
    write_message(fmt::format("reproduce: {} ranks, {}, {} calls\n", lab->machine.size(),
                              stack.title, bench.calls.size()));
    auto measured = measure_on_lab(*lab, stack, bench.calls, bench.clocks, request.repeats);
    if (!measured) return measured.error();
    bench.measured.push_back(*std::move(measured));
  }
  return bench;
}

}  // namespace

Expected<measure::Bench> measure_in_own_lab(const reproduce::LabRequest& request) {
  auto folder = lab::state_folder(fmt::format("/run/espalier-reproduce.{}", ::getpid()));
  if (!folder) return folder.error();
  auto bench = measure_all(*folder, request);
  if (auto down = lab::down(*folder); !down && bench) return down.error();
  return bench;
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

Expected<std::vector<TimedSplit>> time_splits_here(const SplitRequest& request) {
  const std::string program =
      (own_path().parent_path() / ("espalier-split." + request.mpi)).string();
  if (!std::filesystem::exists(program)) {
    return Error{"reproduce", fmt::format("{} is not built", program), ""};
  }
  std::vector<std::string> command{"mpiexec." + request.mpi};
  if (request.mpi == "openmpi") {  // more ranks than cores, and who waits gives way
    command.insert(command.end(),
                   {"--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  }
  command.insert(command.end(),
                 {"-n", std::to_string(request.ranks), program, std::to_string(request.repeats)});
  write_message(fmt::format("reproduce: splits on {} ranks, {}\n", request.ranks, request.mpi));
  auto finished = launch::run_and_read(command);
  if (!finished) return finished.error();
  if (finished->exit_code != 0) {
    return Error{command.front(), fmt::format("it ended with exit code {}", finished->exit_code),
                 "see what it printed above"};
  }
  return read_splits(finished->output);
}

}  // namespace espalier::cli
