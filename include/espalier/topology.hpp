#pragma once

// Topology for MPI programs: which processes are near which, as the runtime sees it (linked with
// libespalier, or preloaded). The C++ face of espalier.h, where levels and
// colours are explained; nothing has to be linked. Without the library all processes stand on one
// level, and the status says so.
//
//   espalier::mpi::discover();  // collective; nothing to do if the machine is known
//   const auto topology = espalier::mpi::topology_of(MPI_COMM_WORLD);
//   MPI_Comm_split(MPI_COMM_WORLD, topology.colours[rank][1], rank, &site);

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <espalier.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "espalier/runtime_calls.h"

namespace espalier::mpi {
inline namespace api {

enum class Status : int {
  Ok = ESPALIER_OK,
  NoLibrary = ESPALIER_NO_LIBRARY,
  UnknownMachine = ESPALIER_UNKNOWN_MACHINE,  ///< not found yet: discover() finds it, or the first
                                              ///< call on all processes
  OtherProcesses = ESPALIER_OTHER_PROCESSES,  ///< an intercommunicator, or spawned processes
};

struct Topology {
  Status status = Status::NoLibrary;
  int levels = 1;                         ///< the greatest depth
  std::vector<int> depths;                ///< each rank's depth
  std::vector<std::vector<int>> colours;  ///< [rank][level]: colour of a rank at each of its levels

  /// The innermost level that joins two ranks: 0 is the slowest. @pre both are ranks
  [[nodiscard]] int level_between(int a, int b) const {
    const auto& mine = colours[static_cast<std::size_t>(a)];
    const auto& other = colours[static_cast<std::size_t>(b)];
    std::size_t level = 0;
    while (level + 1 < std::min(mine.size(), other.size()) && mine[level + 1] == other[level + 1]) {
      ++level;
    }
    return static_cast<int>(level);
  }
};

/// Has the machine found and measured now, unless it is known. Collective over MPI_COMM_WORLD.
inline Status discover() { return static_cast<Status>(espalier_discover()); }

/// The topology of the processes of a communicator. Local.
[[nodiscard]] inline Topology topology_of(MPI_Comm comm) {
  Topology topology;
  int size = 0;
  MPI_Comm_size(comm, &size);
  const auto ranks = static_cast<std::size_t>(size);
  topology.status = static_cast<Status>(espalier_topology_levels(comm, &topology.levels));
  topology.depths.resize(ranks);
  espalier_topology_depths(comm, topology.depths.data());
  const auto levels = static_cast<std::size_t>(topology.levels);
  std::vector<int> all(ranks * levels);
  espalier_topology_colors(comm, topology.levels, all.data());
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(r * levels);
    topology.colours.emplace_back(first, first + topology.depths[r]);
  }
  return topology;
}

/// The machine that these processes stand on, as JSON (docs/machine.md): rank r of it is rank r of
/// the communicator. espalier::parse_machine() makes a Machine of it, to plan with. Local; nothing
/// where topology_of() is not Ok.
[[nodiscard]] inline std::optional<std::string> machine_json(MPI_Comm comm) {
  std::uint64_t length = 0;
  const int handle = static_cast<int>(MPI_Comm_c2f(comm));
  if (espalier_api_machine_ == nullptr ||
      espalier_api_machine_(handle, nullptr, 0, &length) != ESPALIER_OK) {
    return std::nullopt;
  }
  std::string text(length + 1, '\0');
  espalier_api_machine_(handle, text.data(), text.size(), &length);
  text.resize(length);
  return text;
}

}  // namespace api
}  // namespace espalier::mpi
