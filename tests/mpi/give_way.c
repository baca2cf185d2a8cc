// MPICH over UCX polls without ever giving its core away: ten ranks on two cores then take a
// scheduler's time slice for every message. Open MPI has a setting against that
// (mpi_yield_when_idle), this MPICH has none. Preloaded, natively and with us alike.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = next(worker);
  if (events == 0) sched_yield();
  return events;
}
