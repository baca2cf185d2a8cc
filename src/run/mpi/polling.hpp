#pragma once

#include <sched.h>

#include <cstdint>

#include "mpi/mpi_api.hpp"
#include "mpi/seconds_now.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi {

/// Polls without an event before the core is yielded to other processes.
inline constexpr std::uint32_t kPatience = 1000;

/// What looks wrong to a rank that waits, and may be right: on a busy host much comes between the
/// last test of what it waits for and the look at what else came.
struct Suspicion {
  bool is_old = false;    ///< it was there before, and long tests have found nothing since
  bool is_there = false;  ///< output: it is there now
};

/// Calls test(), which asks MPI, until it returns true: something is complete, or failed. If
/// nothing happens for `stall_seconds`, calls stalled(Suspicion&), again and again. A suspicion is
/// old when it has outlived `stall_seconds` of further tests.
template <typename Test, typename Stalled>
void poll(double stall_seconds, Test test, Stalled stalled) {
  double stalled_since = 0, suspicious_since = 0;
  for (std::uint32_t idle = 0;; ++idle) {
    if (test()) return;
    if (idle < kPatience) continue;
    sched_yield();
    if (idle % 64 != 0) continue;
    const double now = seconds_now();
    if (stalled_since == 0) stalled_since = now;
    if (now - stalled_since <= stall_seconds) continue;
    Suspicion suspicion;
    suspicion.is_old = suspicious_since != 0 && now - suspicious_since > stall_seconds;
    stalled(suspicion);
    if (!suspicion.is_there) {
      suspicious_since = 0;
    } else if (suspicious_since == 0) {
      suspicious_since = seconds_now();
    }
  }
}

/// What an unexpected message tells about a call that waits.
enum class Unexpected : std::uint8_t {
  Nothing,         ///< there is none, or it tells nothing
  OtherSignature,  ///< it is of this call, but of another length, root or operation
  LaterCall        ///< it is of a later call
};
/// @param mine the tag of some message of this call
/// @param source a rank that a message is expected from, or MPI_ANY_SOURCE
/// @param code output: MPI's error code, if probing failed
[[nodiscard]] inline Unexpected look_at_unexpected(MPI_Comm comm, const runtime::Tags& tags,
                                                   int mine, int source, int& code) {
  int found = 0;
  MPI_Status status;
  code = PMPI_Iprobe(source, MPI_ANY_TAG, comm, &found, &status);
  if (code != MPI_SUCCESS || found == 0) return Unexpected::Nothing;
  const int tag = status.MPI_TAG;
  if (tags.call_of(tag) == tags.call_of(mine)) {
    return tags.signature_of(tag) == tags.signature_of(mine) ? Unexpected::Nothing
                                                             : Unexpected::OtherSignature;
  }
  return tags.is_later(tag, mine) ? Unexpected::LaterCall : Unexpected::Nothing;
}

/// Whether some rank makes another call than this rank, so that this rank would wait for ever:
/// MPI_ERR_TRUNCATE then; else MPI's code. Two kinds of unexpected messages tell:
///   1. A message of this call under another signature.
///   2. A message of a later call from `source`, which is then done with this call. Only of a call
///      that blocks, with no other under way here: else both may be under way there. That is a
///      suspicion, which has to be old: what this rank waits for may have come with that message.
[[nodiscard]] inline int look_for_another_call(MPI_Comm comm, const runtime::Tags& tags, int mine,
                                               int source, Suspicion& suspicion) {
  int code = MPI_SUCCESS;
  const Unexpected told = look_at_unexpected(comm, tags, mine, source, code);
  const bool is_later = told == Unexpected::LaterCall && source != MPI_ANY_SOURCE;
  suspicion.is_there = suspicion.is_there || is_later;
  const bool is_there = told == Unexpected::OtherSignature || (is_later && suspicion.is_old);
  return is_there ? MPI_ERR_TRUNCATE : code;
}

/// Whether this error code means that each request has its own code in its status.
[[nodiscard]] inline bool is_in_status(int code) {
  if (code == MPI_SUCCESS) return false;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

}  // namespace espalier::mpi
