#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "reproduce/exhibit.hpp"

namespace espalier::reproduce {

/// MPI_COMM_WORLD split into parts with real MPI on this computer: medians of the slowest rank's
/// time, in microseconds.
struct TimedSplit {
  Rank ranks = 0;
  Rank colours = 0;
  double comm_split = 0;  ///< time of MPI_Comm_split
  double allgather = 0;   ///< time of an allgather of colours and keys, and a sort
  double group = 0;       ///< time to make a system-ranked group
  unsigned wrong = 0;     ///< number of wrong results
};

/// Which splits to time.
struct SplitRequest {
  std::string mpi = "mpich";  ///< "mpich" or "openmpi"
  Rank ranks = 2;
  unsigned repeats = 20;
};

/// Runs the program that times splits. The caller hands it in, since experiments start no
/// processes.
using TimeSplits = std::function<Expected<std::vector<TimedSplit>>(const SplitRequest&)>;

/// A program that stands beside the tool; the name of the MPI is put behind its name.
struct HereProgram {
  std::string mpi = "mpich";
  std::string name;  ///< "espalier-groups"
  std::vector<std::string> arguments;
  Rank ranks = 2;
};

/// Runs a program with real MPI on this computer, which it is told is one node: what it printed.
using RunHere = std::function<Expected<std::string>(const HereProgram&)>;

/// What experiments can ask of this computer.
struct HereAccess {
  TimeSplits time_splits;
  RunHere run;
};

/// Options of `espalier reproduce --on here`.
struct HereOptions {
  std::vector<std::string> parts = {};  ///< parts of the paper to measure; empty means all
  std::string mpi = "mpich";
  unsigned cores = 1;        ///< number of cores of this computer
  Rank most_processes = 32;  ///< most processes to start on this computer
  bool quick = false;
};

}  // namespace espalier::reproduce
