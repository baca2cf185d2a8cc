#include "cli/reproduce_here.hpp"

#include <fmt/format.h>

#include <sstream>

#include "cli/measure_on_lab.hpp"
#include "cli/output.hpp"
#include "launch/run_and_read.hpp"

namespace espalier::cli {

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
