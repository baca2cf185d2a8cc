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

/// Options of `espalier reproduce --on here`.
struct HereOptions {
  std::string mpi = "mpich";
  unsigned cores = 1;        ///< number of cores of this computer
  Rank most_processes = 32;  ///< most processes to start on this computer
  bool quick = false;
};

}  // namespace espalier::reproduce
