#pragma once

#include <span>
#include <string>
#include <vector>

#include "mpi/owned.hpp"

namespace espalier::mpi {

/// The first process of a node, and what is known of the node.
struct NodeText {
  int leader = 0;    ///< rank in MPI_COMM_WORLD
  std::string text;  ///< discover::NodeRecord
};

/// The processes of MPI_COMM_WORLD by node.
struct WorldNodes {
  OwnedComm world;              ///< our own copy of MPI_COMM_WORLD
  bool is_leader = false;       ///< this process is the first of its node
  std::vector<NodeText> nodes;  ///< all nodes, rank 0's first; empty on other ranks
  double waited = 0;            ///< seconds that rank 0 waited for the last process
};

/// Who shares memory: those that MPI says do, and that can map what the first of them shares.
/// Reads affinities, and hwloc once a node if a process is bound. Over far links it takes one
/// communicator's making and one message from each node.
/// @param over holds all processes of MPI_COMM_WORLD, in any order; collective over it
/// @param leaders for each rank, the lowest of its node, as MPI says: RollCall::leaders()
[[nodiscard]] WorldNodes find_nodes(MPI_Comm over, std::span<const int> leaders);

}  // namespace espalier::mpi
