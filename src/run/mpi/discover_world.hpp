#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "discover/cache.hpp"
#include "discover/survey.hpp"
#include "mpi/mpi_prober.hpp"

namespace espalier::mpi {

struct DiscoverOptions {
  bool read_cache = true;
  bool write_cache = true;
  discover::Budget budget;
  Progress progress;  ///< called on rank 0 while it measures
};

/// What discovery found; all processes get the same, but for `waited`.
struct WorldDiscovery {
  discover::CachedMachine seen;    ///< the measured machine, in the form that the cache keeps
  std::vector<std::string> notes;  ///< failures in spite of which it went on, one sentence each
  bool from_cache = false;
  double waited = 0;  ///< seconds that rank 0 waited for the last process
};

/// Finds and measures the machine that MPI_COMM_WORLD runs on: one process a node measures, the
/// others sleep. Options and the cache are those of rank 0 of the world; all processes get the same
/// machine, or the same error.
/// @param over holds all processes of MPI_COMM_WORLD, in any order. Collective over it, and on no
///   other communicator of the user, who may have calls under way there.
/// @param leaders for each rank, the lowest rank of its node, as MPI says: RollCall::leaders()
[[nodiscard]] Expected<WorldDiscovery> discover_world(const DiscoverOptions& options, MPI_Comm over,
                                                      std::span<const int> leaders);

}  // namespace espalier::mpi
