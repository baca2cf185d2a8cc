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
    if (idle % 64 != 0) continue;
    const double now = PMPI_Wtime();
    if (stalled_since == 0) stalled_since = now;
    if (now - stalled_since > stall_seconds) stalled();
  }
}

/// Whether some rank makes another call than we do, so that we would wait for ever. A message of
/// this call under another signature is one of another length, root or operation. And the first
/// message that nobody has asked for of a rank that something is expected from must be of this
/// call: a later one says that its sender is through with this one.
/// @param mine the tag of some message of this call
/// @param source a rank that something is expected from, or MPI_ANY_SOURCE
/// @param code MPI's, if that went wrong
[[nodiscard]] inline bool another_call_is_there(MPI_Comm comm, const runtime::Tags& tags, int mine,
                                                int source, int& code) {
  int found = 0;
  MPI_Status status;
  code = PMPI_Iprobe(source, MPI_ANY_TAG, comm, &found, &status);
  if (code != MPI_SUCCESS || found == 0) return false;
  const bool same_call = tags.call_of(status.MPI_TAG) == tags.call_of(mine);
  const bool same_signature = tags.signature_of(status.MPI_TAG) == tags.signature_of(mine);
  return same_call ? !same_signature : source != MPI_ANY_SOURCE;
}

/// Whether each request's own code is in its status.
[[nodiscard]] inline bool is_in_status(int code) {
  if (code == MPI_SUCCESS) return false;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

}  // namespace espalier::mpi
