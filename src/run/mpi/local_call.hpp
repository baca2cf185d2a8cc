#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "mpi/mpi_api.hpp"
#include "runtime/explain.hpp"
#include "schedule/collective.hpp"

namespace espalier::runtime {
class ClassPolicy;
}

namespace espalier::mpi {

/// What one side of a call sends or receives, as the user gave it.
struct Side {
  const void* buffer = nullptr;
  std::int64_t count = 0;               ///< elements, or elements of each block
  const int* counts = nullptr;          ///< one for each block
  const int* displacements = nullptr;   ///< offsets in extents of the type
  MPI_Datatype type{};                  ///< MPI_Datatype{} if there is none
  const MPI_Datatype* types = nullptr;  ///< alltoallw: one for each block, displacements in bytes
  const MPI_Aint* byte_displacements = nullptr;  ///< MPI_Neighbor_alltoallw, instead of the others

  [[nodiscard]] bool is_in_place() const { return buffer == MPI_IN_PLACE; }
};

/// A collective call as this rank's program made it: the one description of a call between the
/// wrappers and the functions of calls.hpp. Nothing is checked yet, and arguments that are not
/// significant on this rank may be anything. What all ranks know alike is runtime::SharedCall.
///
/// Calls that have one buffer, count or type have it in `recv`: broadcast, and counts and types of
/// reductions.
struct LocalCall {
  schedule::Operation operation = schedule::Operation::Barrier;
  bool irregular = false;  ///< counts come in arrays: the v and w forms, MPI_Reduce_scatter
  Side send = {};
  Side recv = {};
  MPI_Op op{};
  int root = 0;
  MPI_Comm comm{};
};

/// How a call is started that does not block.
struct Starting {
  MPI_Request* request = nullptr;  ///< where the program wants its request
  bool is_persistent = false;      ///< MPI_Start begins it later, any number of times
};

/// Who wants the time of a call; nobody if `policy` is nullptr.
struct Timing {
  runtime::ClassPolicy* policy = nullptr;
  double begin = 0;  ///< when the call began, once it was known how it runs
};

/// What became of a call.
struct Outcome {
  bool planned = false;    ///< the call ran along a plan; if not, it is native
  runtime::Reason why{};   ///< why the call is native; meaningless if it was planned
  int code = MPI_SUCCESS;  ///< return value of the MPI function; meaningless if the call is native
  std::string_view plan = {};  ///< name of the plan; valid until the next call
  Timing timing = {};          ///< times of planned calls are handed on already
  /// The counter of calls like this one, if all of them are native for good; else nullptr.
  std::uint64_t* native_for_good = nullptr;
  int size = 0;  ///< size of the communicator
  /// The native call that does not block is to be timed: Engine::adopt() takes its request.
  bool is_adopted = false;
};
/// The user's error handler may throw, or jump away: nothing is to be undone then.
static_assert(std::is_trivially_destructible_v<LocalCall> &&
              std::is_trivially_destructible_v<Outcome>);

}  // namespace espalier::mpi
