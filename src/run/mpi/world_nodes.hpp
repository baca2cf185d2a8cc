#pragma once

#include <span>
#include <string>
#include <vector>

#include "mpi/owned.hpp"

namespace espalier::mpi {

/// The first process of a node, and what is known of the node.
struct NodeText {
  int leader = 0;    ///< rank of MPI_COMM_WORLD
  std::string text;  ///< discover::NodeRecord
};

/// The processes of MPI_COMM_WORLD by node.
struct WorldNodes {
  OwnedComm world;              ///< all of them in the order of MPI_COMM_WORLD, for us alone
  bool is_leader = false;       ///< the first of its node
  std::vector<NodeText> nodes;  ///< on rank 0, whose own is the first
  double waited = 0;            ///< on rank 0: seconds until the last process came
};

/// Who shares memory: those that MPI says do, and that can map what the first of them shares.
/// Reads affinities, and hwloc once a node if a process is bound. Over far links it takes one
/// communicator's making and one message from each node.
/// @param over holds all processes of MPI_COMM_WORLD, in any order; collective over it
/// @param leaders for each rank, the lowest of its node, as MPI says: RollCall::leaders()
[[nodiscard]] WorldNodes find_nodes(MPI_Comm over, std::span<const int> leaders);

}  // namespace espalier::mpi
