#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "mpi/mpi_api.hpp"
#include "mpi/owned.hpp"

namespace espalier::mpi {

/// The first process of a node, and what is known of the node.
struct NodeText {
  int leader = 0;    ///< rank in MPI_COMM_WORLD
  std::string text;  ///< the node as text: discover::NodeRecord
};

/// The processes of MPI_COMM_WORLD by node.
struct WorldNodes {
  OwnedComm world;              ///< our own copy of MPI_COMM_WORLD
  bool is_leader = false;       ///< this process is the first of its node
  std::vector<NodeText> nodes;  ///< all nodes, rank 0's first; empty on other ranks
  double waited = 0;            ///< seconds that rank 0 waited for the last process
};

/// Finds which processes share a node: those that MPI says do, and that can map memory which the
/// first of them shares. Reads affinities, and hwloc once a node if a process is bound. Over far
/// links it takes the making of one communicator and one message from each node.
/// @param over a communicator of all processes, in any order; collective over it
/// @param leaders for each rank, the lowest rank of its node, as MPI says: RollCall::leaders()
/// @return an error, on all processes, if MPI has no communicator left for it
[[nodiscard]] Expected<WorldNodes> find_nodes(MPI_Comm over, std::span<const int> leaders);

/// Whether this process can map a piece of memory that rank 0 of `comm` shares by name, and finds
/// there what rank 0 wrote. MPI's word alone is not enough: it may take hosts with equal names for
/// one. Collective.
[[nodiscard]] bool shares_memory_with_first(MPI_Comm comm);

}  // namespace espalier::mpi
