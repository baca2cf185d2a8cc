#pragma once

#include <span>
#include <string>
#include <vector>

#include "mpi/mpi_api.hpp"
#include "topology/machine.hpp"
#include "topology/views.hpp"

namespace espalier::mpi {

/// How far links are from what the machine says of them.
struct LinkChanges {
  std::vector<topology::LevelScale> scales;  ///< how each level that clearly changed differs
  std::vector<std::string> words;            ///< the changes as sentences
};

/// Two ranks that stand for a level.
struct FarPair {
  std::uint32_t level = 0;
  Rank from = 0, to = 0;
};

/// Up to three pairs of each level whose latency is one of networks, not of memory: what may change
/// while a program runs.
[[nodiscard]] std::vector<FarPair> far_pairs(const topology::Machine& machine);

/// Measures far levels again with a few messages: each pair 4 round trips and 2 to 8 times 256 KiB,
/// one pair after the other. Collective over `probes`, a communicator with the machine's ranks that
/// nobody else uses; all ranks get the same answer. Nothing is said to have changed by less
/// than 1.3 (latency) or 1.6 (bandwidth).
[[nodiscard]] LinkChanges changes_of_links(const topology::Machine& machine,
                                           std::span<const FarPair> pairs, MPI_Comm probes);

}  // namespace espalier::mpi
