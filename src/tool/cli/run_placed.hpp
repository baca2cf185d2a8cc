#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "cli/constraint_options.hpp"
#include "launch/start.hpp"

namespace espalier::cli {

/// Options of `espalier run --place`: what there is to run on, and how the program communicates.
struct PlacedRun {
  std::string inventory;
  std::string profile;  ///< a file, or a workload
  std::string weather;  ///< history of measurements; empty means the inventory's own links
  std::string hosts;    ///< file for the launcher; empty means one that ends with the run
  ConstraintOptions constraints = {};
};

/// The command with what puts each process where `espalier place` wants it: the file for the
/// launcher is written, and the launcher's options that name it are added. Says on standard error
/// where processes go. Only mpiexec with one program is placed.
Expected<std::vector<std::string>> placed_command(const PlacedRun& placed,
                                                  const launch::Chosen& chosen,
                                                  const std::vector<std::string>& words);

/// The number of processes that the options of a launcher's command line ask for (-n, -np, -c).
Expected<Rank> processes_asked(const launch::CommandLine& line);

}  // namespace espalier::cli
