#pragma once

#include <string>
#include <vector>

#include "mpi/owned.hpp"

namespace espalier::mpi {

/// The processes of MPI_COMM_WORLD by node.
struct WorldNodes {
  OwnedComm world;     ///< all of them, in the order of MPI_COMM_WORLD
  OwnedComm node;      ///< the processes that share this one's memory
  OwnedComm leaders;   ///< the first of each node; others have none
  std::string record;  ///< discover::NodeRecord of this node, on its leader
  bool is_leader = false;
};

/// Who shares memory: those that MPI says do, and that can map what the first of them shares.
/// Reads affinities, and hwloc once a node if a process is bound.
/// @param over holds all processes of MPI_COMM_WORLD, in any order; collective over it
[[nodiscard]] WorldNodes find_nodes(MPI_Comm over);

/// The texts of all ranks of a communicator, at its rank 0. Collective.
[[nodiscard]] std::vector<std::string> gather_texts(const std::string& text, MPI_Comm comm);

}  // namespace espalier::mpi
