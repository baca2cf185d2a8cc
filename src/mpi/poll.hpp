#pragma once

#include <sched.h>

#include <cstdint>

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// Calls done(), which asks MPI, until it says yes. After a while other processes are let in; after
/// `stall_seconds` without an event stalled() is called now and then.
template <typename Done, typename Stalled>
void poll_until(Done done, double stall_seconds, Stalled stalled) {
  constexpr std::uint32_t kPatience = 1000;  // polls before other processes are let in
  constexpr std::uint32_t kLook = 4096;      // polls between looks at the clock
  double stalled_since = 0;
  for (std::uint32_t idle = 0; !done(); ++idle) {
    if (idle < kPatience) continue;
    sched_yield();
    if (idle % kLook != 0) continue;
    const double now = PMPI_Wtime();
    if (stalled_since == 0) stalled_since = now;
    if (now - stalled_since > stall_seconds) stalled();
  }
}

}  // namespace espalier::mpi
