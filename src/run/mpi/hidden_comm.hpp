#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "mpi/owned.hpp"

namespace espalier::mpi {

/// A communicator of the program, and this rank in it.
struct UserComm {
  explicit UserComm(MPI_Comm comm);
  MPI_Comm handle;
  int rank = 0;
  int size = 1;      ///< 1 between two groups, too
  int is_inter = 0;  ///< not 0: it is an intercommunicator

  /// As messages and logs have it.
  [[nodiscard]] std::string name() const;
};

// Communicators of ours with the ranks of one of the program's.

/// The members of a communicator as ranks of MPI_COMM_WORLD; absent if some member is outside it.
/// @pre `comm` is no intercommunicator
[[nodiscard]] std::optional<std::vector<Rank>> ranks_in_world(MPI_Comm comm);
/// Likewise, of a group.
[[nodiscard]] std::optional<std::vector<Rank>> group_in_world(MPI_Group group);

/// A communicator with the same ranks; empty on all ranks if some rank cannot have one. Errors are
/// returned on it. @param rank orders its ranks
[[nodiscard]] OwnedComm hidden_copy(MPI_Comm from, int rank);
/// Likewise, made with fewer messages than hidden_copy() takes. This rank alone may have none: the
/// ranks must agree on it before they use it.
[[nodiscard]] OwnedComm hidden_twin(MPI_Comm from);

}  // namespace espalier::mpi
