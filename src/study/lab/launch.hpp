#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "lab/plan.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

enum class Mpi { Mpich, OpenMpi };

Expected<Mpi> mpi_called(const std::string& name);
/// The MPI that a program is linked with. @param libraries what `ldd PROGRAM` printed
Expected<Mpi> mpi_in(const std::string& libraries, const std::string& program);

/// What is to be started, and where.
struct LaunchRequest {
  Mpi mpi = Mpi::Mpich;
  Rank ranks = 0;  ///< number of ranks: the first ranks of the machine
  std::string hostfile;
  std::string remote_shell;
  std::string shim;  ///< path of the library that is preloaded into all ranks
  std::string
      part_file;  ///< file for the machine that a part of the ranks sees; empty for all ranks
  std::string part_machine;              ///< text of part_file
  std::string rank_cells;                ///< file that says how slow each rank is
  bool poll = false;                     ///< waiting ranks poll instead of sleeping
  std::vector<std::string> preloads;     ///< libraries preloaded behind the shim
  std::vector<std::string> environment;  ///< NAME=value for the ranks
  std::vector<std::string> mpiexec_arguments;
  std::vector<std::string> program;  ///< program and its arguments
};

struct Launch {
  std::string hostfile;  ///< text of the host file
  std::vector<std::string> command;
};

/// The command that starts the program's ranks on the hosts where the machine has them.
///
/// Refuses placements that MPICH's mpiexec cannot express: it has ranks in blocks, or in turn over
/// hosts with equally many. Given others it would take ranks of one host for ranks of several.
Expected<Launch> launch(const LaunchRequest& request, const topology::Machine& machine,
                        const LabPlan& plan);

}  // namespace espalier::lab
