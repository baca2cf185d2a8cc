#pragma once

#include <sched.h>

#include "mpi/mpi_api.hpp"
#include "mpi/seconds_now.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi {

/// Polls without an event before the core is yielded to other processes.
inline constexpr std::uint32_t kPatience = 1000;

/// Calls test(), which asks MPI, until it returns true: something is complete, or failed. If
/// nothing happens for `stall_seconds`, calls stalled(), again and again.
template <typename Test, typename Stalled>
void poll(double stall_seconds, Test test, Stalled stalled) {
  double stalled_since = 0;
  for (std::uint32_t idle = 0;; ++idle) {
    if (test()) return;
    if (idle < kPatience) continue;
    sched_yield();
    if (idle % 64 != 0) continue;
    const double now = seconds_now();
    if (stalled_since == 0) stalled_since = now;
    if (now - stalled_since > stall_seconds) stalled();
  }
}

/// Whether some rank makes another call than this rank, so that this rank would wait for ever. Two
/// kinds of unexpected messages tell:
///   1. A message of this call under another signature: of another length, root or operation.
///   2. A message of a later call from `source`, which is then done with this call.
/// @param mine the tag of some message of this call
/// @param source a rank that a message is expected from, or MPI_ANY_SOURCE
/// @param code output: MPI's error code, if probing failed
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

/// Whether this error code means that each request has its own code in its status.
[[nodiscard]] inline bool is_in_status(int code) {
  if (code == MPI_SUCCESS) return false;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

}  // namespace espalier::mpi
