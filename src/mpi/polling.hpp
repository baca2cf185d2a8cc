#pragma once

#include <sched.h>

#include "mpi/mpi_api.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi {

/// Polls without an event before other processes are let in.
inline constexpr std::uint32_t kPatience = 1000;

/// Calls test(), which asks MPI, until it says that something was completed or is wrong. Where
/// nothing happens for `stall_seconds`, stalled() is called, again and again.
template <typename Test, typename Stalled>
void poll(double stall_seconds, Test test, Stalled stalled) {
  double stalled_since = 0;
  for (std::uint32_t idle = 0;; ++idle) {
    if (test()) return;
    if (idle < kPatience) continue;
    sched_yield();
    if (idle % 4096 != 0) continue;
    const double now = PMPI_Wtime();
    if (stalled_since == 0) stalled_since = now;
    if (now - stalled_since > stall_seconds) stalled();
  }
}

/// Whether a message of this call is there under another signature: its sender runs another length,
/// or root, or operation. The call is then wrong, and would wait for ever.
/// @param mine the tag of some message of this call
/// @param code MPI's, if that went wrong
[[nodiscard]] inline bool another_call_is_there(MPI_Comm comm, const runtime::Tags& tags, int mine,
                                                int& code) {
  int found = 0;
  MPI_Status status;
  code = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status);
  return code == MPI_SUCCESS && found != 0 && tags.call_of(status.MPI_TAG) == tags.call_of(mine) &&
         tags.signature_of(status.MPI_TAG) != tags.signature_of(mine);
}

/// Whether each request's own code is in its status.
[[nodiscard]] inline bool is_in_status(int code) {
  if (code == MPI_SUCCESS) return false;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

}  // namespace espalier::mpi
