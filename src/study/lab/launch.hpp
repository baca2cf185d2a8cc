#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "lab/plan.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

enum class Mpi { Mpich, OpenMpi };

Expected<Mpi> mpi_called(const std::string& name);
/// From what `ldd PROGRAM` printed.
Expected<Mpi> mpi_in(const std::string& libraries, const std::string& program);

struct LaunchRequest {
  Mpi mpi = Mpi::Mpich;
  Rank ranks = 0;  ///< the first so many of the machine
  std::string hostfile;
  std::string remote_shell;
  std::string shim;                      ///< the library for all ranks
  std::string part_file;                 ///< of a part of the ranks: the machine they see; else ""
  std::string part_machine;              ///< what to write into it
  std::string rank_cells;                ///< the file that says how slow each rank is
  bool poll = false;                     ///< let waiting ranks poll, without priority
  std::vector<std::string> preloads;     ///< behind the shim
  std::vector<std::string> environment;  ///< NAME=value for the ranks
  std::vector<std::string> mpiexec_arguments;
  std::vector<std::string> program;  ///< and its arguments
};

struct Launch {
  std::string hostfile;  ///< what to write into it
  std::vector<std::string> command;
};

/// The command that starts the program's ranks on the hosts where the machine has them.
///
/// Refuses placements that MPICH's mpiexec cannot express: it has ranks in blocks, or in turn over
/// hosts with equally many. Given others it would take ranks of one host for ranks of several.
Expected<Launch> launch(const LaunchRequest& request, const topology::Machine& machine,
                        const LabPlan& plan);

}  // namespace espalier::lab
